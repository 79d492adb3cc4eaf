/**
 * The journal: every change since the oldest snapshot that is kept, in segments `journal-<first sequence>.log`.
 * The form of a line is in `lines.ts`. The first line of a segment is its header, chained to nothing:
 *
 *     <crc> {"format":"gameaddon-journal","version":3,"first":7,"chain":1600003738,"instant":1790000000000}
 *
 * `first` is the sequence number of its first record, `chain` the checksum of the record before that one, to which
 * the first record is chained. Each further line is one change:
 *
 *     <crc> {"sequence":7,"instant":1790000000000,"who":"operator","operation":"player.add",
 *            "request":null,"table":null,"undoes":null,
 *            "changes":[{"collection":"players","key":"…","before":null,"after":{…}}]}
 *
 * A bulk change, such as a restore, takes several lines of about 1 MiB at most. All have its number; each but the
 * last says that more follows, and only the first says who made it. They count with the last one: without it, none of
 * the change has happened.
 *
 *     <crc> {"sequence":8,"instant":…,"who":"operator","operation":"data.restore", …,"changes":[…],"more":true}
 *     <crc> {"sequence":8,"changes":[…],"more":true}
 *     <crc> {"sequence":8,"changes":[…]}
 *
 * `request` is the id of the HTTP request, `table` the revision of the route table that let it in, `undoes` the
 * number of the change that this one takes back. Version 1 had none of the three; version 2 had no bulk changes. Where
 * `who` is `public`, a field `token` behind it has the id of the token; older records lack it. A record says what became of each
 * record that it touched, so replaying is setting values, and replaying twice is harmless. `who` is a player's UUID,
 * `public`, `operator` or `system`. This makes the journal the audit log as well. `appending.ts` appends to it.
 */
import * as v from "valibot";
import type { RecordChange } from "../draft.ts";
import { LineDecoder } from "./decoding.ts";
import { BrokenLine, encodeLine, readHeader } from "./lines.ts";

export const journalFormat = "gameaddon-journal";
export const journalVersion = 3;

const headerSchema = v.object({
  format: v.literal(journalFormat),
  version: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(journalVersion)),
  first: v.pipe(v.number(), v.safeInteger()),
  chain: v.number(),
  instant: v.number(),
});

/** One change, as the journal has it. */
export interface JournalRecord {
  readonly sequence: number;
  readonly instant: number;
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  /** The id of the public token that the caller presented; undefined for others, and in older records. */
  readonly token?: string;
  readonly operation: string;
  /** The id of the HTTP request, or null. */
  readonly request: string | null;
  /** The revision of the route table that let it in, or null. */
  readonly table: string | null;
  /** The number of the change that this one takes back, or null. */
  readonly undoes: number | null;
  readonly changes: readonly RecordChange[];
}

/** A record and where it stands. Of a bulk change: the checksum of its last line, and where its first one begins. */
export interface ReadRecord {
  readonly record: JournalRecord;
  readonly chain: number;
  readonly offset: number;
}

/** A bulk change whose last line has not been read yet. */
interface OpenRun {
  /** What its first line says. */
  readonly record: JournalRecord;
  /** The changes of each line. */
  readonly lines: (readonly RecordChange[])[];
  readonly offset: number;
}

const segmentName = /^journal-(\d{12})\.log$/;

/** The file name of the segment that begins with a sequence number. */
export function segmentFile(first: number): string {
  return `journal-${String(first).padStart(12, "0")}.log`;
}

