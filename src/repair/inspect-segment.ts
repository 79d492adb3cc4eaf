/**
 * Inspects the changes of a segment past damage: the readable ones in order, and the bytes between them that cannot be read.
 * A bulk change of several lines (`store/journal/record-lines.ts`) is one change, and is lost if one of its lines is: it
 * counts only with its last.
 */
import { recordFault } from "../backup/record.ts";
import type { JournalRecord } from "../store/change.ts";
import { addLine, closeRecord, hasMore, isFurtherLine, openRecord } from "../store/journal/record-lines.ts";
import type { ReadRecord } from "../store/journal/segment.ts";
import type { Report } from "./fault.ts";
import type { ScannedLine } from "./scan.ts";

export interface FoundChange extends ReadRecord {
  readonly is: "change";
}

/** A change that cannot be read, or several: bytes that became others can have been line feeds. */
export interface Unreadable {
  readonly is: "unreadable";
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
  /** The texts of its lines. */
  readonly texts: readonly string[];
}

/** The bytes that a torn write left at the end of a segment. */
export interface Tail {
  readonly is: "tail";
  readonly offset: number;
  readonly length: number;
  /** Whether they are a whole change that lacks only its line feed. */
  readonly readable: boolean;
}

/** What a segment contains. The tail comes last. */
export type SegmentItem = FoundChange | Unreadable | Tail;

/** A line and its document, undefined where it cannot be read. */
interface ParsedLine {
  readonly line: ScannedLine;
  readonly document: unknown;
}

/** The lines of one change. */
type Group = [ParsedLine, ...ParsedLine[]];

/**
 * Groups the lines after the header into changes. A line that cannot be read belongs to a bulk change that has begun.
 * @param report is called with every fault, before the item in which it is
 */
export async function* inspectSegment(
  pieces: AsyncIterable<readonly ScannedLine[]>,
  report: Report,
): AsyncGenerator<SegmentItem> {
  let group: Group | undefined;
  /** Whether the last readable line says that another one of its change follows. */
  let isOpen = false;
  for await (const lines of pieces) {
    for (const line of lines) {
      const document: unknown = line.readable ? JSON.parse(line.json) : undefined;
      const isBroken = group?.some((parsed) => !parsed.line.readable) === true;
      const belongs = isFurtherLine(document) ? isOpen || isBroken : isOpen && !line.readable;
      if (group !== undefined && belongs) group.push({ line, document });
      else {
        if (group !== undefined) yield toItem(group, report);
        group = [{ line, document }];
      }
      if (line.readable) isOpen = hasMore(document);
    }
  }
  if (group === undefined) return;
  const tail = tailOf(group);
  if (tail?.readable === false) reportLines(group, report);
  else yield toItem(group, report);
  if (tail !== undefined) yield tail;
}

function toItem(group: Group, report: Report): FoundChange | Unreadable {
  reportLines(group, report);
  const { offset } = group[0].line;
  const last = group.at(-1) ?? group[0];
  const isBroken = group.some(({ line }) => !line.readable);
  const record = isBroken ? undefined : toRecord(group);
  if (record === undefined) {
    if (!isBroken) report(offset, "the line is not a record of the journal");
    const texts = group.map(({ line }) => line.json);
    return { is: "unreadable", offset, length: last.line.end - offset, texts };
  }
  for (const { collection, key, after } of record.changes) {
    const fault = after === null ? undefined : recordFault(collection, after, key);
    if (fault !== undefined) report(offset, `change ${record.sequence}: ${fault}`, "content");
  }
  return { is: "change", record, chain: last.line.chain ?? 0, offset };
}

function reportLines(group: Group, report: Report): void {
  for (const { line } of group) {
    if (line.fault !== undefined && !line.incomplete) report(line.offset, line.fault);
  }
}

/** Returns what a torn write left, if these are the last lines of a segment. */
function tailOf(group: Group): Tail | undefined {
  const [{ line: first }] = group;
  const { line, document } = group.at(-1) ?? group[0];
  const isUnfinished = group.every((parsed) => parsed.line.readable) && hasMore(document);
  if (!isUnfinished && !line.incomplete) return undefined;
  const readable = line.readable && !isUnfinished;
  return { is: "tail", offset: first.offset, length: line.end - first.offset, readable };
}

function toRecord([first, ...further]: Group): JournalRecord | undefined {
  const open = openRecord(first.document, first.line.offset);
  if (open === undefined || hasMore((further.at(-1) ?? first).document)) return undefined;
  return further.every(({ document }) => addLine(open, document)) ? closeRecord(open) : undefined;
}
