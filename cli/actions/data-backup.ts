/** What `data snapshot`, `data backup` and `data restore` do. */
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { Failure } from "../../src/errors.ts";
import { readBackup, writeBackup } from "../../src/maintenance/backup.ts";
import { requireRoom } from "../../src/maintenance/replace.ts";
import { model } from "../../src/model.ts";
import { nodeFiles } from "../../src/store/files.ts";
import { readState } from "../../src/store/reading.ts";
import { snapshotsIn } from "../../src/store/snapshot.ts";
import { readOption, toInstant } from "../instant.ts";
import { toDate } from "../output.ts";
import type { Session } from "../session.ts";
import {
  keptIn,
  progressOn,
  putInPlace,
  refuseBesideService,
  requireData,
  withFolder,
} from "./data-folder.ts";

/** Writes a snapshot now. */
export async function takeSnapshot({ output, workplace, withControl }: Session): Promise<void> {
  const { folder } = workplace();
  await withControl("reads", (control) => control.snapshot());
  const sequence = snapshotsIn(await nodeFiles.readdir(folder)).at(-1);
  output.result({ sequence }, `There is a snapshot of everything up to change ${sequence}.`);
}

/** Whether a file that exists is overwritten. */
export interface BackupOptions {
  readonly force?: boolean;
}

/** Writes all data into one file. */
export async function backUp(
  { io, output, workplace }: Session,
  file: string,
  { force = false }: BackupOptions,
): Promise<void> {
  const { folder } = workplace();
  await requireData(workplace());
  const target = resolve(io.cwd, file);
  const progress = progressOn(io, output.wantsJSON, "Writing the backup");
  const now = Date.now();
  const { warnings, ...result } = await writeBackup(nodeFiles, folder, target, { force, now, progress });
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const { records, sequence, bytes } = result;
  output.result(
    { file: target, ...result },
    `Wrote ${records} records, everything up to change ${sequence}, to ${target} (${bytes} bytes).`,
  );
}

/** How data is put in place; the moment is read from the command. */
export interface RestoreOptions {
  /** Whether data that is there is replaced. */
  readonly replace?: boolean;
}

/** Puts a backup, or the data as it was at a moment, in the place of the data. */
export async function restore(
  { io, output, workplace }: Session,
  file: string | undefined,
  { replace = false }: RestoreOptions,
  command: Command,
): Promise<void> {
  const at = readOption(command, "at", parseInstant);
  const usage = (message: string) => command.error(`error: ${message}`, { code: "usage", exitCode: 2 });
  if ((file === undefined) === (at === undefined)) usage("one of <file> and --at <instant> is needed");
  if (at !== undefined && !replace) usage("--at goes with --replace");
  const { folder } = workplace();
  const what = "Restoring";
  await refuseBesideService(folder, what);
  if (file === undefined) {
    const moment = at as number;
    await requireData(workplace());
    const done = await withFolder(folder, what, async () => {
      const { database, warnings } = await stateAt(folder, moment);
      for (const warning of warnings) output.remark(`warning: ${warning}`);
      const { sequence } = (await readState(nodeFiles, folder, model)).database;
      return database.sequence === sequence ? { sequence, kept: null } : putInPlace(folder, database);
    });
    if (done.kept === null) {
      output.result(
        { folder, at: moment, ...done },
        `The data is as it was at ${toDate(moment)}: nothing was changed since.`,
      );
      return;
    }
    output.result(
      { folder, at: moment, ...done },
      `Restored the data of ${toDate(moment)}, everything up to change ${done.sequence}.${keptIn(folder, done.kept)}`,
    );
    return;
  }
  const path = resolve(io.cwd, file);
  const { database, instant, records } = await readBackup(nodeFiles, path);
  await requireRoom(nodeFiles, folder, replace);
  const done = await withFolder(folder, what, async () => {
    await requireRoom(nodeFiles, folder, replace);
    return putInPlace(folder, database);
  });
  output.result(
    { folder, file: path, instant, records, ...done },
    `Restored ${records} records of ${toDate(instant)}, everything up to change ${done.sequence}.${keptIn(folder, done.kept)}`,
  );
}

/** An instant as a person types it. @throws InvalidArgumentError where it is none */
function parseInstant(text: string): number {
  const instant = toInstant(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError(
    "Expected is ISO 8601 with a zone, such as 2026-11-21T18:30:00Z, or milliseconds since 1970.",
  );
}

async function stateAt(folder: string, instant: number) {
  if (instant > Date.now()) {
    throw new Failure("PARAMETER_INVALID", `${toDate(instant)} is still to come.`, {
      hint: "Name a moment that has passed.",
    });
  }
  const state = await readState(nodeFiles, folder, model, { instant });
  if (state.database.sequence > 0) return state;
  throw new Failure("UNKNOWN_ENTRY", `At ${toDate(instant)} there was no data in ${folder} yet.`, {
    hint: "`addon-cli data status` tells how far back it reaches.",
  });
}
