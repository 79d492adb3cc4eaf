/**
 * The route tables that were last in force, in the folder `tables` of the data folder:
 *
 * - `<revision>.yaml` is the text of each
 * - `history.json` lists them, the latest first: `[{ "revision": "06579cbfdaa8", "since": 1764…, "change": "…" }]`
 *
 * The list is a file of its own because nothing else tells the order: a revision is a hash, and the times of files are
 * lost when a folder is copied. It is replaced as a whole, by a rename, after the text that it names was written and
 * before texts that it no longer names are removed, so that it never names a text that is not there. Only the process
 * that has the lock of the data folder writes here; anyone may read.
 */
import { join } from "node:path";
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { type Files, nodeFiles, writeDurably } from "../store/folder/files.ts";
import { tablesFolder } from "../store/folder/folder-names.ts";
import { isRevision, revisionOf } from "../table/revision.ts";

/** How many tables are kept. */
const mostTables = 20;
const listName = "history.json";
const temporaryForm = /^\..*\.tmp$/;

const listSchema = v.array(
  v.object({
    revision: v.pipe(v.string(), v.check(isRevision)),
    since: v.pipe(v.number(), v.safeInteger()),
    change: v.nullable(v.string()),
  }),
);

/** A table that is or was in force. */
export interface KeptTable {
  readonly revision: string;
  /** When it was last put in force, in milliseconds since 1970. */
  readonly since: number;
  /** What it changed against the table before it, in one line; null where there was none to compare with. */
  readonly change: string | null;
}

/** See the head of this file. */
export class TableHistory {
  readonly folder: string;
  readonly #dataFolder: string;
  readonly #files: Files;
  /** What could not be written yet, such as on a full disk, the earliest first. */
  readonly #unkept: { readonly table: KeptTable; readonly text: string }[] = [];

  /** @param dataFolder the data folder */
  constructor(dataFolder: string, files: Files = nodeFiles) {
    this.folder = join(dataFolder, tablesFolder);
    this.#dataFolder = dataFolder;
    this.#files = files;
  }

  /** The tables, the latest first; none where none was in force yet. @throws Failure where the list is damaged */
  async list(): Promise<readonly KeptTable[]> {
    const path = join(this.folder, listName);
    const bytes = await this.#read(path);
    if (bytes === undefined) return [];
    try {
      return v.parse(listSchema, JSON.parse(bytes.toString("utf8")));
    } catch (cause) {
      throw new Failure("STORE_UNAVAILABLE", `${path} does not have the form of a list of route tables.`, {
        hint: "Remove it: the service begins a new list when it next puts a table in force. The tables beside it stay.",
        cause,
      });
    }
  }

  /**
   * The text of a table, and its file; undefined where it is not kept.
   * @throws Failure where the file was changed since
   */
  async text(revision: string): Promise<{ readonly file: string; readonly text: string } | undefined> {
    if (!isRevision(revision)) return undefined;
    const file = this.#file(revision);
    const text = (await this.#read(file))?.toString("utf8");
    if (text === undefined) return undefined;
    if (revisionOf(text) === revision) return { file, text };
    throw new Failure("STORE_UNAVAILABLE", `${file} is not the table of revision ${revision} any more.`, {
      hint: "It was edited or damaged. `addon-cli routes history` lists the other tables.",
    });
  }

  /**
   * Puts a table at the head of the list. Beyond twenty, the oldest are removed. A table that cannot be written now goes
   * into the list before the next one does, so that a rollback does not skip it.
   */
  async keep(table: KeptTable, text: string): Promise<void> {
    const unkept = this.#unkept;
    unkept.push({ table, text });
    if (unkept.length > mostTables) unkept.shift();
    for (let next = unkept[0]; next !== undefined; next = unkept[0]) {
      await this.#write(next.table, next.text);
      unkept.shift();
    }
  }

  async #write(table: KeptTable, text: string): Promise<void> {
    // The folder is made in a data folder that is there: one that was deleted meanwhile does not come back by this.
    if (!(await this.#files.readdir(this.#dataFolder)).includes(tablesFolder))
      await this.#files.mkdir(this.folder, { recursive: true, mode: 0o700 });
    const known = await this.list().catch((error: unknown) => {
      // A damaged list is replaced by a new one; one that can only not be read now is not.
      if (error instanceof Failure) return [];
      throw error;
    });
    const list = [table, ...known.filter(({ revision }) => revision !== table.revision)];
    for (const name of await this.#files.readdir(this.folder)) {
      // What a process that was killed while it wrote has left.
      if (temporaryForm.test(name)) await this.#files.unlink(join(this.folder, name));
    }
    const isKept = (await this.text(table.revision).catch(() => undefined)) !== undefined;
    if (!isKept) await writeDurably(this.#files, this.#file(table.revision), [Buffer.from(text)]);
    const kept = `${JSON.stringify(list.slice(0, mostTables), undefined, 2)}\n`;
    await writeDurably(this.#files, join(this.folder, listName), [Buffer.from(kept)]);
    for (const { revision } of list.slice(mostTables)) await this.#files.unlink(this.#file(revision));
  }

  #file(revision: string): string {
    return join(this.folder, `${revision}.yaml`);
  }

  async #read(path: string): Promise<Buffer | undefined> {
    try {
      return await this.#files.readFile(path);
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
      throw error;
    }
  }
}
