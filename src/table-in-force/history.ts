/**
 * The history of route tables: the last ones in force, in the folder `tables` of the data folder.
 *
 * - `<revision>.yaml` is the text of each
 * - `history.json` lists them, the latest first: `[{ "revision": "06579cbfdaa8", "since": 1764…, "change": "…" }]`
 *
 * The list is a file because nothing else has the order: a revision is a hash, and a copied folder loses the times of its
 * files. The list is replaced by a rename, after the text that it adds is written and before the texts that it omits are
 * removed, so that it never names a missing text. Only the process that has the lock of the data folder writes here.
 */
import { join } from "node:path";
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import {
  type Files,
  hasCode,
  ignoreMissing,
  nodeFiles,
  privateFolderMode,
  readBytes,
  writeDurably,
} from "../store/folder/files.ts";
import { tablesFolder } from "../store/folder/folder-names.ts";
import { isRevision, revisionOf } from "../table/revision.ts";

const mostTables = 20;
const listName = "history.json";
const temporaryForm = /^\..*\.tmp$/;

const entrySchema = v.object({
  revision: v.pipe(v.string(), v.check(isRevision)),
  /** The time when it was last put in force, in milliseconds since 1970. */
  since: v.pipe(v.number(), v.safeInteger()),
  /** What it changed in the table before it, in one line; null if there was none, or none to compare with. */
  change: v.nullable(v.string()),
});
const listSchema = v.array(entrySchema);

/** A table that is or was in force. */
export type HistoryEntry = v.InferOutput<typeof entrySchema>;

/** A table that is being added, or could not be. */
interface Waiting {
  readonly table: HistoryEntry;
  readonly text: string;
  failure: unknown;
}

export class TableHistory {
  readonly folder: string;
  readonly #dataFolder: string;
  readonly #files: Files;
  /** What could not be added yet, oldest first. */
  #waiting: Waiting[] = [];
  #adding: Promise<void> = Promise.resolve();
  /** The revision in force. */
  #latest: string | undefined;

  constructor(dataFolder: string, files: Files = nodeFiles) {
    this.folder = join(dataFolder, tablesFolder);
    this.#dataFolder = dataFolder;
    this.#files = files;
  }

  /** Returns the tables, the latest first. @throws Failure if the list is damaged */
  async list(): Promise<readonly HistoryEntry[]> {
    const path = join(this.folder, listName);
    const bytes = await this.#read(path);
    if (bytes === undefined) return [];
    try {
      return v.parse(listSchema, JSON.parse(bytes.toString("utf8")));
    } catch (cause) {
      throw new Failure("STORE_UNAVAILABLE", `${path} is not a list of route tables.`, {
        hint: "Remove it: the service starts a new list when it next puts a table in force. The tables beside it stay.",
        cause,
      });
    }
  }

  /**
   * Returns the text of a table and its file, or undefined if the history does not have it.
   * @throws Failure if the file was changed
   */
  async text(revision: string): Promise<{ readonly file: string; readonly text: string } | undefined> {
    if (!isRevision(revision)) return undefined;
    const file = this.#file(revision);
    const text = (await this.#read(file))?.toString("utf8");
    if (text === undefined) return undefined;
    if (revisionOf(text) === revision) return { file, text };
    throw new Failure("STORE_UNAVAILABLE", `${file} is no longer the table of revision ${revision}.`, {
      hint: "It was edited or damaged. `addon-cli routes history` lists the other tables.",
    });
  }

  /**
   * Adds the table in force at the head of the list, and removes the oldest beyond the maximum.
   * @throws why it cannot be added yet: it waits for {@link addWaiting}, or for the next
   */
  async add(table: HistoryEntry, text: string): Promise<void> {
    const own: Waiting = { table, text, failure: undefined };
    this.#latest = table.revision;
    this.#waiting = [...this.#waiting, own].slice(-mostTables);
    await this.addWaiting();
    if (own.failure !== undefined) throw own.failure;
  }

  /** Adds the tables that could not be added before, as far as that succeeds now. */
  addWaiting(): Promise<void> {
    this.#adding = this.#adding.then(async () => {
      const all = this.#waiting;
      for (const waiting of all) {
        const adding = this.#add(waiting.table, waiting.text);
        waiting.failure = await adding.then(
          () => undefined,
          (error) => error,
        );
      }
      this.#waiting = this.#waiting.filter((one) => !all.includes(one) || one.failure !== undefined);
    });
    return this.#adding;
  }

  async #add(table: HistoryEntry, text: string): Promise<void> {
    // Only in an existing data folder: this must not create one again that was deleted.
    if (!(await this.#files.readdir(this.#dataFolder)).includes(tablesFolder))
      await this.#files.mkdir(this.folder, { mode: privateFolderMode });
    const known = await this.list().catch((error: unknown) => {
      // A damaged list is replaced by a new one, but not one that cannot be read at the moment.
      if (error instanceof Failure) return [];
      throw error;
    });
    const others = known.filter(({ revision }) => revision !== table.revision);
    // One that had to wait comes behind those that were put in force after it.
    const older = others.findIndex(({ since }) => since < table.since);
    const place = table.revision === this.#latest ? 0 : older === -1 ? others.length : older;
    const list = others.toSpliced(place, 0, table);
    for (const name of await this.#files.readdir(this.folder)) {
      // Left by a process that was killed while it wrote.
      if (temporaryForm.test(name)) await this.#files.unlink(join(this.folder, name));
    }
    const isWritten = (await this.text(table.revision).catch(() => undefined)) !== undefined;
    if (!isWritten) await writeDurably(this.#files, this.#file(table.revision), [Buffer.from(text)]);
    const content = `${JSON.stringify(list.slice(0, mostTables), undefined, 2)}\n`;
    await writeDurably(this.#files, join(this.folder, listName), [Buffer.from(content)]);
    for (const { revision } of list.slice(mostTables)) {
      await this.#files.unlink(this.#file(revision)).catch(ignoreMissing);
    }
  }

  #file(revision: string): string {
    return join(this.folder, `${revision}.yaml`);
  }

  async #read(path: string): Promise<Buffer | undefined> {
    try {
      return await readBytes(this.#files, path);
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
      throw error;
    }
  }
}
