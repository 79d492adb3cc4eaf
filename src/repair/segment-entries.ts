/**
 * The changes in the scanned lines of a segment (`store/journal/record-lines.ts`). A bulk change of several lines is one
 * entry, and is lost if one of its lines is: it counts only with its last.
 */
import { recordFault } from "../backup/record.ts";
import type { JournalRecord } from "../store/change.ts";
import { addLine, closeRecord, hasMore, isFurtherLine, openRecord } from "../store/journal/record-lines.ts";
import type { Report } from "./fault.ts";
import type { ScannedLine } from "./scan.ts";

/** A change of a segment, or one with a line that cannot be read. `offset` is that of its first line. */
export type SegmentEntry =
  | { readonly record: JournalRecord; readonly chain: number; readonly offset: number }
  | { readonly record: undefined; readonly line: ScannedLine; readonly offset: number };

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
  /** Whether the change before cannot be read. */
  #hasGap = false;
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

  /** Takes the end of the segment. Returns what a torn write left there. */
  end(): Tail | undefined {
    this.#close();
    const last = this.#last;
    const tail = last === undefined ? undefined : tailOf(last);
    if (last !== undefined && (tail === undefined || tail.readable)) this.#enter(last);
    return tail;
  }

  #close(): void {
    if (this.#last !== undefined) this.#enter(this.#last);
    this.#last = this.#group;
  }

  #enter(group: Group): void {
    const [{ line: first }] = group;
    const { offset } = first;
    const broken = group.find(({ line }) => !line.readable)?.line;
    const record = broken === undefined ? toRecord(group) : undefined;
    if (record === undefined) {
      if (broken === undefined) this.#report(offset, "the line is not a record of the journal");
      this.#hasGap = true;
      this.#onEntry({ record, line: broken ?? first, offset });
      return;
    }
    const expected = this.#expected;
    if (record.sequence !== expected && !(this.#hasGap && record.sequence >= expected)) {
      this.#report(offset, `expected change ${expected}, got ${record.sequence}`);
    }
    for (const { collection, key, after } of record.changes) {
      const fault = after === null ? undefined : recordFault(collection, after, key);
      if (fault !== undefined) this.#report(offset, `change ${record.sequence}: ${fault}`, "content");
    }
    this.#expected = record.sequence + 1;
    this.#hasGap = false;
    const { chain = 0 } = (group.at(-1) ?? group[0]).line;
    this.#onEntry({ record, chain, offset });
  }
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
