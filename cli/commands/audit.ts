/** `audit` and `undo`: show the changes of the journal, and undo one. */
import { InvalidArgumentError, Option } from "commander";
import type { AuditOptions } from "../actions/audit.ts";
import type { CallerOptions } from "../actions/undo.ts";
import { instantWords, parseInstant, requireOrder } from "../arguments/instant.ts";
import { wholeFrom } from "../arguments/numbers.ts";
import { type CLICommand, neverSuggested } from "../command.ts";

export function addAuditCommands(program: CLICommand): void {
  const { context } = program;
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
    .addOption(
      new Option("--summary", "how many changes each day, by operation").conflicts([
        "values",
        "follow",
        "limit",
      ]),
    )
    .option("--values", "every record of a change, with its values before and after")
    .option("--limit <n>", "only the newest n", wholeFrom(0, 20))
    .option("--all", "also internal records: when clients were last seen, totals, idempotency keys")
    .option("--follow", "keep showing new changes until stopped (Ctrl-C)")
    .details(`
Examples:
  $ addon-cli audit --player Ada --since 3d
  $ addon-cli audit --operation houseban --limit 20
  $ addon-cli audit --by public --since 2h
  $ addon-cli audit --by Mallory --summary
  $ addon-cli audit --follow --json
  $ addon-cli audit statistics

Each line is one change. In a pipe its cells are separated by tabs: number, time, caller, operation, and what changed.
With --values there, each line is one record of a change: number, time, caller, operation, collection, key, and the
values before and after. With --json, each line is one change as a JSON document. \`addon-cli undo <number>\` undoes a
change.`)
    .action(async (options: AuditOptions) => {
      // Before the action is loaded, so that an early signal is not lost.
      const stopped = new AbortController();
      // Before it follows, it reads the whole journal: a second signal ends that.
      const stop = () => (stopped.signal.aborted ? context.io.abort(130) : stopped.abort());
      if (options.follow === true) context.io.onStop(stop);
      const { showAudit } = await import("../actions/audit.ts");
      return showAudit(context, options, stopped.signal);
    });
  audit
    .command("statistics")
    .description("list players whose statistics grew faster than play allows, the worst first")
    .option(
      "--close <player>",
      "close the cases of this player, so that they are no longer listed: name or UUID",
    )
    .details(`
Examples:
  $ addon-cli audit statistics
  $ addon-cli audit statistics --close Ada

Closing a case is a change, which \`undo\` can undo. Additions before it no longer count; further additions beyond the
limit open a new case.
The limits are \`perHour\`, \`perDay\` and \`perWeek\` of \`statistics\` in the route table. The command reads the whole journal, as far back as the retention reaches.
Columns: player, type, additions in the worst hour, day or week, limit, start of that time, all additions, and the same
in a sentence.`)
    .action(async (options: { close?: string }) => {
      const [given] = Object.keys(audit.opts());
      if (given !== undefined) {
        context.misuse(`--${given} cannot be combined with \`audit statistics\`, which reads everything`);
      }
      const { showStatistics } = await import("../actions/audit-statistics.ts");
      return showStatistics(context, options);
    });
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("Expected the number of a change, as `addon-cli audit` shows it.");
}

export function addUndoCommand(program: CLICommand): void {
  const { context } = program;
  const ago = (text: string) => parseInstant(text, "ago", context.output);
  neverSuggested(program.command("undo"))
    .description("undo a change, or all that one caller did, unless the records have changed since")
    .argument("[number]", "the number of the change, as `audit` shows it", parseNumber)
    .option("--except-changed", "skip records that have changed since")
    .addOption(new Option("--by <player>", "all that this player did: name or UUID").conflicts("token"))
    .option("--token <id>", "all that was done with this public token: its id in `token list`")
    .option("--operation <operation>", "of that only changes by this operation, as in `audit`")
    .option("--since <moment>", `of that only changes since then: ${instantWords}`, ago)
    .option("--until <moment>", "of that only changes until then", ago)
    .option("--yes", "do not ask")
    .details(`
Examples:
  $ addon-cli undo 42
  $ addon-cli undo 42 --except-changed
  $ addon-cli undo --by Mallory --since 3d

If a record has another value by now, the command undoes nothing and names the later changes. With --except-changed, it
undoes the other records, and reports which it skipped and why. With --by or --token, each record gets the value from
before the caller's changes; those that others have changed since stay. An undo is a change itself, and can be undone.`)
    .action(async (sequence: number | undefined, { exceptChanged, yes: _, ...filter }: UndoOptions) => {
      const isCaller = filter.by !== undefined || filter.token !== undefined;
      if (isCaller === (sequence !== undefined))
        context.misuse("expected either the number of a change, or --by or --token");
      if (isCaller && exceptChanged === true)
        context.misuse(
          "--except-changed needs the number of a change: --by and --token always skip such records",
        );
      requireOrder(filter, context.misuse);
      if (sequence === undefined) return (await import("../actions/undo.ts")).undoCaller(context, filter);
      const [given] = Object.keys(filter);
      if (given !== undefined) context.misuse(`--${given} needs --by or --token`);
      await context.change("undo", { sequence, exceptChanged });
    });
}

type UndoOptions = CallerOptions & { readonly exceptChanged?: boolean; readonly yes?: boolean };
