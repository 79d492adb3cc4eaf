/** `audit`: who changed what, when, through which operation, from which value to which. */
import { type Command, InvalidArgumentError, Option } from "commander";
import * as v from "valibot";
import type { Entry } from "../../src/audit/entry.ts";
import { follow } from "../../src/audit/follow.ts";
import type { Names } from "../../src/audit/names.ts";
import { type Look, readEntries, readNames, requireData, toSelection } from "../../src/audit/read.ts";
import { changeWords, keyWords, operationWords, plain, whoWords } from "../../src/audit/words.ts";
import { toSchema } from "../../src/engine/parameters.ts";
import { nodeFiles } from "../../src/store/files.ts";
import { toDate } from "../output.ts";
import type { Session } from "../session.ts";
import { addAuditStatisticsCommand } from "./audit-statistics.ts";
import { parseDuration } from "./token.ts";

type AuditOptions = Look & { readonly follow?: boolean };

/** The instants that parameters take as well (contract, section 3). */
const instantSchema = toSchema({ base: "instant", name: "instant", description: undefined }, () => ({
  group: [],
  faction: [],
  service: [],
}));

/** An instant in milliseconds: as it is written, or so long ago. @throws InvalidArgumentError where it is none */
function parseMoment(text: string): number {
  const [, ago] = /^(\d+[mhdw])(?: ago)?$/.exec(text) ?? [];
  if (ago !== undefined) return Date.now() - parseDuration(ago);
  const instant = v.safeParse(instantSchema, text);
  if (instant.success) return Number(instant.output);
  throw new InvalidArgumentError(
    "Expected is ISO 8601 with a zone, such as 2026-11-21T18:00:00Z, or milliseconds since 1970, or 2h or 3d ago.",
  );
}

function parseLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected is a whole number, such as 20.");
}

export function addAuditCommands(program: Command, session: Session): void {
  const audit = program
    .command("audit")
    .description("tell who changed what, when, through which operation, from which value to which")
    .option("--player <player>", "changes by this player, or of a record of theirs: name or UUID")
    .option("--by <who>", "changes by this player, or by operator, public or system")
    .option(
      "--operation <name>",
      "changes through this operation, or those that begin so, such as targetlist",
    )
    .option(
      "--record <record>",
      "changes of these records: a collection, or one and a part of a key: houseBans/ada",
    )
    .option(
      "--since <moment>",
      "changes from then on: ISO 8601 with a zone, milliseconds, or 2h or 3d ago",
      parseMoment,
    )
    .addOption(
      new Option("--until <moment>", "changes up to then").argParser(parseMoment).conflicts("follow"),
    )
    .option("--limit <n>", "the newest n of those", parseLimit)
    .option("--all", "also what the service only notes for itself: activity, counters, repetitions")
    .option("--follow", "go on with what comes, until it is stopped (Ctrl-C)")
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli audit --player Ada --since 3d
  $ addon-cli audit --operation houseban --limit 20
  $ addon-cli audit --follow --json
  $ addon-cli audit statistics

In a pipe each line is one record of a change: number, time, who, operation, collection, key, and what became of it,
with tabs between them. With --json each line is one change as a JSON document. \`addon-cli undo <number>\` takes a
change back.`,
    )
    .action((options: AuditOptions) => {
      const { json } = program.opts<{ json: boolean }>();
      return showAudit(session, json, options);
    });
  addAuditStatisticsCommand(audit, session);
}

async function showAudit(
  session: Session,
  isJson: boolean,
  { follow: goOn = false, ...look }: AuditOptions,
): Promise<void> {
  const { io, output, workplace } = session;
  // Asked for before anything is read: whoever stops it early is heard.
  const stopped = new AbortController();
  if (goOn) io.onStop(() => stopped.abort());
  const { folder } = workplace();
  await requireData(nodeFiles, folder);
  const { names, warnings } = await readNames(nodeFiles, folder);
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const toText = isJson ? toDocument : io.stdout.isTTY === true ? toParagraph : toLines;
  const show = (entry: Entry) => void io.stdout.write(toText(entry, names, session));

  let shown = 0;
  let last = 0;
  const told = (number: number) => {
    last = number;
  };
  for await (const entry of readEntries(nodeFiles, folder, look, names, told)) {
    if (stopped.signal.aborted) return;
    show(entry);
    shown += 1;
  }
  if (!goOn) {
    if (shown === 0) output.remark("No change matches, as far back as the journal goes.");
    return;
  }
  const select = toSelection(look, names);
  for await (const record of follow(folder, last, stopped.signal)) {
    const entry = select(record);
    if (entry !== undefined) show(entry);
  }
}

function toDocument(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** For programs that read lines: one for each record, with tabs between its cells. */
function toLines(entry: Entry): string {
  const head = [String(entry.number), toDate(entry.instant), whoWords(entry), operationWords(entry)];
  const rows = entry.changes.map((change) => [
    ...head,
    change.collection,
    plain(change.key),
    changeWords(change),
  ]);
  return rows.map((cells) => `${cells.join("\t")}\n`).join("");
}

/** For a person: a line for the change, and one below it for each record. */
function toParagraph(entry: Entry, names: Names, { output }: Session): string {
  const head = [
    output.style("bold", String(entry.number)),
    output.style("dim", toDate(entry.instant)),
    whoWords(entry),
    output.style("yellow", operationWords(entry)),
  ];
  const rows = entry.changes.map((change) => {
    const record = output.style("dim", `${change.collection} ${keyWords(change, names)}:`);
    return `    ${record} ${changeWords(change)}\n`;
  });
  return `${head.join("  ")}\n${rows.join("")}`;
}
