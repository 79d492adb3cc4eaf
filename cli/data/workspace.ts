/** The files of a command: the data folder, the route table and the seed. */
import { lstat, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { packaged } from "../../src/packaged.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { hasData, sharedMarker, snapshotsIn } from "../../src/store/folder/folder-names.ts";
import { listData, namesIn } from "../../src/store/folder/listing.ts";
import type { IO } from "../terminal/io.ts";

/** The mode of new files beside the data, less the umask: not every user may change the table, and so who may do what. */
export const fileMode = 0o664;

export interface GlobalOptions {
  readonly data: string;
  readonly routes: string;
  readonly journal?: string | undefined;
  readonly json: boolean;
  readonly input: boolean;
  /** Whether `--routes` was typed, rather than taken from the environment or by default. */
  readonly typedRoutes?: boolean;
}

export const defaultRoutes = "routes.yaml";
/** The name of the editor schema beside the route table. */
export const schemaName = "routes.schema.json";

/** Paths are absolute. */
export class Workspace {
  readonly folder: string;
  readonly routes: string;
  /** The URL of the journal that several machines share; undefined where the folder has its own alone. */
  readonly journal: string | undefined;
  /** Whether the options or the environment name the route table. */
  readonly namesRoutes: boolean;
  /** Whether the options do. */
  readonly typedRoutes: boolean;
  #remark: (text: string) => void;

  /** @param remark receives sentences for the operator */
  constructor(io: Pick<IO, "cwd">, options: GlobalOptions, remark: (text: string) => void = () => {}) {
    this.#remark = remark;
    this.folder = resolve(io.cwd, options.data);
    this.routes = resolve(io.cwd, options.routes);
    this.journal = options.journal;
    this.namesRoutes = options.routes !== defaultRoutes;
    this.typedRoutes = options.typedRoutes === true;
  }

  /** Returns whether there is a route table, or the options name one. */
  async hasRoutes(): Promise<boolean> {
    return this.namesRoutes || (await exists(this.routes));
  }

  /** Returns the seed file of the folder, or the packaged one. */
  async seedFile(): Promise<string> {
    const own = join(this.folder, "seed.yaml");
    return (await exists(own)) ? own : packaged("data/seed.yaml");
  }

  /** Returns whether the folder has data of the service. */
  async hasData(): Promise<boolean> {
    return hasData(await namesIn(nodeFiles, this.folder));
  }

  /** Returns the folder, to read its files. @throws Failure if there is no data in it */
  async dataFolder(): Promise<string> {
    await listData(nodeFiles, this.folder);
    await this.remarkCopy();
    return this.folder;
  }

  /** Says, once, that the files are a copy of a shared journal, where no service keeps it up to date. */
  async remarkCopy(): Promise<void> {
    const { folder } = this;
    const names = await namesIn(nodeFiles, folder);
    if (!names.includes(sharedMarker)) return;
    const { connectControl } = await import("../../src/control/client.ts");
    const { readBackwards } = await import("../../src/store/journal/backwards.ts");
    let last = snapshotsIn(names).at(-1) ?? 0;
    try {
      if ((await connectControl(folder)) !== undefined) return;
      for await (const { sequence } of readBackwards(nodeFiles, folder)) {
        last = sequence;
        break;
      }
    } catch {
      // The command itself reports damage, and a service that does not answer.
      return;
    }
    this.#remark(
      `This folder is a copy of a shared journal, up to change ${last}, and no service runs on it: other machines may have made more.`,
    );
    this.#remark = () => {};
  }

  /**
   * Returns the route table of the options. Where there is none, and no data either, it is the packaged one: a table
   * other than that of the data could give rights that somebody took away.
   */
  async routesFile(): Promise<string> {
    return (await this.hasRoutes()) || (await this.hasData()) ? this.routes : packaged("routes.yaml");
  }

  /** Writes the missing files that an operator edits, for a folder without data. @returns their paths */
  async writeDefaults(): Promise<string[]> {
    const written: string[] = [];
    if (!(await this.hasRoutes())) {
      // The table comes last: if this is interrupted before it, the next start writes what is missing.
      for (const name of [schemaName, "routes.test.yaml"]) {
        const path = join(dirname(this.routes), name);
        if (!(await exists(path))) written.push(await writePackaged(name, path));
      }
      written.push(await writePackaged("routes.yaml", this.routes));
    }
    const seed = join(this.folder, "seed.yaml");
    if (!(await exists(seed))) written.push(await writePackaged("data/seed.yaml", seed));
    return written;
  }
}

/** Returns whether there is something under a path. A link to nothing counts: it must not pass for no file. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Copies a packaged file. It appears whole, even if the process is killed. */
async function writePackaged(name: string, path: string): Promise<string> {
  const { writeTarget } = await import("../../src/backup/output-file.ts");
  await nodeFiles.mkdir(dirname(path));
  await writeTarget(nodeFiles, path, [await readFile(packaged(name))], { mode: fileMode });
  return path;
}
