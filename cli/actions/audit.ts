/** What `audit` does. */
import { type Command, InvalidArgumentError } from "commander";
import type { Entry } from "../../src/audit/entry.ts";
import { needsNames, toRecordTest } from "../../src/audit/filter.ts";
import { follow } from "../../src/audit/follow.ts";
import { changeWords, changeWords, keyWords, keyWords, operationWords, operationWords, plain, whoWords, whoWords } from "../../src/audit/format.ts";
import type { Names } from "../../src/audit/names.ts";
import { type AuditQuery, 
  type Look,readEntries, 
  readEntries,readNames, 
  readNames,readNewest, 
  readNewest,
  requireData,toSelection, 
  toSelection,} from "../../src/audit/read.ts";
import { escapeInvisible } from "../../src/domain/text.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { listData } from "../../src/store/listing.ts";
import { readOption, toInstant } from "../arguments/instant.ts";
import { parseDuration } from "../commands/token.ts";
import type { Session } from "../context.ts";
import { toDate } from "../terminal/output.ts";

/** Which changes are looked for; its moments are read from the command. */
export interface AuditOptions extends Omit<AuditQuery, "since" | "until"> {
  /** Whether what comes is shown as well. */
  readonly follow?: boolean;
}

/** How many records of a change a person is shown: an import can have changed all that there are. */
const mostShown = 20;

const nothing = "No change matches, as far back as the journal goes.";

/** An instant in milliseconds: as it is written, or so long ago. @throws InvalidArgumentError where it is none */
function parseMoment(text: string): number {
  const [, ago] = /^(\d+[mhdw])(?: ago)?$/.exec(text) ?? [];
  if (ago !== undefined) return Date.now() - parseDuration(ago);
  const instant = toInstant(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError(
    "Expected is ISO 8601 with a zone, such as 2026-11-21T18:00:00Z, or milliseconds since 1970, or 2h or 3d ago.",
  );
}

/**
 * Shows the changes that are looked for.
 * @param command whose options have the moments as they were typed
 * @param stopped ends it, whatever is left to show
 */
export async function showAudit(
  session: Session,
  { follow: goOn = false, ...options }: AuditOptions,
  command: Command,
  stopped: AbortSignal,
): Promise<void> {
  const { io, output, workplace } = session;
  const since = readOption(command, "since", parseMoment);
  const until = readOption(command, "until", parseMoment);
  const look: AuditQuery = { ...options, since, until };
  const { folder } = workplace();
  await listData(nodeFiles, folder);
  const toText = output.wantsJSON ? toDocument : io.stdout.isTTY === true ? toParagraphs(look) : toLines;
  const { limit } = look;
  if (limit !== undefined && !goOn && !needsNames(look)) {
    const { entries, names, warnings } = await readNewest(nodeFiles, folder, { ...look, limit });
    if (stopped.aborted) return;
    for (const warning of warnings) output.remark(`warning: ${warning}`);
    for (const entry of entries) io.stdout.write(toText(entry, names, session));
    if (entries.length === 0) output.remark(nothing);
    return;
  }
  const { names, warnings } = await readNames(nodeFiles, folder);
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const show = (entry: Entry) => void io.stdout.write(toText(entry, names, session));

  let shown = 0;
  let last = 0;
  const told = (number: number) => {
    last = number;
  };
  for await (const entry of readEntries(nodeFiles, folder, look, names, told)) {
    if (stopped.aborted) return;
    show(entry);
    shown += 1;
  }
  if (!goOn) {
    if (shown === 0) output.remark(nothing);
    return;
  }
  const select = toSelection(look, names);
  for await (const record of follow(folder, last, stopped)) {
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
    escapeInvisible(change.key),
    changeWords(change),
  ]);
  return rows.map((cells) => `${cells.join("\t")}\n`).join("");
}

/**
 * For a person: a line for the change, and one below it for each record. Of a change to many records those that were
 * asked for are shown, and at most {@link mostShown}.
 */
function toParagraphs(look: AuditQuery) {
  return (entry: Entry, names: Names, { output }: Session): string => {
    const head = [
      output.style("bold", String(entry.number)),
      output.style("dim", toDate(entry.instant)),
      whoWords(entry),
      output.style("yellow", operationWords(entry)),
    ];
    const shown = shownOf(entry, look, names);
    const rows = shown.map((change) => {
      const record = output.style("dim", `${change.collection} ${keyWords(change, names)}:`);
      return `    ${record} ${changeWords(change)}\n`;
    });
    const left = entry.changes.length - shown.length;
    if (left > 0) {
      const records = left === 1 ? "1 more record" : `${left} more records`;
      rows.push(`    and ${records}; with --json, or in a pipe, all of them are shown\n`);
    }
    return `${head.join("  ")}\n${rows.join("")}`;
  };
}

function shownOf({ changes }: Entry, look: AuditQuery, names: Names): Entry["changes"] {
  if (changes.length <= mostShown) return changes;
  const asked = changes.filter(toRecordTest(look, names));
  // The player who was asked for may have made it, to the records of others.
  return (asked.length === 0 ? changes : asked).slice(0, mostShown);
}
