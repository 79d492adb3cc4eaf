/** Implements `audit`. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AuditEntry } from "../../src/audit/entry.ts";
import { needsNames, toRecordTest } from "../../src/audit/filter.ts";
import { follow } from "../../src/audit/follow.ts";
import { changeWords, keyWords, operationWords, sentenceOf, whoWords } from "../../src/audit/format.ts";
import type { PlayerNames } from "../../src/audit/names.ts";
import { type AuditQuery, readEntries, readNames, readNewest, toSelection } from "../../src/audit/read.ts";
import { escapeInvisible } from "../../src/domain/escape.ts";
import { model } from "../../src/domain/model.ts";
import { counted } from "../../src/domain/text.ts";
import { requirePublicId } from "../../src/operator/tokens.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readState } from "../../src/store/reading.ts";
import { requireOrder } from "../arguments/instant.ts";
import type { Context } from "../context.ts";
import { shortened } from "../terminal/layout.ts";
import { formatInstant, type Output, toJSON } from "../terminal/output.ts";
import { withProgress } from "./data/progress.ts";

export interface AuditOptions extends AuditQuery {
  /** Whether to keep showing new changes. */
  readonly follow?: boolean;
  /** Whether to count the changes instead. */
  readonly summary?: boolean;
  /** Whether to show every value of every record. */
  readonly values?: boolean;
}

/** The most records of a change on a terminal: an import can have changed all of them. */
const maxShown = 20;

/** Shows the selected changes. @param stopped ends the output early */
export async function showAudit(
  context: Context,
  { follow: goOn = false, values = false, summary = false, ...look }: AuditOptions,
  stopped: AbortSignal,
): Promise<void> {
  const { io, misuse, output, workspace } = context;
  requireOrder(look, misuse);
  const folder = await workspace().dataFolder();
  const requireToken = () => requirePublicToken(folder, look);
  if (summary) return (await import("./audit-summary.ts")).showSummary(context, look, requireToken);
  const isTerminal = io.stdout.isTTY === true;
  const toText = (() => {
    if (output.wantsJSON) return (entry: AuditEntry) => `${toJSON(entry)}\n`;
    if (values) return isTerminal ? toParagraphs(look) : toLines;
    return isTerminal ? toSentence : toCells;
  })();
  const { limit } = look;
  const newest =
    limit === undefined || needsNames(look)
      ? undefined
      : await readNewest(nodeFiles, folder, { ...look, limit });
  // Anybody may make the changes to come, so these need all names.
  const { names, warnings } =
    newest === undefined || goOn
      ? await withProgress(context, "Reading the journal", () => readNames(nodeFiles, folder))
      : newest;
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const show = (entry: AuditEntry) =>
    void io.stdout.write(output.fitted(toText(entry, names, context), io.stdout));

  let shown = 0;
  let last = newest?.last ?? 0;
  const onRead = (number: number) => {
    last = number;
  };
  for await (const entry of newest?.entries ?? readEntries(nodeFiles, folder, look, names, onRead)) {
    if (stopped.aborted) return;
    show(entry);
    shown += 1;
  }
  if (!goOn) {
    if (shown > 0) return;
    if (limit !== 0) await requireToken();
    output.remark(limit === 0 ? "--limit 0 shows none." : "No change in the journal matches.");
    return;
  }
  const select = toSelection(look, names);
  void reportService(folder, output, stopped);
  for await (const record of follow(folder, last, stopped)) {
    names.learn(record);
    const entry = select(record);
    if (entry !== undefined) show(entry);
  }
}

/**
 * Refuses what is not the id of a public token, where no change was found: whoever pastes a token that leaked must not read
 * that nothing was done with it. Tokens of long ago are in the journal only.
 * @throws Failure `UNKNOWN_ENTRY`, or `PARAMETER_INVALID` for the id of a player's token
 */
