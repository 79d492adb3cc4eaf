/** `data`: the data folder itself. */
import type { Command } from "commander";
import type { BackupOptions, RestoreOptions } from "../actions/data-backup.ts";
import type { ExportOptions, ImportOptions } from "../actions/data-exchange.ts";
import { examples } from "../help.ts";
import type { Session } from "../session.ts";
import type { GlobalOptions } from "../workplace.ts";

export function addDataCommands(program: Command, session: Session): void {
  const data = program
    .command("data")
    .description("look at the data folder, verify it, back it up, restore and repair it");
  addLooks(data, session);
  addBackups(data, session);
  addRepair(data, session);
  addExchange(data, session);
}

function addLooks(data: Command, session: Session): void {
  data
    .command("status")
    .description("tell the size, the records, the last change and snapshot, and who has the folder")
    .addHelpText("after", examples("data status", "data status --json"))
    .action(async () => {
      const { showStatus } = await import("../actions/data.ts");
      return showStatus(session);
    });

  data
    .command("verify")
    .description("read everything, and tell every fault with its place; changes nothing")
    .addHelpText(
      "after",
      `
Every snapshot and every segment of the journal is read: checksums, numbers, how they hang together, the form of
every record, and that the journal leads from each snapshot to exactly the next. Also while the service runs.
Exit code 1 where there is a problem.
${examples("data verify")}`,
    )
    .action(async () => {
      const { verifyFolder } = await import("../actions/data.ts");
      return verifyFolder(session);
    });
}

function addBackups(data: Command, session: Session): void {
  data
    .command("snapshot")
    .description(
      "write a snapshot now, so that the next start has nothing to replay; also beside the service",
    )
    .action(async () => {
      const { takeSnapshot } = await import("../actions/data-backup.ts");
      return takeSnapshot(session);
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
    .action(async (file: string, options: BackupOptions) => {
      const { backUp } = await import("../actions/data-backup.ts");
      return backUp(session, file, options);
    });

  data
    .command("restore")
    .description("put a backup, or the data as it was at a moment, in the place of the data")
    .argument("[file]", "what `data backup` has written")
    .option("--at <instant>", "the moment: ISO 8601 with a zone, or milliseconds since 1970")
    .option("--replace", "where there is data: put the new in its place; the old files are kept beside it")
    .addHelpText(
      "after",
      `
The service has to be stopped. The backup is verified completely before anything is touched. The old files are moved
into a folder replaced-<instant> in the data folder. Tokens revoked since are valid again: revoke them anew.
${examples("data restore backup.jsonl.gz --replace", "data restore --at 2026-11-21T18:30:00Z --replace")}`,
    )
    .action(async (file: string | undefined, options: RestoreOptions, command: Command) => {
      const { restore } = await import("../actions/data-backup.ts");
      return restore(session, file, options, command);
    });
}

function addRepair(data: Command, session: Session): void {
  data
    .command("repair")
    .description("save what can be saved of damaged files, and tell record by record what was lost")
    .option("--yes", "do it; without this, on a terminal, it is only said what would be done")
    .addHelpText(
      "after",
      `
The service has to be stopped. The files as they are are kept in a folder damaged-<instant> in the data folder; then
a fresh snapshot has what could be saved. A folder without damage is left as it is.
${examples("data repair --yes")}`,
    )
    .action(async ({ yes = false }: { yes?: boolean }, command: Command) => {
      const { input } = command.optsWithGlobals<GlobalOptions>();
      const dry = !yes && input && session.io.stdout.isTTY === true;
      if (!yes && !dry) {
        command.error("error: --yes is needed, since there is nobody to ask", { code: "usage", exitCode: 2 });
      }
      const { repairFolder } = await import("../actions/data-repair.ts");
      return repairFolder(session, yes);
    });
}

function addExchange(data: Command, session: Session): void {
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
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { exportData } = await import("../actions/data-exchange.ts");
      return exportData(session, file, options);
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
    .action(async (file: string, options: ImportOptions) => {
      const { importData } = await import("../actions/data-exchange.ts");
      return importData(session, file, options);
    });
}
