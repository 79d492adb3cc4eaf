/** Inspects a segment, piece by piece: its readable changes, and every fault with its position. */
import { segmentFile } from "../store/folder/folder-names.ts";
import { lineFeed } from "../store/journal/lines.ts";
import { incompleteHeader, readSegmentHeader, type SegmentHeader } from "../store/journal/segment.ts";
import { type Fault, inspectHeader, type Report } from "./fault.ts";
import { LineScanner, type ScannedLine, scanLines } from "./scan.ts";
import { EntryReader, type SegmentEntry, type Tail } from "./segment-entries.ts";

/** A segment before its changes are read. */
export interface SegmentStart {
  readonly file: string;
  /** The number of its first change, from its name. */
  readonly first: number;
  /** The checksum to which its first change is chained; undefined where the header cannot be read. */
  readonly chain: number | undefined;
}

/** The result of an inspection. */
export interface InspectedSegment extends SegmentStart {
  /** In bytes. */
  readonly length: number;
  /** Whether it ends within its header: nothing is left of the changes that it may have had. */
  readonly headless: boolean;
  /** What a torn write left at its end. */
  readonly tail: Tail | undefined;
  /** All faults but the tail. */
  readonly faults: readonly Fault[];
}

/**
 * Inspects a segment.
 * @param next the number of the first change of the next segment; undefined for the newest one
 * @param chains what its first change may be chained to, in case its header cannot be read
 * @param onEntries is called with its changes in order, those of one piece at a time
 * @throws Failure where a newer version of the program wrote it
 */
export async function inspectSegment(
  pieces: AsyncIterable<Uint8Array>,
  { first, next }: { readonly first: number; readonly next: number | undefined },
  chains: readonly number[],
  onEntries: (entries: readonly SegmentEntry[], start: SegmentStart) => Promise<void> | void,
): Promise<InspectedSegment> {
  const inspection = new SegmentInspection(first, chains);
  for await (const piece of pieces) {
    const entries = inspection.take(piece);
    if (entries.length > 0) await onEntries(entries, inspection.start);
  }
  const { entries, segment } = inspection.end(next);
  if (entries.length > 0) await onEntries(entries, inspection.start);
  return segment;
}

class SegmentInspection {
  readonly #file: string;
  readonly #first: number;
  readonly #chains: readonly number[];
  readonly #faults: Fault[] = [];
  /** The faults of changes follow those of lines. */
  readonly #changeFaults: Fault[] = [];
  /** The first bytes, until they include the header. */
  #head = Buffer.alloc(0);
  #header: SegmentHeader | undefined;
  #scanner: LineScanner | undefined;
  #length = 0;
  #entries: SegmentEntry[] = [];
  readonly #reader: EntryReader;

  constructor(first: number, chains: readonly number[]) {
    this.#file = segmentFile(first);
    this.#first = first;
    this.#chains = chains;
    this.#reader = new EntryReader(first, this.#reportTo(this.#changeFaults), (entry) =>
      this.#entries.push(entry),
    );
  }

  get start(): SegmentStart {
    return { file: this.#file, first: this.#first, chain: this.#header?.chain };
  }

  /** Takes the next bytes. Returns the changes that are whole now. */
  take(piece: Uint8Array): SegmentEntry[] {
    this.#length += piece.length;
    if (this.#scanner !== undefined) this.#scanner.take(piece);
    else {
      this.#head = Buffer.concat([this.#head, piece]);
      const feed = this.#head.indexOf(lineFeed);
      if (feed !== -1) this.#begin(feed + 1);
    }
    return this.#entries.splice(0);
  }

  /** Takes the end. Returns the last changes, and the result. */
  end(next: number | undefined): { entries: SegmentEntry[]; segment: InspectedSegment } {
    if (this.#scanner === undefined) this.#begin(this.#head.length);
    const headless = this.#scanner === undefined;
    this.#scanner?.end();
    const tail = headless ? undefined : this.#reader.end(next);
    const faults = [...this.#faults, ...this.#changeFaults];
    const segment = { ...this.start, length: this.#length, headless, tail, faults };
    return { entries: this.#entries.splice(0), segment };
  }

  /** Reads the header, which is in the first `length` bytes, unless the file ends within it. */
  #begin(length: number): void {
    const report = this.#reportTo(this.#faults);
    const [line] = scanLines(this.#head.subarray(0, length), [0]);
    if (line === undefined || line.incomplete) {
      report(0, incompleteHeader(this.#length));
      return;
    }
    this.#header = inspectHeader(line, readSegmentHeader, report);
    if (this.#header !== undefined && this.#header.first !== this.#first) {
      report(0, `the header says that it begins with ${this.#header.first}`);
    }
    const take = (line: ScannedLine) => {
      if (line.fault !== undefined && !line.incomplete) report(line.offset, line.fault);
      this.#reader.take(line);
    };
    const chains = this.#header === undefined ? this.#chains : [this.#header.chain];
    this.#scanner = new LineScanner(chains, take, line.end);
    this.#scanner.take(this.#head.subarray(line.end));
    this.#head = Buffer.alloc(0);
  }

  #reportTo(faults: Fault[]): Report {
    return (offset, what, kind = "damage") => void faults.push({ file: this.#file, offset, what, kind });
  }
}
