/**
 * Snapshots and segments taken apart as far as they can be read, while their bytes come: what they hold, and every fault
 * with its place.
 */
import * as v from "valibot";
import { recordFault } from "../backup/record.ts";
import {
  incompleteHeader,
  type JournalRecord,
  journalFormat,
  journalVersion,
  segmentFile,
} from "../store/journal/segment.ts";
import { BrokenLine, lineFeed, readHeader } from "../store/journal/lines.ts";
import { snapshotFile, snapshotFormat, snapshotVersion } from "../store/snapshot.ts";
import { EntryReader } from "./changes.ts";
import { LineScanner, type ScannedLine, scanLines } from "./scan.ts";

/**
 * Something that is not as it should be. `damage` is what can not be read or does not hang together; `content` is
 * what was written whole and says something that can not be.
 */
export interface Fault {
  readonly file: string;
  /** In bytes. */
  readonly offset: number;
  readonly what: string;
  readonly kind: "damage" | "content";
}

/** A record of a snapshot, and where it stands. */
export interface PlacedRecord {
  readonly collection: string;
  readonly record: unknown;
  readonly offset: number;
  /** Whether the model has such records. */
  readonly isSound: boolean;
}

export interface InspectedSnapshot {
  readonly file: string;
  /** The number of the last change that it contains, by its name. */
  readonly sequence: number;
  /** The checksum of that change; undefined where the header can not be read. */
  readonly chain: number | undefined;
  /** When it was begun. */
  readonly instant: number | undefined;
  /** How many records can be read. */
  readonly count: number;
  /** The lines that can not be read. */
  readonly unreadable: readonly ScannedLine[];
  /** Whether all records are there. */
  readonly complete: boolean;
  readonly faults: readonly Fault[];
}

/** A change of a segment, or one of which a line can not be read. `offset` is where the change begins. */
export type SegmentEntry =
  | { readonly record: JournalRecord; readonly chain: number; readonly offset: number }
  | { readonly record: undefined; readonly line: ScannedLine; readonly offset: number };

export interface InspectedSegment {
  readonly file: string;
  /** The number of its first change, by its name. */
  readonly first: number;
  /** What its first change is chained to; undefined where the header can not be read. */
  readonly chain: number | undefined;
  /** When it was begun. */
  readonly instant: number | undefined;
  /** In bytes. */
  readonly length: number;
  /** Whether it ends within its header: nothing is left of the changes that it may have had. */
  readonly headless: boolean;
  /** The bytes at its end that a write which was cut off has left; 0 where there are none. */
  readonly tail: { readonly offset: number; readonly length: number; readonly readable: boolean } | undefined;
  /** Without what `tail` says. */
  readonly faults: readonly Fault[];
}

const headerBasis = { chain: v.number(), instant: v.number(), version: v.number() };
const snapshotHeader = v.object({
  format: v.literal(snapshotFormat),
  ...headerBasis,
  sequence: v.pipe(v.number(), v.safeInteger()),
});
const segmentHeader = v.object({
  format: v.literal(journalFormat),
  ...headerBasis,
  first: v.pipe(v.number(), v.safeInteger()),
});

const snapshotRecord = v.object({ collection: v.string(), record: v.unknown() });
const snapshotEnd = v.object({ end: v.number() });

/** What is known of a segment before its changes are. */
export type SegmentHead = Pick<InspectedSegment, "file" | "first" | "chain">;

/**
 * Takes a snapshot apart.
 * @param number what its name says
 * @param told is given each record that can be read
 * @throws Failure where a newer version of the program wrote it
 */
export async function inspectSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  number: number,
  told: (record: PlacedRecord) => void,
): Promise<InspectedSnapshot> {
  const reader = new SnapshotInspection(number, told);
  const scanner = new LineScanner([0], (line) => reader.take(line));
  let length = 0;
  for await (const piece of pieces) {
    scanner.take(piece);
    length += piece.length;
  }
  scanner.end();
  return reader.end(length);
}

class SnapshotInspection {
  readonly #number: number;
  readonly #told: (record: PlacedRecord) => void;
  readonly #faults: Fault[] = [];
  readonly #unreadable: ScannedLine[] = [];
  #header: v.InferOutput<typeof snapshotHeader> | undefined;
  #hasBegun = false;
  #count = 0;
  #hasEnded = false;
  /** Whether there are as many records as the last line says. */
  #isCounted = true;

  constructor(number: number, told: (record: PlacedRecord) => void) {
    this.#number = number;
    this.#told = told;
  }

