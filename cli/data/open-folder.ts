/** Opens a data folder in the process of a command, and creates one if the command is to create it. */
import { hostname } from "node:os";
import { controlOf } from "../../src/control/operations.ts";
import { model } from "../../src/domain/model.ts";
import { Activity } from "../../src/identity/activity.ts";
import type { Service, ServiceOptions } from "../../src/service.ts";
import type { DataStore } from "../../src/store/data.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { lockFolder, requireNew } from "../../src/store/folder/folder.ts";
import { namesIn, noData } from "../../src/store/folder/listing.ts";
import { Store } from "../../src/store/store.ts";
import type { Output } from "../terminal/output.ts";
import type { Workspace } from "./workspace.ts";

/**
 * What a command does with a folder: reads it, edits what there is, changes it, or serves it. One without data is refused,
 * but for `changes` and `serves`, which create and seed it, and `seeds`, which creates it for the names of another file.
 */
export type Mode = "reads" | "edits" | "changes" | "seeds" | "serves";

/** The options of a service on the folder, without its files. */
export interface ServiceSettings extends Omit<ServiceOptions, "folder" | "routes" | "shared"> {
  /** How long the service answers without contact to a shared journal, in milliseconds. */
  readonly maxStaleness?: number | undefined;
}

const defaultMaxStaleness = 60_000;

/** Returns the journal that a folder shares with those of other machines. */
async function sharedOptions(journal: string, folder: string, maxStaleness = defaultMaxStaleness) {
  const { PostgresSequencer } = await import("../../src/store/shared/postgres.ts");
  return { sequencer: new PostgresSequencer(journal, `${hostname()}:${folder}`), maxStaleness };
}

/** A data folder that this process has open. Its service starts only if something needs it: most commands do not. */
export type OpenFolder = ReturnType<typeof opened>;

function opened(store: DataStore, options: ServiceOptions) {
  let started: Promise<Service> | undefined;
  /** Returns the service on the folder, without a port. */
  const service = () => {
    started ??= import("../../src/service.ts").then(({ Service }) => new Service(store, options));
    return started;
  };
  const control = controlOf({
    ...options,
    store,
    activity: new Activity(store.data),
    loadTable: async () => (await service()).environment.loadTable(),
    checkTable: async () => (await service()).environment.checkTable(),
    service,
    holder: null,
  });
  return { control, service, close: async () => ((await started) ?? store).close() };
}

/** @throws Failure if the route table cannot be put in force */
async function requireTable({ service }: OpenFolder): Promise<void> {
  const { routes } = await service();
  await routes.tableFile(await routes.present(), true);
}

/**
 * Opens a folder.
 * @param journal the journal that it shares; null for none
 * @throws Failure if there is no data to read
 * @throws FolderHeld if another process has it open
 */
export async function openFolder(
  workspace: Workspace,
  output: Output,
  mode: Mode,
  settings: ServiceSettings = {},
  journal: string | null | undefined = workspace.journal,
): Promise<OpenFolder> {
  const { folder } = workspace;
  const isNew = !(await workspace.hasData());
  if (isNew) {
    const names = await namesIn(nodeFiles, folder);
    if (mode === "reads" || mode === "edits") throw noData(folder, journal ? [] : names);
    // The folder comes first: if it cannot be used, nothing is written elsewhere.
    if (!journal) requireNew(folder, names);
    await (await lockFolder(nodeFiles, folder)).release();
    for (const file of await workspace.writeDefaults()) output.remark(`Wrote ${file}.`);
  }
  const shared = journal ? await sharedOptions(journal, folder, settings.maxStaleness) : undefined;
  const options = { ...settings, folder, shared, routes: await workspace.routesFile() };
  const warned = new Set<string>();
  const openStore = async (onlyReads: boolean) => {
    const store = await Store.open({ ...options, model, onlyReads });
    for (const warning of store.warnings) if (!warned.has(warning)) output.remark(`warning: ${warning}`);
    for (const warning of store.warnings) warned.add(warning);
    return store;
  };
  let store = await openStore(mode === "reads" || mode === "serves");
  if (mode === "serves" && store.isOutdated) {
    // Before the upgrade: where the table is refused, the operator can go back to the earlier version.
    await requireTable(opened(store, options)).finally(() => store.close());
    options.stopping?.throwIfAborted();
    store = await openStore(false);
  }
  const open = opened(store, options);
  // This also completes a first start that was interrupted before the seeding.
  if (isNew && mode === "seeds") output.remark(`Created the data folder ${folder}.`);
  if (store.sequence === 0 && mode !== "seeds") {
    const file = await workspace.seedFile();
    try {
      const { readSeed } = await import("../../src/operator/seed-file.ts");
      await open.control.run("seed.groups", await readSeed(file));
    } catch (error) {
      await open.close();
      throw error;
    }
    output.remark(`Created the data folder ${folder} with the names of ${file}.`);
  }
  return open;
}
