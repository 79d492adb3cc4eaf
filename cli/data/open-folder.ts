/** A data folder as a command itself opens it: begun where there is none yet, if the command is to begin one. */

import { type Control, controlOfStore } from "../../src/control/control.ts";
import { Failure } from "../../src/domain/errors.ts";
import { model } from "../../src/domain/model.ts";
import { Activity } from "../../src/identity/activity.ts";
import { Operator } from "../../src/operator/operator.ts";
import type { Service, ServiceOptions } from "../../src/service.ts";
import type { DataStore } from "../../src/store/data.ts";
import { Store } from "../../src/store/store.ts";
import type { Output } from "../terminal/output.ts";
import type { Workplace } from "./workspace.ts";

/** What becomes of a folder without data: refused, begun and seeded, or begun for the names of another file. */
export type Mode = "reads" | "changes" | "seeds";

/** What a service on the folder would be told. */
export type Telling = Omit<ServiceOptions, "folder" | "routes">;

/** A data folder that this process has open. The service on it begins where something needs it: most commands do not. */
export class OpenFolder {
  readonly store: DataStore;
  readonly operator: Operator;
  readonly control: Control;
  readonly #options: ServiceOptions;
  #service: Promise<Service> | undefined;

  constructor(store: DataStore, options: ServiceOptions) {
    this.store = store;
    this.#options = options;
    this.operator = new Operator(store, {
      ...options,
      activity: new Activity(store.data),
      loadTable: async () => (await this.service()).followTable(),
      checkTable: async () => (await this.service()).routes.check(),
    });
    this.control = controlOfStore(this.operator, () => this.service());
  }

  /** The service on the folder, without a port. */
  service(): Promise<Service> {
    this.#service ??= import("../../src/service.ts").then(({ Service }) =>
      Service.on(this.store, this.#options),
    );
    return this.#service;
  }

  /** Lets go of the folder. */
  async close(): Promise<void> {
    await ((await this.#service) ?? this.store).close();
  }
}

/**
 * Opens a folder.
 * @throws Failure where there is no data to read
 * @throws FolderHeld where another process has it open
 */
export async function openFolder(
  workplace: Workplace,
  output: Output,
  mode: Mode,
  telling: Telling = {},
): Promise<OpenFolder> {
  const { folder } = workplace;
  if (!(await workplace.hasData())) {
    if (mode === "reads") throw nothingIn(folder);
    for (const file of await workplace.furnish()) output.remark(`Wrote ${file}.`);
  }
  const options = { ...telling, folder, routes: await workplace.routesFile() };
  const opened = new OpenFolder(await Store.open({ ...options, model }), options);
  for (const warning of opened.store.warnings) output.remark(`warning: ${warning}`);
  // A first start that was cut off before the seeding is made up for.
  if (opened.store.sequence === 0 && mode !== "seeds") {
    const file = await workplace.seedFile();
    try {
      const { readSeed } = await import("../../src/operator/seed-file.ts");
      await opened.operator.administer("seed.groups", await readSeed(file));
    } catch (error) {
      await opened.close();
      throw error;
    }
    output.remark(`Began a new data folder, ${folder}, with the names of ${file}.`);
  }
  return opened;
}

function nothingIn(folder: string): Failure {
  return new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`, {
    hint: "`addon-cli serve` and `addon-cli seed groups` begin it; --data names another folder.",
  });
}