  take(line: ScannedLine): void {
    if (this.#hasBegun) this.#read(line);
    else this.#begin(line);
  }

  end(length: number): InspectedSnapshot {
    if (!this.#hasBegun) this.#begin(undefined);
    if (!this.#hasEnded && this.#unreadable.length === 0) this.#fault(length, "the last line is missing");
    const isWhole = this.#hasEnded && this.#isCounted && this.#unreadable.length === 0;
    return {
      file: snapshotFile(this.#number),
      sequence: this.#number,
      chain: this.#header?.chain,
      instant: this.#header?.instant,
      count: this.#count,
      unreadable: this.#unreadable,
      complete: isWhole && (this.#header === undefined || this.#header.sequence === this.#number),
      faults: this.#faults,
    };
  }

  #begin(line: ScannedLine | undefined): void {
    this.#hasBegun = true;
    const fault = (offset: number, what: string) => this.#fault(offset, what);
    this.#header = headerOf(line, snapshotHeader, snapshotFormat, snapshotVersion, fault);
    if (this.#header !== undefined && this.#header.sequence !== this.#number) {
      this.#fault(0, `the header says that it contains the changes up to ${this.#header.sequence}`);
    }
  }

  #read(line: ScannedLine): void {
    if (line.fault !== undefined) this.#fault(line.offset, line.fault);
    if (!line.readable) {
      this.#unreadable.push(line);
      return;
    }
    if (this.#hasEnded) this.#fault(line.offset, "a line stands behind the last one");
    const document: unknown = JSON.parse(line.json);
    const end = v.safeParse(snapshotEnd, document);
    const record = v.safeParse(snapshotRecord, document);
    if (end.success) {
      this.#hasEnded = true;
      this.#isCounted = end.output.end === this.#count;
      if (!this.#isCounted && this.#unreadable.length === 0) {
        this.#fault(line.offset, `${end.output.end} records were written, ${this.#count} are there`);
      }
    } else if (record.success) {
      this.#count += 1;
      const wrong = recordFault(record.output.collection, record.output.record);
      if (wrong !== undefined) this.#fault(line.offset, wrong, "content");
      const { collection, record: value } = record.output;
      this.#told({ collection, record: value, offset: line.offset, isSound: wrong === undefined });
    } else {
      this.#fault(line.offset, "the line is neither a record nor the last line", "content");
    }
  }

  #fault(offset: number, what: string, kind: Fault["kind"] = "damage"): void {
    this.#faults.push({ file: snapshotFile(this.#number), offset, what, kind });
  }
}

/**
 * Takes a segment apart.
 * @param linked what its first change may be chained to, for the case that its header can not be read
 * @param told is given its changes in order, as many at once as a piece has
 * @throws Failure where a newer version of the program wrote it
 */
export async function inspectSegment(
  pieces: AsyncIterable<Uint8Array>,
  first: number,
  linked: readonly number[],
  told: (entries: readonly SegmentEntry[], head: SegmentHead) => Promise<void> | void,
): Promise<InspectedSegment> {
  const reader = new SegmentInspection(first, linked);
  for await (const piece of pieces) {
    const entries = reader.take(piece);
    if (entries.length > 0) await told(entries, reader.head);
  }
  const { entries, segment } = reader.end();
  if (entries.length > 0) await told(entries, reader.head);
  return segment;
}

class SegmentInspection {
  readonly #file: string;
  readonly #first: number;
  readonly #linked: readonly number[];
  readonly #faults: Fault[] = [];
  /** Those of changes; they are told of behind those of lines. */
  readonly #changeFaults: Fault[] = [];
  /** The bytes of the header, until they are all there. */
  #head = Buffer.alloc(0);
  #header: v.InferOutput<typeof segmentHeader> | undefined;
  #scanner: LineScanner | undefined;
  #length = 0;
  #entries: SegmentEntry[] = [];
  readonly #reader: EntryReader;

  constructor(first: number, linked: readonly number[]) {
    this.#file = segmentFile(first);
    this.#first = first;
    this.#linked = linked;
    this.#reader = new EntryReader(
      first,
      (offset, what, kind = "damage") => this.#changeFaults.push({ file: this.#file, offset, what, kind }),
      (entry) => this.#entries.push(entry),
    );
  }

  get head(): SegmentHead {
    return { file: this.#file, first: this.#first, chain: this.#header?.chain };
  }

  /** Takes the next bytes. Gives the changes that are whole with them. */
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

  /** Takes the end. Gives the last changes, and what there is to say of the whole segment. */
  end(): { entries: SegmentEntry[]; segment: InspectedSegment } {
    if (this.#scanner === undefined) this.#begin(this.#head.length);
    const headless = this.#scanner === undefined;
    this.#scanner?.end();
    const tail = headless ? undefined : this.#reader.end();
    const faults = [...this.#faults, ...this.#changeFaults];
    const { instant } = this.#header ?? {};
    const segment = { ...this.head, instant, length: this.#length, headless, tail, faults };
    return { entries: this.#entries.splice(0), segment };
  }

  /** Reads the header, which is in the first bytes; nothing is begun where the file ends within it. */
  #begin(length: number): void {
    const fault = (offset: number, what: string) =>
      void this.#faults.push({ file: this.#file, offset, what, kind: "damage" });
    const [head] = scanLines(this.#head.subarray(0, length), [0]);
    if (head === undefined || (head.incomplete && head.end === this.#length)) {
      fault(0, incompleteHeader(this.#length));
      return;
    }
    this.#header = headerOf(head, segmentHeader, journalFormat, journalVersion, fault);
    if (this.#header !== undefined && this.#header.first !== this.#first) {
      fault(0, `the header says that it begins with ${this.#header.first}`);
    }
    const take = (line: ScannedLine) => {
      if (line.fault !== undefined && !line.incomplete) fault(line.offset, line.fault);
      this.#reader.take(line);
    };
    const chains = this.#header === undefined ? this.#linked : [this.#header.chain];
    this.#scanner = new LineScanner(chains, take, head.end);
    this.#scanner.take(this.#head.subarray(head.end));
    this.#head = Buffer.alloc(0);
  }
}

function headerOf<T>(
  line: ScannedLine | undefined,
  schema: v.GenericSchema<T>,
  format: string,
  version: number,
  fault: (offset: number, what: string) => void,
): T | undefined {
  if (line?.fault !== undefined) fault(0, `the header: ${line.fault}`);
  if (line === undefined) fault(0, "the file is empty");
  if (line?.readable !== true) return undefined;
  try {
    return readHeader(line.json, schema, format, version);
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    fault(0, error.message);
    return undefined;
  }
}
