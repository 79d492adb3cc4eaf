/** Where commands are carried out: in the service that runs on the data folder, or on the folder itself. */
import { access, copyFile, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Control, connectControl, controlOf, ServiceGone } from "../src/control.ts";
import { Failure } from "../src/errors.ts";
import { readSeed, Service, type ServiceOptions } from "../src/service.ts";
import { FolderHeld } from "../src/store/lock.ts";
import { Store } from "../src/store/store.ts";
import type { IO } from "./io.ts";
import type { Output } from "./output.ts";

/** The options of every command. */
export interface GlobalOptions {
  readonly data: string;
  readonly routes: string;
  readonly json: boolean;
  readonly input: boolean;
}

/** The files that a command works on, as they are meant from where it was called. */
export class Workplace {
  readonly folder: string;
  readonly routes: string;
  readonly #routesGiven: boolean;

  constructor(io: IO, options: GlobalOptions) {
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
  hasData(): Promise<boolean> {
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
      put.push(await putDown("routes.yaml", this.routes));
      // The table's first line names it, for editors.
      const schema = join(dirname(this.routes), "routes.schema.json");
      if (!(await exists(schema))) put.push(await putDown("routes.schema.json", schema));
      const tests = join(dirname(this.routes), "routes.test.yaml");
      if (!(await exists(tests))) put.push(await putDown("routes.test.yaml", tests));
    }
    const seed = join(this.folder, "seed.yaml");
    if (!(await exists(seed))) put.push(await putDown("data/seed.yaml", seed));
    return put;
  }
}

export const defaultRoutes = "routes.yaml";

/** What becomes of a folder without data: refused, begun and seeded, or begun for the names of another file. */
export type Mode = "reads" | "changes" | "seeds";

interface OpenOptions extends Omit<ServiceOptions, "folder" | "routes"> {
  /** Whether a new folder gets the names of its seed file; by default it does. */
  readonly seed?: boolean;
}

/** Opens the service on a data folder; a folder without data is seeded first. */
export async function openService(
  workplace: Workplace,
  output: Output,
  options: OpenOptions = {},
): Promise<Service> {
  const isNew = !(await workplace.hasData());
  const put = isNew ? await workplace.furnish() : [];
  for (const file of put) output.remark(`Wrote ${file}.`);
  const service = await Service.open({
    ...options,
    folder: workplace.folder,
    routes: await workplace.routesFile(),
  });
  for (const warning of service.store.warnings) output.remark(`warning: ${warning}`);
  // A first start that was cut off before the seeding is made up for.
  if (service.store.sequence === 0 && options.seed !== false) {
    const file = await workplace.seedFile();
    try {
      await service.administer("seed.groups", await readSeed(file));
    } catch (error) {
      await service.close();
      throw error;
    }
    output.remark(`Began a new data folder, ${workplace.folder}, with the names of ${file}.`);
  }
  return service;
}

/** How long a command waits for another one that has the folder, in milliseconds. */
const patience = 30_000;

/**
 * Runs `work` on the data: in the service that runs on the folder, or else on the folder itself. Commands that come
 * at the same time take turns.
 * @param mode what becomes of a folder without data; see {@link Mode}
 */
export async function withControl<T>(
  workplace: Workplace,
  output: Output,
  mode: Mode,
  work: (control: Control) => Promise<T>,
): Promise<T> {
  if (mode === "reads" && !(await workplace.hasData())) {
    throw new Failure("UNKNOWN_ENTRY", `There is no data in ${workplace.folder}.`, {
      hint: "`addon-cli serve` and `addon-cli seed groups` begin it; --data names another folder.",
    });
  }
  for (;;) {
    const turn = await takeTurn(workplace, output, { seed: mode !== "seeds" });
    try {
      return await work(turn.running ?? controlOf(turn.service, null));
    } catch (error) {
      // The service stopped before it was asked for anything: the folder is free, and nothing was done.
      if (!(error instanceof ServiceGone && error.untouched)) throw error;
    } finally {
      if (turn.running === undefined) await turn.service.close();
    }
  }
}

/** Opens the folder to serve it. @throws Failure where a service runs on it already */
export async function openAsService(
  workplace: Workplace,
  output: Output,
  options: OpenOptions,
): Promise<Service> {
  const turn = await takeTurn(workplace, output, options);
  if (turn.running === undefined) return turn.service;
  const holder = await turn.running.holder();
  throw new Failure(
    "STORE_UNAVAILABLE",
    `A service runs on ${workplace.folder} already: process ${holder?.pid}, ${holder?.url}.`,
    {
      hint: "Stop it first, or name another folder with --data.",
    },
  );
}

type Turn = { readonly running: Control } | { readonly running: undefined; readonly service: Service };

/** The service that runs on the folder, or else the folder itself, as soon as no other command has it. */
async function takeTurn(workplace: Workplace, output: Output, options: OpenOptions): Promise<Turn> {
  const began = Date.now();
  let said = false;
  for (;;) {
    const running = await connectControl(workplace.folder);
    if (running !== undefined) return { running };
    try {
      return { running: undefined, service: await openService(workplace, output, options) };
    } catch (error) {
      if (!(error instanceof FolderHeld) || Date.now() > began + patience) throw error;
    }
    if (!said && Date.now() > began + 1000) {
      output.remark("Waiting for another command that has the data folder open …");
      said = true;
    }
    // Whoever has it is a command at work, or a service that starts or stops.
    await setTimeout(20 + Math.random() * 30);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function putDown(name: string, path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await copyFile(packaged(name), path);
  return path;
}

/** A file that came with the service. This file is two folders below the package as source, three when built. */
export function packaged(name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = here.endsWith(join("dist", "cli")) ? join(here, "..", "..") : join(here, "..");
  return join(root, name);
}
