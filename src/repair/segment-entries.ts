/**
 * The changes in the scanned lines of a segment (`store/journal/record-lines.ts`). A bulk change of several lines is one
 * entry, and is lost if one of its lines is: it counts only with its last.
 */
import { recordFault } from "../backup/record.ts";
import type { JournalRecord } from "../store/change.ts";
import { addLine, closeRecord, hasMore, isFurtherLine, openRecord } from "../store/journal/record-lines.ts";
import { legibleIn, type Report, range } from "./fault.ts";
import type { ScannedLine } from "./scan.ts";

/** A change of a segment, or a gap. `offset` is that of its first line. */
export type SegmentEntry =
  | { readonly record: JournalRecord; readonly chain: number; readonly offset: number }
  | Gap;

/**
 * Changes that are lost between two that can be read. How many they were, only the number of the next one says: bytes
 * that became others can have been line feeds.
 */
export interface Gap {
  readonly record: undefined;
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
  /** The number of the first lost change. */
  readonly from: number;
  /** That of the last one; undefined at the end of the journal, where no change follows. */
  readonly to: number | undefined;
  /** What can be made out of the lines, the first 20. */
  readonly legible: readonly string[];
}

/** The bytes that a torn write left at the end of a segment. */
export interface Tail {
  readonly offset: number;
  readonly length: number;
  /** Whether they are a whole change that lacks only its line feed. */
  readonly readable: boolean;
}

/** A line and its document, undefined where it cannot be read. */
interface ParsedLine {
  readonly line: ScannedLine;
  readonly document: unknown;
}

/** The lines of one change. */
type Group = [ParsedLine, ...ParsedLine[]];

/** Groups lines into changes, piece by piece. */
export class EntryReader {
  readonly #report: Report;
  readonly #onEntry: (entry: SegmentEntry) => void;
  #expected: number;
  /** The lines before that cannot be read. */
  #gap: { offset: number; end: number; legible: Set<string> } | undefined;
  /** The current change, and whether the last readable one of its lines says that another one follows. */
  #group: Group | undefined;
  #isOpen = false;
  /** The change before the current one: only at the end it is known which change is the last. */
  #last: Group | undefined;

  /**
   * @param first the expected number of the first change
   * @param report is called with every fault, except those of the lines and the tail
   */
  constructor(first: number, report: Report, onEntry: (entry: SegmentEntry) => void) {
    this.#expected = first;
    this.#report = report;
    this.#onEntry = onEntry;
  }

  /** Takes the next line. One that cannot be read belongs to a bulk change that has begun. */
  take(line: ScannedLine): void {
    const document: unknown = line.readable ? JSON.parse(line.json) : undefined;
    const isBroken = this.#group?.some((each) => !each.line.readable) === true;
    const belongs = isFurtherLine(document) ? this.#isOpen || isBroken : this.#isOpen && !line.readable;
    if (this.#group !== undefined && belongs) this.#group.push({ line, document });
    else {
      this.#close();
      this.#group = [{ line, document }];
    }
    if (line.readable) this.#isOpen = hasMore(document);
  }

  /**
   * Takes the end of the segment. Returns what a torn write left there.
   * @param next the number of the first change of the next segment
   */
  end(next: number | undefined): Tail | undefined {
    this.#close();
    const last = this.#last;
    const tail = last === undefined ? undefined : tailOf(last);
    if (last !== undefined && (tail === undefined || tail.readable)) this.#enter(last);
    // A segment without changes may be left of an attempt that failed, after which the journal went on in this one.
    this.#endGap(next !== undefined && next > this.#expected ? next - 1 : undefined);
    return tail;
  }

  #close(): void {
    if (this.#last !== undefined) this.#enter(this.#last);
    this.#last = this.#group;
  }

  #enter(group: Group): void {
    const [{ line: first }] = group;
    const { offset } = first;
    const isBroken = group.some(({ line }) => !line.readable);
    const record = isBroken ? undefined : toRecord(group);
    const last = group.at(-1) ?? group[0];
    if (record === undefined) {
      if (!isBroken) this.#report(offset, "the line is not a record of the journal");
      this.#gap ??= { offset, end: 0, legible: new Set() };
      this.#gap.end = last.line.end;
      for (const { line } of group) {
        const legible = this.#gap.legible.size < 20 ? legibleIn(line) : null;
        if (legible !== null) this.#gap.legible.add(legible);
      }
      return;
    }
    const expected = this.#expected;
    if (record.sequence !== expected && !(this.#gap !== undefined && record.sequence >= expected)) {
      this.#report(offset, `expected change ${expected}, got ${record.sequence}`);
    }
    this.#endGap(record.sequence - 1);
    for (const { collection, key, after } of record.changes) {
      const fault = after === null ? undefined : recordFault(collection, after, key);
      if (fault !== undefined) this.#report(offset, `change ${record.sequence}: ${fault}`, "content");
    }
    this.#expected = record.sequence + 1;
    const { chain = 0 } = last.line;
    this.#onEntry({ record, chain, offset });
  }

  /** @param to the number of the last change in the gap, undefined at the end of the segment */
  #endGap(to: number | undefined): void {
    const gap = this.#gap;
    const from = this.#expected;
    this.#gap = undefined;
    // Where no number is missing, the lines were no changes.
    if (gap === undefined || (to !== undefined && to < from)) return;
    const { offset, end, legible } = gap;
    const known = legible.size === 0 ? "" : ` (legible: ${[...legible].join("; ")})`;
    this.#report(offset, `${lostChanges(from, to)} here${known}`);
    this.#onEntry({ record: undefined, offset, length: end - offset, from, to, legible: [...legible] });
  }
}

/** Says which changes are lost. @param to the last one, undefined where that is unknown */
export function lostChanges(from: number, to: number | undefined): string {
  if (to === undefined) return `change ${from} and all after it are lost`;
  return `${range(from, to)} ${from === to ? "is" : "are"} lost`;
}

/** Returns what a torn write left, if these are the last lines of a segment. */
function tailOf(group: Group): Tail | undefined {
  const [{ line: first }] = group;
  const { line, document } = group.at(-1) ?? group[0];
  const isUnfinished = group.every((each) => each.line.readable) && hasMore(document);
  if (!isUnfinished && !line.incomplete) return undefined;
  return { offset: first.offset, length: line.end - first.offset, readable: line.readable && !isUnfinished };
}

function toRecord([first, ...further]: Group): JournalRecord | undefined {
  const open = openRecord(first.document, first.line.offset);
  if (open === undefined || hasMore((further.at(-1) ?? first).document)) return undefined;
  return further.every(({ document }) => addLine(open, document)) ? closeRecord(open) : undefined;
}
