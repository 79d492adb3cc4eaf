/**
 * Inspects the changes of a segment past damage: the readable ones in order, and the bytes between them that cannot be read.
 * A bulk change of several lines (`store/journal/record-lines.ts`) is one change, and is lost if one of its lines is: it
 * counts only with its last.
 */
import { recordFault } from "../backup/record.ts";
import type { JournalRecord } from "../store/change.ts";
import { addLine, closeRecord, hasMore, isFurtherLine, openRecord } from "../store/journal/record-lines.ts";
import type { ReadRecord } from "../store/journal/segment.ts";
import { legibleIn, type Report } from "./fault.ts";
import type { ScannedLine } from "./scan.ts";

export interface FoundChange extends ReadRecord {
  readonly is: "change";
}

/**
 * Lines that cannot be read. How many changes they were, only the number of the next one says: bytes that became others can
 * have been line feeds.
 */
export interface Gap {
  readonly is: "gap";
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
  /** What can be made out of the lines, the first 20; null where that is nothing. */
  readonly known: string | null;
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
export type SegmentItem = FoundChange | Gap | Tail;

/** A line and its document, undefined where it cannot be read. */
interface ParsedLine {
  readonly line: ScannedLine;
  readonly document: unknown;
}

/** The lines of one change. */
type Group = [ParsedLine, ...ParsedLine[]];

/** Groups the lines after the header into changes. Usage: {@link take} each line, then {@link end}. */
export class ChangeReader {
  readonly #report: Report;
  /** The lines before that cannot be read. */
  #gap: { offset: number; end: number; legible: Set<string> } | undefined;
  /** The current change, and whether the last readable one of its lines says that another one follows. */
  #group: Group | undefined;
  #isOpen = false;

  #items: SegmentItem[] = [];

  /** @param report is called with every fault, before the item in which it is */
  constructor(report: Report) {
    this.#report = report;
  }

  /** Takes the next line. One that cannot be read belongs to a bulk change that has begun. */
  take(line: ScannedLine): readonly SegmentItem[] {
    const document: unknown = line.readable ? JSON.parse(line.json) : undefined;
    const isBroken = this.#group?.some((parsed) => !parsed.line.readable) === true;
    const belongs = isFurtherLine(document) ? this.#isOpen || isBroken : this.#isOpen && !line.readable;
    if (this.#group !== undefined && belongs) this.#group.push({ line, document });
    else {
      if (this.#group !== undefined) this.#enter(this.#group);
      this.#group = [{ line, document }];
    }
    if (line.readable) this.#isOpen = hasMore(document);
    return this.#passOn();
  }

  /** Takes the end of the segment. */
  end(): readonly SegmentItem[] {
    const last = this.#group;
    const tail = last === undefined ? undefined : tailOf(last);
    if (last !== undefined && tail?.readable !== false) this.#enter(last);
    else if (last !== undefined) this.#reportLines(last);
    this.#endGap();
    if (tail !== undefined) this.#items.push(tail);
    return this.#passOn();
  }

  #passOn(): readonly SegmentItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  #enter(group: Group): void {
    this.#reportLines(group);
    const { offset } = group[0].line;
    const last = group.at(-1) ?? group[0];
    const isBroken = group.some(({ line }) => !line.readable);
    const record = isBroken ? undefined : toRecord(group);
    if (record === undefined) {
      if (!isBroken) this.#report(offset, "the line is not a record of the journal");
      this.#gap ??= { offset, end: 0, legible: new Set() };
      this.#gap.end = last.line.end;
      for (const { line } of group) {
        const legible = this.#gap.legible.size < 20 ? legibleIn(line.json) : null;
        if (legible !== null) this.#gap.legible.add(legible);
      }
      return;
    }
    this.#endGap();
    for (const { collection, key, after } of record.changes) {
      const fault = after === null ? undefined : recordFault(collection, after, key);
      if (fault !== undefined) this.#report(offset, `change ${record.sequence}: ${fault}`, "content");
    }
    this.#items.push({ is: "change", record, chain: last.line.chain ?? 0, offset });
  }

  #reportLines(group: Group): void {
    for (const { line } of group) {
      if (line.fault !== undefined && !line.incomplete) this.#report(line.offset, line.fault);
    }
  }

  #endGap(): void {
    if (this.#gap === undefined) return;
    const { offset, end, legible } = this.#gap;
    const known = legible.size === 0 ? null : [...legible].join("; ");
    this.#gap = undefined;
    this.#items.push({ is: "gap", offset, length: end - offset, known });
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
