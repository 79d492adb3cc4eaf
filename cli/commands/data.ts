/** `data`: the data folder itself. */
import { type Command, Option } from "commander";
import type { BackupOptions } from "../actions/data/backup.ts";
import type { ExportOptions } from "../actions/data/export.ts";
import type { Session } from "../context.ts";
import type { GlobalOptions } from "../data/workspace.ts";
import { examples } from "../help.ts";
import { neverSuggested } from "../suggestion.ts";

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
      const { showStatus } = await import("../actions/data/inspect.ts");
      return showStatus(session);
    });

  data
    .command("verify")
    .description("read everything, and tell every fault with its place; changes nothing")
    .addHelpText(
      "after",
      `
Every snapshot and every segment of the journal is read: checksums, numbers, their consistency, the form of
every record, that the records fit together, and that the journal leads from each snapshot to exactly the next. Also
while the service runs.
Exit code 1 where there is a problem.
${examples("data verify")}`,
    )
    .action(async () => {
      const { verifyFolder } = await import("../actions/data/inspect.ts");
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
      const { takeSnapshot } = await import("../actions/data/backup.ts");
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
      const { backUp } = await import("../actions/data/backup.ts");
      return backUp(session, file, options);
    });

  const restore = neverSuggested(data.command("restore"))
    .description(
      "restore a backup, or the data as it was at a moment, as one change; also beside the service",
    )
    .argument("[file]", "what `data backup` has written")
    .option(
      "--at <moment>",
      "ISO 8601 with a zone, milliseconds since 1970, or a change's number such as #42",
    );
  addRestoreOptions(restore)
    .addHelpText(
      "after",
      `
It shows what would change, and asks. Everything but tokens, activity, counters and idempotency keys becomes what it
was; names of groups, factions and services are only added. \`undo\` takes it back. --at takes everything up to the
last change at or before the instant. Into an empty folder a backup is unpacked without a question. For a damaged
folder use \`data repair\`.
${examples("data restore backup.jsonl.gz --dry-run", "data restore --at 2026-11-21T18:30:00Z", "data restore --at '#42' --yes")}`,
    )
    .action(async (file: string | undefined, _options: unknown, command: Command) => {
      const { restore: run } = await import("../actions/data/restore.ts");
      return run(session, file, command);
    });
}

/** The options that restoring and importing share. */
function addRestoreOptions(command: Command): Command {
  return command
    .option("--tokens", "restore tokens, too; a revoked one stays revoked")
    .option("--yes", "do not ask")
    .option("--dry-run", "only show what would change")
    .addOption(new Option("--replace", "accepted for older scripts; does nothing").hideHelp());
}

function addRepair(data: Command, session: Session): void {
  neverSuggested(data.command("repair"))
    .description("save what can be saved of damaged files, and tell record by record what was lost")
    .option("--from <file>", "put a backup in the place of the damaged files instead")
    .option("--yes", "do it; without this, on a terminal, it is only said what would be done")
    .addHelpText(
      "after",
      `
The service has to be stopped. The files as they are are kept in a folder damaged-<instant> in the data folder; then
a fresh snapshot has what could be saved. A folder without damage is left as it is.
${examples("data repair --yes", "data repair --from backup.jsonl.gz --yes")}`,
    )
    .action(async ({ yes = false, from }: { yes?: boolean; from?: string }, command: Command) => {
      const { input } = command.optsWithGlobals<GlobalOptions>();
      const dry = !yes && input && session.io.stdout.isTTY === true;
      if (!yes && !dry) {
        command.error("error: --yes is needed, since there is nobody to ask", { code: "usage", exitCode: 2 });
      }
      const { repairFolder, repairFrom } = await import("../actions/data/repair.ts");
      return from === undefined ? repairFolder(session, yes) : repairFrom(session, from, yes);
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
      const { exportData } = await import("../actions/data/export.ts");
      return exportData(session, file, options);
    });

  const importing = neverSuggested(data.command("import"))
    .description(
      "put the records of an export in the place of the data, as one change; also beside the service",
    )
    .argument("<file>", "what `data export` has written, or what another program has in that form");
  addRestoreOptions(importing)
    .addHelpText(
      "after",
      `
Every record and every reference is checked first. It shows what would change, and asks, as \`data restore\` does; the
same records stay as they are. The history does not come along: use \`data backup\` and \`data restore\` to move.
${examples("data import export.json --dry-run", "--data copy data import export.json")}`,
    )
    .action(async (file: string, _options: unknown, command: Command) => {
      const { importData } = await import("../actions/data/restore.ts");
      return importData(session, file, command);
    });
}
