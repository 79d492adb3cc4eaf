/**
 * Inspects a segment past damage: its readable changes in order, the bytes between them that cannot be read, and every
 * fault with its position. A bulk change of several lines (`store/journal/record-lines.ts`) is one change, and is lost if
 * one of its lines is: it counts only with its last.
 */
import { join } from "node:path";
import { recordFault } from "../backup/record.ts";
import type { JournalRecord } from "../store/change.ts";
import { type Files, piecesOf } from "../store/folder/files.ts";
import { segmentFile } from "../store/folder/folder-names.ts";
import { readHead } from "../store/journal/decoding.ts";
import { addLine, closeRecord, hasMore, isFurtherLine, openRecord } from "../store/journal/record-lines.ts";
import { incompleteHeader, readSegmentHeader } from "../store/journal/segment.ts";
import { type Fault, inspectHeader, legibleIn, type Report } from "./fault.ts";
import { LineScanner, type ScannedLine, scanLines } from "./scan.ts";

/** The beginning of a segment. */
export interface SegmentStart {
  readonly is: "start";
  /** The number of its first change. */
  readonly first: number;
  /** The checksum to which its first change is chained; undefined where the header cannot be read. */
  readonly chain: number | undefined;
}

/** A segment that ends within its header: nothing is left of the changes that it may have had. */
export interface Headless {
  readonly is: "headless";
  /** In bytes. */
  readonly length: number;
}

/** A change. Of a bulk change: the checksum of its last line, and the offset of its first. */
export interface FoundChange {
  readonly is: "change";
  readonly record: JournalRecord;
  readonly chain: number;
  readonly offset: number;
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

/** What a segment contains. The start or its lack comes first, the tail last. */
export type SegmentItem =
  | SegmentStart
  | Headless
  | FoundChange
  | Gap
  | Tail
  | { readonly is: "fault"; readonly fault: Fault };

/**
 * Yields what a segment contains in order, the items of one piece of the file at a time.
 * @param first the number of its first change, from its name
 * @param chains what that change may be chained to, in case the header cannot be read
 * @throws Failure where a newer version of the program wrote it
 */
export async function* inspectSegment(
  files: Files,
  folder: string,
  first: number,
  chains: readonly number[],
): AsyncGenerator<readonly SegmentItem[]> {
  const file = segmentFile(first);
  const path = join(folder, file);
  const items: SegmentItem[] = [];
  const report: Report = (offset, what, kind = "damage") =>
    void items.push({ is: "fault", fault: { file, offset, what, kind } });
  const head = await readHead(files, path);
  const [line] = scanLines(head, [0]);
  if (line === undefined || line.incomplete) {
    report(0, incompleteHeader(head.length));
    yield [...items, { is: "headless", length: head.length }];
    return;
  }
  const header = inspectHeader(line, readSegmentHeader, report);
  if (header !== undefined && header.first !== first) {
    report(0, `the header says that it begins with ${header.first}`);
  }
  items.push({ is: "start", first: header?.first ?? first, chain: header?.chain });
  const reader = new ChangeReader((item) => items.push(item), report);
  const take = (next: ScannedLine) => reader.take(next);
  const scanner = new LineScanner(header === undefined ? chains : [header.chain], take, line.end);
  for await (const piece of piecesOf(files, path, line.end)) {
    scanner.take(piece);
    yield items.splice(0);
  }
  scanner.end();
  reader.end();
  yield items;
}

/** A line and its document, undefined where it cannot be read. */
interface ParsedLine {
  readonly line: ScannedLine;
  readonly document: unknown;
}

/** The lines of one change. */
type Group = [ParsedLine, ...ParsedLine[]];

/** Groups lines into changes. */
class ChangeReader {
  readonly #emit: (item: SegmentItem) => void;
  readonly #report: Report;
  /** The lines before that cannot be read. */
  #gap: { offset: number; end: number; legible: Set<string> } | undefined;
  /** The current change, and whether the last readable one of its lines says that another one follows. */
  #group: Group | undefined;
  #isOpen = false;

  constructor(emit: (item: SegmentItem) => void, report: Report) {
    this.#emit = emit;
    this.#report = report;
  }

  /** Takes the next line. One that cannot be read belongs to a bulk change that has begun. */
  take(line: ScannedLine): void {
    const document: unknown = line.readable ? JSON.parse(line.json) : undefined;
    const isBroken = this.#group?.some((parsed) => !parsed.line.readable) === true;
    const belongs = isFurtherLine(document) ? this.#isOpen || isBroken : this.#isOpen && !line.readable;
    if (this.#group !== undefined && belongs) this.#group.push({ line, document });
    else {
      if (this.#group !== undefined) this.#enter(this.#group);
      this.#group = [{ line, document }];
    }
    if (line.readable) this.#isOpen = hasMore(document);
  }

  /** Takes the end of the segment. */
  end(): void {
    const last = this.#group;
    const tail = last === undefined ? undefined : tailOf(last);
    if (last !== undefined && tail?.readable !== false) this.#enter(last);
    else if (last !== undefined) this.#reportLines(last);
    this.#endGap();
    if (tail !== undefined) this.#emit(tail);
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
    this.#emit({ is: "change", record, chain: last.line.chain ?? 0, offset });
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
    this.#emit({ is: "gap", offset, length: end - offset, known });
    this.#gap = undefined;
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
