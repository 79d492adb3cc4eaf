/** The files that a command works on: the data folder, the route table and the seed. */
import { access, mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { packaged } from "../../src/packaged.ts";
import type { IO } from "../terminal/io.ts";

/** The options of every command. */
export interface GlobalOptions {
  readonly data: string;
  readonly routes: string;
  readonly json: boolean;
  readonly input: boolean;
}

export const defaultRoutes = "routes.yaml";
/** The editor schema beside the route table. */
export const schemaName = "routes.schema.json";

/** The files that a command works on, as they are meant from where it was called. */
export class Workplace {
  readonly folder: string;
  readonly routes: string;
  readonly #routesGiven: boolean;

  constructor(io: Pick<IO, "cwd">, options: GlobalOptions) {
    this.folder = resolve(io.cwd, options.data);
    this.routes = resolve(io.cwd, options.routes);
    this.#routesGiven = options.routes !== defaultRoutes;
  }

  /** Whether there is a route table, or one was named; else a new folder gets the one that came with the service. */
  async hasRoutes(): Promise<boolean> {
    return this.#routesGiven || (await exists(this.routes));
  }

  /** The seed file of the folder, or the one that came with the service. */
  async seedFile(): Promise<string> {
    const own = join(this.folder, "seed.yaml");
    return (await exists(own)) ? own : packaged("data/seed.yaml");
  }

  /** Whether the folder has data of the service. */
  async hasData(): Promise<boolean> {
    const { Store } = await import("../../src/store/store.ts");
    return Store.exists(this.folder);
  }

  /** The route table to use: the folder's own, or before there is one that which came with the service. */
  async routesFile(): Promise<string> {
    return (await this.hasRoutes()) ? this.routes : packaged("routes.yaml");
  }

  /**
   * Puts down the files that an operator edits, where a folder has no data and they are missing.
   * @returns what was put down
   */
  async furnish(): Promise<string[]> {
    const put: string[] = [];
    if (!(await this.hasRoutes())) {
      // The table comes last: where this is cut off before it, the next start puts down what is missing.
      for (const name of [schemaName, "routes.test.yaml"]) {
        const path = join(dirname(this.routes), name);
        if (!(await exists(path))) put.push(await putDown(name, path));
      }
      put.push(await putDown("routes.yaml", this.routes));
    }
    const seed = join(this.folder, "seed.yaml");
    if (!(await exists(seed))) put.push(await putDown("data/seed.yaml", seed));
    return put;
  }
}

/** Whether there is something of a path. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Copies a file that comes with the service. It appears whole: a start that is killed leaves nothing to stumble over. */
async function putDown(name: string, path: string): Promise<string> {
  const { writeTarget } = await import("../../src/backup/output-file.ts");
  const { nodeFiles } = await import("../../src/store/folder/files.ts");
  await mkdir(dirname(path), { recursive: true });
  await writeTarget(nodeFiles, path, [await readFile(packaged(name))], { mode: 0o666 });
  return path;
}