/** The first sequence numbers of the segments in a listing of a folder, ascending. */
export function segmentsIn(names: readonly string[]): number[] {
  return names
    .flatMap((name) => segmentName.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/**
 * The header of a segment, as its first line.
 * @param chain the checksum of the record before the first one
 * @param instant when it was begun
 */
export function headerLine(first: number, chain: number, instant: number): Buffer {
  const header = { format: journalFormat, version: journalVersion, first, chain, instant };
  return Buffer.from(encodeLine(JSON.stringify(header), 0).line);
}

/** What is wrong with a segment that has `length` bytes, but not a whole header. */
export function incompleteHeader(length: number): string {
  return `the header is incomplete: the file has ${length} bytes, and changes may be missing`;
}

/** What a segment's header says. */
export type SegmentHeader = v.InferOutput<typeof headerSchema>;

/** What a segment holds. */
export interface Segment {
  readonly version: number;
  readonly first: number;
  readonly chain: number;
  readonly records: readonly ReadRecord[];
  /** The offset behind the last whole change. */
  readonly end: number;
  /** Whether the last whole change lacks only its line feed. */
  readonly unterminated: boolean;
  /**
   * How many bytes stand behind {@link end}: an incomplete line, or a bulk change without its last line, where a write
   * was cut off.
   */
  readonly torn: number;
}

/** A segment without its records, which were told of one by one. */
export type ReadSegment = Omit<Segment, "records">;

/** Takes a segment's bytes apart. @throws BrokenLine where they are not what was written */
export function readSegment(bytes: Buffer): Segment {
  const records: ReadRecord[] = [];
  const reader = new SegmentReader((read) => records.push(read));
  reader.take(bytes);
  return { ...reader.finish(), records };
}

/** Takes a segment apart while its bytes come, and tells of its records in order. */
export class SegmentReader {
  readonly #decoder = new LineDecoder({
    header: (json) => this.#begin(json),
    line: (document, chain, offset) => this.#read(document, chain, offset),
  });
  readonly #told: (read: ReadRecord, header: SegmentHeader) => void;
  #header: SegmentHeader | undefined;
  /** The number that is expected next. */
  #sequence = 0;
  #run: OpenRun | undefined;

  constructor(told: (read: ReadRecord, header: SegmentHeader) => void) {
    this.#told = told;
  }

  /** What the header says, once it has come. */
  get header(): SegmentHeader | undefined {
    return this.#header;
  }

  /** How many bytes were taken. */
  get length(): number {
    return this.#decoder.taken;
  }

  /** Takes the next bytes. @throws BrokenLine where they are not what was written */
  take(piece: Uint8Array): void {
    this.#decoder.take(piece);
  }

  /**
   * Takes the end of the segment.
   * @throws BrokenLine as {@link take}; also where the header is incomplete: a segment appears with its header whole
   */
  finish(): ReadSegment {
    this.#decoder.flush();
    if (this.#header === undefined) throw new BrokenLine(incompleteHeader(this.length), 0);
    const { version, first, chain } = this.#header;
    try {
      this.#decoder.end();
    } catch (error) {
      if (!(error instanceof BrokenLine && error.incomplete)) throw error;
    }
    const end = this.#run?.offset ?? this.#decoder.offset;
    const unterminated = this.#run === undefined && this.#decoder.unterminated;
    return { version, first, chain, end, unterminated, torn: this.#decoder.taken - end };
  }

  #begin(json: string): number {
    this.#header = readHeader(json, headerSchema, journalFormat, journalVersion);
    this.#sequence = this.#header.first;
    return this.#header.chain;
  }

  #read(document: unknown, chain: number, offset: number): void {
    const run = this.#run ?? begin(document, offset);
    if (run === undefined) throw new BrokenLine("the line is not a record of the journal", offset);
    const { sequence } = run.record;
    if (sequence !== this.#sequence) {
      throw new BrokenLine(`number ${this.#sequence} was expected, ${sequence} came`, offset);
    }
    if (run === this.#run && !addLine(run, document)) {
      throw new BrokenLine(`change ${sequence} lacks its last line`, offset);
    }
    this.#run = hasMore(document) ? run : undefined;
    if (this.#run !== undefined) return;
    this.#sequence += 1;
    const record = run.lines.length === 1 ? run.record : { ...run.record, changes: run.lines.flat() };
    this.#told({ record, chain, offset: run.offset }, this.#header as SegmentHeader);
  }
}

/** The change that a line begins; undefined where it is not the first line of one. */
function begin(document: unknown, offset: number): OpenRun | undefined {
  const record = toRecord(document);
  return record === undefined ? undefined : { record, lines: [record.changes], offset };
}

/** Adds what a further line of a bulk change says. Gives whether it is one. */
function addLine({ record, lines }: OpenRun, document: unknown): boolean {
  if (!isObject(document) || "who" in document || document.sequence !== record.sequence) return false;
  const { changes } = document;
  if (!Array.isArray(changes) || !changes.every(isChange)) return false;
  lines.push(changes);
  return true;
}

/** Whether a line of the journal is followed by another one of the same change. */
export function hasMore(document: unknown): boolean {
  return isObject(document) && document.more === true;
}

/** The record that a document is. By hand: with a schema a start would take twice as long. */
function toRecord(document: unknown): JournalRecord | undefined {
  if (!isObject(document)) return undefined;
  const {
    sequence,
    instant,
    who,
    token,
    operation,
    request = null,
    table = null,
    undoes = null,
    changes,
  } = document;
  if (typeof sequence !== "number" || !Number.isSafeInteger(sequence)) return undefined;
  if (typeof instant !== "number" || typeof who !== "string" || typeof operation !== "string")
    return undefined;
  if (token !== undefined && typeof token !== "string") return undefined;
  if ((request !== null && typeof request !== "string") || (table !== null && typeof table !== "string")) {
    return undefined;
  }
  if (undoes !== null && typeof undoes !== "number") return undefined;
  if (!Array.isArray(changes) || !changes.every(isChange)) return undefined;
  const known = { sequence, instant, who, operation, request, table, undoes, changes };
  return token === undefined ? known : { ...known, token };
}

function isChange(change: unknown): change is RecordChange {
  if (!isObject(change)) return false;
  const { collection, key } = change;
  return typeof collection === "string" && typeof key === "string" && "before" in change && "after" in change;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
