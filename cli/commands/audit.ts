/** `audit`: shows the changes of the journal. */
import { type Command, Option } from "commander";
import type { AuditOptions } from "../actions/audit.ts";
import type { StatisticsOptions } from "../actions/audit-statistics.ts";
import { instantWords, parseInstant } from "../arguments/instant.ts";
import { parseLimit } from "../arguments/numbers.ts";
import type { Context } from "../context.ts";

export function addAuditCommands(program: Command, context: Context): void {
  const ago = (text: string) => parseInstant(text, "ago", context.output);
  const audit = program
    .command("audit")
    .description("show who changed what, when and by which operation")
    .option("--player <player>", "changes by this player or to their records: name or UUID")
    .option("--by <who>", "changes by this player, or by operator, public or system")
    .option("--token <id>", "changes made with this public token: its id in `token list`")
    .option(
      "--operation <operation>",
      'changes by this operation (houseban.add), by operations with this prefix (houseban), or by a command ("player remove")',
    )
    .option(
      "--record <record>",
      "changes to these records: a collection, or a collection and part of a key, such as houseBans/ada",
    )
    .option("--since <moment>", `changes since then: ${instantWords}`, ago)
    .addOption(new Option("--until <moment>", "changes until then").argParser(ago).conflicts("follow"))
    .option("--values", "every record of a change, with its values before and after")
    .option("--limit <n>", "only the newest n", parseLimit)
    .option("--all", "also internal records: activity, counters, idempotency keys")
    .option("--follow", "keep showing new changes until stopped (Ctrl-C)")
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli audit --player Ada --since 3d
  $ addon-cli audit --operation houseban --limit 20
  $ addon-cli audit --by public --since 2h
  $ addon-cli audit --follow --json
  $ addon-cli audit statistics

Each line is one change. In a pipe its cells are separated by tabs: number, time, caller, operation, and what changed.
With --values there, each line is one record of a change: number, time, caller, operation, collection, key, and the
values before and after. With --json, each line is one change as a JSON document. \`addon-cli undo <number>\` undoes a
change.`,
    )
    .action(async (options: AuditOptions) => {
      // Before the action is loaded, so that an early signal is not lost.
      const stopped = new AbortController();
      if (options.follow === true) context.io.onStop(() => stopped.abort());
      const { showAudit } = await import("../actions/audit.ts");
      return showAudit(context, options, stopped.signal);
    });
  addStatistics(audit, context);
}

function addStatistics(audit: Command, context: Context): void {
  audit
    .command("statistics")
    .description("list players whose statistics grew faster than play allows, the worst first")
    .option(
      "--close <player>",
      "close the cases of this player, so that they are no longer listed: name or UUID",
    )
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli audit statistics
  $ addon-cli audit statistics --close Ada

Closing a case is a change, which \`undo\` can undo. Additions before it no longer count; further additions beyond the
limit open a new case.
The limits are \`watch\` in the route table. The command reads the whole journal, as far back as the retention reaches.
Columns: player, type, additions in the worst hour, limit, start of that hour, all additions.`,
    )
    .action(async (options: StatisticsOptions) => {
      const [given] = Object.keys(audit.opts());
      if (given !== undefined) {
        context.misuse(`--${given} cannot be combined with \`audit statistics\`, which reads everything`);
      }
      const { showStatistics } = await import("../actions/audit-statistics.ts");
      return showStatistics(context, options);
    });
}
