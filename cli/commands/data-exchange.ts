/** `data export` and `data import`. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { readGiven } from "../../src/maintenance/backup.ts";
import { formatExport, fromExport, ImportProblems, toExport } from "../../src/maintenance/exchange.ts";
import { requireRoom } from "../../src/maintenance/replace.ts";
import { requireFree } from "../../src/maintenance/target.ts";
import { steadily } from "../../src/maintenance/verify.ts";
import { model } from "../../src/model.ts";
import { nodeFiles, writeDurably } from "../../src/store/files.ts";
import { readState } from "../../src/store/reading.ts";
import { examples } from "../help.ts";
import { Reported } from "../output.ts";
import type { Session } from "../session.ts";
import { keptIn, putInPlace, refuseBesideService, requireData, withFolder } from "./data-folder.ts";

export function addExchangeCommands(
  data: Command,
  program: Command,
  { io, output, workplace }: Session,
): void {
  const isJson = () => program.opts<{ json: boolean }>().json === true;

  data
    .command("export")
    .description("write all records as plain JSON; also while the service runs")
    .argument("[file]", "the file to write; by default standard output")
    .option("--force", "overwrite the file where it exists")
    .addHelpText(
      "after",
      `
No token is in it, since none is kept; but the hashes of the tokens are, so keep it to yourself.
${examples("data export | jq '.collections.players[].name'")}`,
    )
    .action(async (file: string | undefined, { force = false }: { force?: boolean }) => {
      const { folder } = workplace();
      await requireData(workplace());
      const target = file === undefined ? undefined : resolve(io.cwd, file);
      if (target !== undefined) await requireFree(nodeFiles, target, force);
      const { database, warnings } = await steadily(() => readState(nodeFiles, folder, model));
      if (!isJson()) for (const warning of warnings) output.remark(`warning: ${warning}`);
      const document = toExport(database, Date.now());
      if (target === undefined) {
        output.result(document, formatExport(document).trimEnd());
        return;
      }
      await writeDurably(nodeFiles, target, [Buffer.from(formatExport(document))]);
      const records = Object.values(document.collections).reduce((sum, { length }) => sum + length, 0);
      const { sequence } = database;
      output.result(
        { file: target, sequence, records },
        `Wrote ${records} records, everything up to change ${sequence}, to ${target}.`,
      );
    });

  data
    .command("import")
    .description("put the records of an export in the place of the data; every one is checked first")
    .argument("<file>", "what `data export` has written, or what another program has in that form")
    .option("--replace", "where there is data: put the new in its place; the old files are kept beside it")
    .addHelpText(
      "after",
      `
The service has to be stopped. The history does not come along: use \`data backup\` and \`data restore\` to move.
${examples("--data copy data import export.json")}`,
    )
    .action(async (file: string, { replace = false }: { replace?: boolean }) => {
      const { folder } = workplace();
      const what = "Importing";
      await refuseBesideService(folder, what);
      const path = resolve(io.cwd, file);
      const text = (await readGiven(nodeFiles, path)).toString();
      try {
        const database = fromExport(text, path);
        await requireRoom(nodeFiles, folder, replace);
        const { kept, sequence } = await withFolder(folder, what, async () => {
          await requireRoom(nodeFiles, folder, replace);
          return putInPlace(folder, database);
        });
        const records = [...database.collections.values()].reduce((sum, { size }) => sum + size, 0);
        output.result(
          { folder, file: path, records, sequence, kept },
          `Imported ${records} records.${keptIn(folder, kept)}`,
        );
      } catch (error) {
        if (!(error instanceof ImportProblems)) throw error;
        const { code, message, problems } = error;
        if (!isJson()) {
          for (const problem of problems) output.remark(problem);
          throw error;
        }
        output.result({ code, info: message, problems }, "");
        throw new Reported();
      }
    });
}
