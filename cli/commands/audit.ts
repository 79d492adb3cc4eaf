/** `audit`: who changed what, when, through which operation, from which value to which. */
import { type Command, Option } from "commander";
import type { AuditOptions } from "../actions/audit.ts";
import type { StatisticsOptions } from "../actions/audit-statistics.ts";
import { parseLimit } from "../arguments/numbers.ts";
import type { Session } from "../context.ts";

export function addAuditCommands(program: Command, session: Session): void {
  const audit = program
    .command("audit")
    .description("tell who changed what, when, through which operation, from which value to which")
    .option("--player <player>", "changes by this player, or of a record of theirs: name or UUID")
    .option("--by <who>", "changes by this player, or by operator, public or system")
    .option("--token <id>", "changes with this public token, by its id in `token list`")
    .option(
      "--operation <operation>",
      'changes through this operation (houseban.add), those that begin so (houseban), or by a command ("player remove")',
    )
    .option(
      "--record <record>",
      "changes of these records: a collection, or one and a part of a key: houseBans/ada",
    )
    .option("--since <moment>", "changes from then on: ISO 8601 with a zone, milliseconds, or 2h or 3d ago")
    .addOption(new Option("--until <moment>", "changes up to then").conflicts("follow"))
    .option("--limit <n>", "the newest n of those", parseLimit)
    .option("--all", "also what the service only notes for itself: activity, counters, repetitions")
    .option("--follow", "go on with what comes, until it is stopped (Ctrl-C)")
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli audit --player Ada --since 3d
  $ addon-cli audit --operation houseban --limit 20
  $ addon-cli audit --by public --since 2h
  $ addon-cli audit --follow --json
  $ addon-cli audit statistics

In a pipe each line is one record of a change: number, time, who, operation, collection, key, and what became of it,
with tabs between them. With --json each line is one change as a JSON document. \`addon-cli undo <number>\` takes a
change back.`,
    )
    .action(async (options: AuditOptions, command: Command) => {
      // Asked for before anything is loaded: whoever stops it early is heard.
      const stopped = new AbortController();
      if (options.follow === true) session.io.onStop(() => stopped.abort());
      const { showAudit } = await import("../actions/audit.ts");
      return showAudit(session, options, command, stopped.signal);
    });
  addStatistics(audit, session);
}

function addStatistics(audit: Command, session: Session): void {
  audit
    .command("statistics")
    .description("list players whose statistics grew faster than play can make them grow, the worst first")
    .option("--close <player>", "close the cases of this player, name or UUID: they are listed no more")
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli audit statistics
  $ addon-cli audit statistics --close Ada

Closing a case is a change, which \`undo\` takes back. What the player had added until then counts no more; further
additions beyond the limit are a new case.
The limits are \`watch\` in the route table. All of the journal is looked at: what is within the retention.
The columns are: player, type, additions in the worst 60 minutes, limit, when those began, all additions.`,
    )
    .action(async (options: StatisticsOptions, command: Command) => {
      const [given] = Object.keys(audit.opts());
      if (given !== undefined) {
        command.error(`error: --${given} does not go with \`audit statistics\`, which looks at everything`, {
          code: "usage",
          exitCode: 2,
        });
      }
      const { showStatistics } = await import("../actions/audit-statistics.ts");
      return showStatistics(session, options);
    });
}
