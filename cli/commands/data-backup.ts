/** `data snapshot`, `data backup` and `data restore`. */
import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import * as v from "valibot";
import { toSchema } from "../../src/engine/parameters.ts";
import { Failure } from "../../src/errors.ts";
import { readBackup, writeBackup } from "../../src/maintenance/backup.ts";
import { requireRoom } from "../../src/maintenance/replace.ts";
import { model } from "../../src/model.ts";
import { nodeFiles } from "../../src/store/files.ts";
import { readState } from "../../src/store/reading.ts";
import { snapshotsIn } from "../../src/store/snapshot.ts";
import { examples } from "../help.ts";
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

interface RestoreOptions {
  readonly at?: number;
  readonly replace?: boolean;
}

const instantSchema = toSchema({ base: "instant", name: "instant", description: undefined }, () => ({
  group: [],
  faction: [],
  service: [],
}));

/** An instant as a person types it. @throws InvalidArgumentError where it is none */
function parseInstant(text: string): number {
  const parsed = v.safeParse(instantSchema, text);
  if (parsed.success) return Number(parsed.output);
  throw new InvalidArgumentError(
    "Expected is ISO 8601 with a zone, such as 2026-11-21T18:30:00Z, or milliseconds since 1970.",
  );
}

export function addBackupCommands(data: Command, program: Command, session: Session): void {
  const { io, output, workplace, withControl } = session;

  data
    .command("snapshot")
    .description(
      "write a snapshot now, so that the next start has nothing to replay; also beside the service",
    )
    .action(async () => {
      const { folder } = workplace();
      await withControl("reads", (control) => control.snapshot());
      const sequence = snapshotsIn(await nodeFiles.readdir(folder)).at(-1);
      output.result({ sequence }, `There is a snapshot of everything up to change ${sequence}.`);
    });

  data
    .command("backup")
    .description("write one consistent, compressed file with all data; also while the service runs")
    .argument("<file>", "the file to write, such as backup.jsonl.gz")
    .option("--force", "overwrite the file where it exists")
    .addHelpText(
      "after",
      `
The file is readable for you alone: hashes of tokens are in it. To look into it: zcat <file> | cut -c10- | jq .
${examples("data backup backup-$(date +%F).jsonl.gz")}`,
    )
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const { folder } = workplace();
      const target = resolve(io.cwd, file);
      const json = program.opts<{ json: boolean }>().json === true;
      const progress = progressOn(io, json, "Writing the backup");
      const result = await withControl("reads", async (control) => {
        await control.snapshot();
        return writeBackup(nodeFiles, folder, target, { force, progress });
      });
      const { records, sequence, bytes } = result;
      output.result(
        { file: target, ...result },
        `Wrote ${records} records, everything up to change ${sequence}, to ${target} (${bytes} bytes).`,
      );
    });

  data
    .command("restore")
    .description("put a backup, or the data as it was at a moment, in the place of the data")
    .argument("[file]", "what `data backup` has written")
    .addOption(
      new Option("--at <instant>", "the moment: ISO 8601 with a zone, or milliseconds since 1970").argParser(
        parseInstant,
      ),
    )
    .option("--replace", "where there is data: put the new in its place; the old files are kept beside it")
    .addHelpText(
      "after",
      `
The service has to be stopped. The backup is verified completely before anything is touched. The old files are moved
into a folder replaced-<instant> in the data folder. Tokens revoked since are valid again: revoke them anew.
${examples("data restore backup.jsonl.gz --replace", "data restore --at 2026-11-21T18:30:00Z --replace")}`,
    )
    .action(async (file: string | undefined, { at, replace = false }: RestoreOptions, command: Command) => {
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
    });
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
