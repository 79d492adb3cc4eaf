/** `data`: inspects, backs up, restores and repairs the data folder. */
import { parseJournal } from "../arguments/address.ts";
import { instantWords, parsePointInTime } from "../arguments/instant.ts";
import { wholeFrom } from "../arguments/numbers.ts";
import { type CLICommand, neverSuggested } from "../command.ts";

/** Adds the common options of `data restore` and `data import`. */
function addRestoreOptions(command: CLICommand): CLICommand {
  return command
    .option("--tokens", "also restore tokens; revoked ones stay revoked")
    .option("--yes", "do not ask")
    .option("--dry-run", "only show what would change");
}

export function addDataCommands(program: CLICommand): void {
  const { context } = program;
  const data = program
    .command("data")
    .description("inspect, verify, back up, restore and repair the data folder");
  data
    .command("status")
    .description(
      "show the size, the records, the last change and snapshot, and the process that has the folder open",
    )
    .examples("data status", "data status --json")
    .loads(async () => (await import("../actions/data/inspect.ts")).showStatus);

  data
    .command("verify")
    .description("read everything and report every fault with its position; changes nothing")
    .details(`
Reads every snapshot and every segment of the journal, and checks their checksums and numbers, the form and the
consistency of the records, and that the journal leads from each snapshot to exactly the next. The service may be running.
Exits with 1 if there is a problem.`)
    .examples("data verify")
    .loads(async () => (await import("../actions/data/inspect.ts")).verifyFolder);

  data
    .command("snapshot")
    .description(
      "write a snapshot now, so that the next start has nothing to replay; the service may be running",
    )
    .loads(async () => (await import("../actions/data/backup.ts")).takeSnapshot);

  data
    .command("backup")
    .description("write all data to one consistent, compressed file; the service may be running")
    .argument("<file>", "the file to write, such as backup.jsonl.gz, or a folder, such as backups/")
    .option("--force", "overwrite an existing file")
    .option(
      "--keep <n>",
      "in a folder: remove the oldest backups, so that this many remain",
      wholeFrom(1, 14),
    )
    .details(`
Only you can read the file, since it contains hashes of tokens. To inspect it: zcat <file> | cut -c10- | jq .
In a folder, the file is named after the time in UTC: gameaddon-2026-11-22T03-00-00.123Z.jsonl.gz. --keep counts the new
one, removes only files of such names, and only after the new one was read back. Give each service a folder of its own.`)
    .examples("data backup backup-$(date +%F).jsonl.gz", "data backup backups/ --keep 14")
    .loads(async () => (await import("../actions/data/backup.ts")).backUp);

  const restore = neverSuggested(data.command("restore"))
    .description("restore a backup or a past state as one change; the service may be running")
    .argument("[file]", "a file written by `data backup`")
    .option(
      "--at <moment>",
      `the state at this time: ${instantWords}; or after a change such as #42`,
      (text) => parsePointInTime(text, context.output),
    );
  addRestoreOptions(restore)
    .details(`
Shows what would change, and asks. Restores everything, the statistics of players included, except tokens, invitations,
when clients were last seen, the totals by day and of requests, and idempotency keys. Names of groups, factions and
services are only added, and the last numbers of lists only raised. \`undo\` can undo it. --at restores everything up to
the last change at or before that time. Into an empty folder, a backup is restored without a question. For a damaged
folder, use \`data repair\`.`)
    .examples(
      "data restore backup.jsonl.gz --dry-run",
      "data restore --at 2026-11-21T18:30:00Z",
      "data restore --at '#42' --yes",
    )
    .loads(async () => (await import("../actions/data/restore.ts")).restore);

  neverSuggested(data.command("repair"))
    .description("recover as much as possible from damaged files, and report each lost record")
    .option("--from <file>", "replace the damaged files by a backup instead")
    .option("--yes", "repair; without it, only show what would be done")
    .details(`
Requires the service to be stopped. Keeps the present files in a folder damaged-<instant> inside the data folder, and
writes a new snapshot of what could be recovered. Does not change a folder without damage.`)
    .examples("data repair --yes", "data repair --from backup.jsonl.gz --yes")
    .action(async ({ yes = false, from }: { yes?: boolean; from?: string }) => {
      const { repairFolder, repairFrom } = await import("../actions/data/repair.ts");
      return from === undefined ? repairFolder(context, yes) : repairFrom(context, from, yes);
    });

  data
    .command("export")
    .description("write all records as plain JSON; the service may be running")
    .argument("[file]", "the file to write; by default standard output")
    .option("--force", "overwrite an existing file")
    .details(`
It contains no tokens, since none are stored, but it contains their hashes: keep it private.`)
    .examples("data export | jq '.collections.players[].name'")
    .loads(async () => (await import("../actions/data/export.ts")).exportData);

  const importing = neverSuggested(data.command("import"))
    .description("replace the data by the records of an export as one change; the service may be running")
    .argument("<file>", "a file written by `data export`, or by another program in that format");
  addRestoreOptions(importing)
    .details(`
Checks every record and every reference first. Shows what would change, and asks, as \`data restore\` does; equal records
do not change. An export has no history: to move a data folder, use \`data backup\` and \`data restore\`.`)
    .examples("data import export.json --dry-run", "--data copy data import export.json")
    .loads(async () => (await import("../actions/data/restore.ts")).restore);
}

/** `journal`: the journal that several machines share. */
export function addJournalCommands(program: CLICommand): void {
  const parseURL = (text: string) => parseJournal(text, (message) => program.context.misuse(message));
  const journal = program
    .command("journal")
    .description("share the journal with other machines, in PostgreSQL");
  journal
    .command("init")
    .description(
      "create the shared journal, and bring in the data of the folder; the service must be stopped",
    )
    .argument("[url]", "the address in PostgreSQL; that of --journal by default", parseURL)
    .option("--print [role]", "only print the SQL, with a role of the fewest rights if you name one")
    .details(`
The password comes from PGPASSWORD, or from ADDON_JOURNAL. docs/several-machines.md has the steps.`)
    .examples("journal init postgres://gameaddon@db.example/gameaddon", "journal init --print gameaddon")
    .loads(async () => (await import("../actions/data/journal.ts")).initJournal);
  journal
    .command("status")
    .description("show the machines, what each has, and the revision of its route table")
    .argument("[url]", "the address in PostgreSQL; that of --journal by default", parseURL)
    .examples("journal status postgres://gameaddon@db.example/gameaddon")
    .loads(async () => (await import("../actions/data/journal.ts")).showJournal);
}
