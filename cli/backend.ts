/** Where commands are carried out: on the data folder itself. */
import { access, copyFile, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { AdministrationName } from "../src/administration/index.ts";
import type { Vocabulary } from "../src/engine/caller.ts";
import type { FailureBody } from "../src/engine/response.ts";
import { Failure } from "../src/errors.ts";
import {
  type AdministrationInput,
  type AdministrationResult,
  readSeed,
  Service,
  type ServiceOptions,
} from "../src/service.ts";
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

/** Carries commands out. */
export interface Backend {
  administer<N extends AdministrationName>(
    name: N,
    input: AdministrationInput<N>,
  ): Promise<AdministrationResult<N>>;
  call(
    path: string,
    query: readonly (readonly [string, string])[],
    as?: string,
  ): Promise<{ ok: boolean; body: FailureBody | object }>;
  vocabulary(): Promise<Vocabulary>;
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
    if (!(await this.hasRoutes())) put.push(await putDown("routes.yaml", this.routes));
    const seed = join(this.folder, "seed.yaml");
    if (!(await exists(seed))) put.push(await putDown("data/seed.yaml", seed));
    return put;
  }
}

export const defaultRoutes = "routes.yaml";

/** Opens the service on a data folder; a folder without data is seeded first. */
export async function openService(
  workplace: Workplace,
  output: Output,
  options: Omit<ServiceOptions, "folder" | "routes"> = {},
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
  if (service.vocabulary().group.length === 0) {
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

/** Runs `work` on the data folder. @param create whether a folder without data is begun, rather than refused */
export async function withBackend<T>(
  workplace: Workplace,
  output: Output,
  create: boolean,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  if (!create && !(await workplace.hasData())) {
    throw new Failure("UNKNOWN_ENTRY", `There is no data in ${workplace.folder}.`, {
      hint: "`addon-cli serve` and `addon-cli seed groups` begin it; --data names another folder.",
    });
  }
  const service = await openService(workplace, output);
  try {
    return await work(offline(service));
  } finally {
    await service.close();
  }
}

function offline(service: Service): Backend {
  return {
    administer: (name, input) => service.administer(name, input),
    async call(path, query, as) {
      const response = await service.call(path, query, as);
      return { ok: response.ok, body: (await response.json()) as object };
    },
    vocabulary: async () => service.vocabulary(),
  };
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