async function requirePublicToken(folder: string, { token }: AuditQuery): Promise<void> {
  if (token === undefined) return;
  const { database } = await readState(nodeFiles, folder, model);
  requirePublicId(database.view, token);
}

/** How often the service is looked for, in milliseconds. */
const serviceInterval = 2000;

/** Says whether a service makes changes, until the signal aborts: without one, silence would look like a quiet evening. */
async function reportService(folder: string, output: Output, signal: AbortSignal): Promise<void> {
  const { connectControl } = await import("../../src/control/client.ts");
  let wasRunning = true;
  while (!signal.aborted) {
    const isRunning = await connectControl(folder, signal).then(
      (control) => control !== undefined,
      () => wasRunning,
    );
    if (signal.aborted) return;
    if (wasRunning && !isRunning)
      output.remark(
        "No service runs on the data folder. Changes by commands, and after its start, are shown.",
      );
    if (!wasRunning && isRunning) output.remark("The service runs again.");
    wasRunning = isRunning;
    await sleep(serviceInterval, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** Returns a line for a change for programs, with tabs between cells. */
function toCells(entry: AuditEntry, names: PlayerNames): string {
  const head = [entry.number, formatInstant(entry.instant), whoWords(entry), operationWords(entry)];
  return `${[...head, sentenceOf(entry, names)].join("\t")}\n`;
}

/** Returns a line for a change that fits the terminal, with the local time, and the date if that is not today's. */
function toSentence(entry: AuditEntry, names: PlayerNames, { io, output }: Context): string {
  const [date, time] = localInstant(entry.instant);
  const [today] = localInstant(Date.now());
  const line = [
    `${entry.number}`,
    date === today ? time : `${date} ${time}`,
    whoWords(entry),
    sentenceOf(entry, names),
  ];
  const width = io.stdout.columns || Number.POSITIVE_INFINITY;
  const [number = "", ...rest] = shortened(line.join("  "), width).split("  ");
  return `${[output.style("bold", number), ...rest].join("  ")}\n`;
}

/** Returns the date and the time in the machine's zone. This locale writes them as ISO 8601 does. */
function localInstant(instant: number): readonly string[] {
  return new Date(instant).toLocaleString("sv-SE").split(" ");
}

/** Returns one line per record for programs, with tabs between cells. */
function toLines(entry: AuditEntry): string {
  const head = [String(entry.number), formatInstant(entry.instant), whoWords(entry), operationWords(entry)];
  const rows = entry.changes.map((change) => [
    ...head,
    change.collection,
    escapeInvisible(change.key),
    changeWords(change),
  ]);
  return rows.map((cells) => `${cells.join("\t")}\n`).join("");
}

/**
 * Returns a function that formats a change for a person: a line for the change, and one below it for each record. Of a
 * change to many records, it shows only those that the filters select, and at most {@link maxShown}.
 */
function toParagraphs(look: AuditQuery) {
  return (entry: AuditEntry, names: PlayerNames, { output }: Context): string => {
    const head = [
      output.style("bold", String(entry.number)),
      output.style("dim", formatInstant(entry.instant)),
      whoWords(entry),
      output.style("yellow", operationWords(entry)),
    ];
    const shown = shownOf(entry, look, names);
    const rows = shown.map((change) => {
      const record = output.style("dim", `${change.collection} ${keyWords(change, names)}:`);
      return `    ${record} ${changeWords(change)}\n`;
    });
    const left = entry.changes.length - shown.length;
    if (left > 0) rows.push(`    and ${counted(left, "more record")}; --json or a pipe shows all of them\n`);
    return `${head.join("  ")}\n${rows.join("")}`;
  };
}

function shownOf({ changes }: AuditEntry, look: AuditQuery, names: PlayerNames): AuditEntry["changes"] {
  if (changes.length <= maxShown) return changes;
  const asked = changes.filter(toRecordTest(look, names));
  // The player of the filter may have changed only records of others.
  return (asked.length === 0 ? changes : asked).slice(0, maxShown);
}
