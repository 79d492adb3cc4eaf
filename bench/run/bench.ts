/** What rows share: settings, the workshop, the load generator, data folders, and a voice. */
import { join } from "node:path";
import { createLoader, type Loader } from "../load/load.ts";
import { fill } from "../scale/fill.ts";
import { readNames } from "../scale/seed.ts";
import { World } from "../scale/world.ts";
import type { Settings } from "../settings.ts";
import { hasSQLite } from "./prepare.ts";
import type { Workshop } from "./workshop.ts";

/** A filled data folder to take copies of. */
export interface Template {
  readonly world: World;
  readonly folder: string;
}

/** See the head of this file. */
export class Bench {
  readonly settings: Settings;
  readonly workshop: Workshop;
  readonly load: Loader;
  /** Whether the load comes from wrk. */
  readonly withWrk: boolean;
  readonly #templates = new Map<string, Promise<Template>>();
  #sqlite: Promise<boolean> | undefined;
  #groups: Promise<readonly string[]> | undefined;

  constructor(settings: Settings, workshop: Workshop, withWrk: boolean) {
    this.settings = settings;
    this.workshop = workshop;
    this.withWrk = withWrk;
    this.load = createLoader(workshop, withWrk);
  }

  /** Says to whoever looks on what goes on. */
  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** A data folder with so many players, and changes in its journal; filled when it is first asked for. */
  template(size: number, journal = 0): Promise<Template> {
    const name = `data-${size}-${journal}`;
    const known = this.#templates.get(name) ?? this.#fill(name, size, journal);
    this.#templates.set(name, known);
    return known;
  }

  /** Whether the rows with SQLite can be measured. */
  get hasSQLite(): Promise<boolean> {
    this.#sqlite ??= hasSQLite(this.workshop);
    return this.#sqlite;
  }

  /** The names of the groups, in the seed's order. */
  get groups(): Promise<readonly string[]> {
    this.#groups ??= readNames().then((names) =>
      names.filter(({ kind }) => kind === "group").map(({ name }) => name),
    );
    return this.#groups;
  }

  async #fill(name: string, size: number, journal: number): Promise<Template> {
    const world = new World(size);
    const folder = join(await this.workshop.newFolder(name), "data");
    const started = performance.now();
    await fill(folder, { world, journal });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const left = journal === 0 ? "" : ` and ${journal} changes in the journal`;
    this.say(`filled a data folder with ${size} players${left} in ${seconds} s`);
    return { world, folder };
  }
}
