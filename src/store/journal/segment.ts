/**
 * Segments: the files of the journal, `journal-<first sequence>.log`. The journal has every change since the oldest
 * snapshot. The first line of a segment is its header, chained to nothing; `lines.ts` describes the form of a line:
 *
 *     <crc> {"format":"gameaddon-journal","version":4,"first":7,"chain":1600003738,"instant":1790000000000}
 *
 * `first` is the sequence number of its first change, `chain` the checksum of the line before that change, to which its
 * line is chained, `instant` when the segment was begun. All other lines are those of changes (`record-lines.ts`).
 */
import * as v from "valibot";
import type { JournalRecord } from "../change.ts";
import { LineDecoder } from "./decoding.ts";
import { BrokenLine, encodeLine, readHeader } from "./lines.ts";
import { addLine, closeRecord, hasMore, type OpenRecord, openRecord } from "./record-lines.ts";

const format = "gameaddon-journal";
export const journalVersion = 4;

const headerSchema = v.object({
  format: v.literal(format),
  version: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(journalVersion)),
  first: v.pipe(v.number(), v.safeInteger()),
  chain: v.number(),
  instant: v.number(),
});

/** The header of a segment. */
export type SegmentHeader = v.InferOutput<typeof headerSchema>;

/** A change and its place. Of a bulk change: the checksum of its last line, and the offset of its first. */
export interface ReadRecord {
  readonly record: JournalRecord;
  readonly chain: number;
  readonly offset: number;
}

/**
 * Returns the header of a segment, as its first line.
 * @param chain the checksum of the line before the first change
 * @param instant when the segment is begun
 */
export function headerLine(first: number, chain: number, instant: number): Buffer {
  const header: SegmentHeader = { format, version: journalVersion, first, chain, instant };
  return Buffer.from(encodeLine(JSON.stringify(header), 0).line);
}

/** Reads a header. @throws BrokenLine, NewerFormat as `readHeader` */
export function readSegmentHeader(json: string): SegmentHeader {
  return readHeader(json, headerSchema, format, journalVersion);
}

/** Returns the fault of a segment that ends within its header, `length` bytes long. */
export function incompleteHeader(length: number): string {
  return `the header is incomplete: the file has ${length} bytes, and changes may be missing`;
}

/** How a segment begins and ends. */
export interface ReadSegment extends Pick<SegmentHeader, "version" | "first" | "chain"> {
  /** The offset after the last whole change. */
  readonly end: number;
  /** Whether the last whole change lacks only its line feed. */
  readonly unterminated: boolean;
  /** The number of bytes after {@link end}: an incomplete line, or a bulk change without its last line. */
  readonly torn: number;
}

/** Reads the bytes of a segment, and its changes. @throws BrokenLine where they are damaged */
export function readSegment(bytes: Buffer) {
  const reader = new SegmentReader();
  reader.take(bytes);
  return { ...reader.finish(), records: reader.records };
}

/** Reads a segment piece by piece. */
export class SegmentReader {
  /** The changes so far, in order; the caller may take them away. */
  readonly records: ReadRecord[] = [];
  readonly #decoder = new LineDecoder({
    header: (json) => this.#begin(json),
    line: (document, chain, offset) => this.#read(document, chain, offset),
  });
  /** The header, once it is read. */
  header: SegmentHeader | undefined;
  /** The next sequence number. */
  #sequence = 0;
  /** The change whose last line is yet to come. */
  #open: OpenRecord | undefined;

  /** Reads the next bytes. @throws BrokenLine where they are damaged */
  take(piece: Uint8Array): void {
    this.#decoder.take(piece);
  }

  /**
   * Reads the end of the segment.
   * @throws BrokenLine as {@link take}; also where the header is incomplete: a segment appears with its header whole
   */
  finish(): ReadSegment {
    if (this.header === undefined) throw new BrokenLine(incompleteHeader(this.#decoder.taken), 0);
    const { version, first, chain } = this.header;
    try {
      this.#decoder.end();
    } catch (error) {
      if (!(error instanceof BrokenLine && error.incomplete)) throw error;
    }
    const end = this.#open?.offset ?? this.#decoder.offset;
    const unterminated = this.#open === undefined && this.#decoder.unterminated;
    return { version, first, chain, end, unterminated, torn: this.#decoder.taken - end };
  }

  #begin(json: string): number {
    this.header = readSegmentHeader(json);
    this.#sequence = this.header.first;
    return this.header.chain;
  }

  #read(document: unknown, chain: number, offset: number): void {
    const open = this.#open ?? openRecord(document, offset);
    if (open === undefined) throw new BrokenLine("the line is not a record of the journal", offset);
    const { sequence } = open.head;
    if (sequence !== this.#sequence) {
      throw new BrokenLine(`expected change ${this.#sequence}, got ${sequence}`, offset);
    }
    if (open === this.#open && !addLine(open, document)) {
      throw new BrokenLine(`change ${sequence} lacks its last line`, offset);
    }
    this.#open = hasMore(document) ? open : undefined;
    if (this.#open !== undefined) return;
    this.#sequence += 1;
    this.records.push({ record: closeRecord(open), chain, offset: open.offset });
  }
}
