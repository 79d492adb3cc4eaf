/**
 * The journal: every change since the oldest snapshot that is kept, in segments `journal-<first sequence>.log`.
 * The form of a line is in `lines.ts`. The first line of a segment is its header, chained to nothing:
 *
 *     <crc> {"format":"gameaddon-journal","version":2,"first":7,"chain":1600003738,"instant":1790000000000}
 *
 * `first` is the sequence number of its first record, `chain` the checksum of the record before that one, to which
 * the first record is chained. Each further line is one change:
 *
 *     <crc> {"sequence":7,"instant":1790000000000,"who":"operator","operation":"player.register",
 *            "request":null,"table":null,"undoes":null,
 *            "changes":[{"collection":"players","key":"…","before":null,"after":{…}}]}
 *
 * `request` is the id of the HTTP request, `table` the revision of the route table that let it in, `undoes` the
 * number of the change that this one takes back. Version 1 had none of the three. A record says what became of each record that it touched, so replaying is setting values, and replaying twice is
 * harmless. `who` is a player's UUID, `public`, `operator` or `system`. This makes the journal the audit log as well.
 */
import { join } from "node:path";
import * as v from "valibot";
import { Failure } from "../errors.ts";
import type { RecordChange } from "./draft.ts";
import { type File, type Files, privateMode, syncFolder, writeAll } from "./files.ts";
import { BrokenLine, decodeLines, encodeLine, readHeader } from "./lines.ts";

export const journalFormat = "gameaddon-journal";
export const journalVersion = 2;

const headerSchema = v.object({
  format: v.literal(journalFormat),
  version: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(journalVersion)),
  first: v.pipe(v.number(), v.safeInteger()),
  chain: v.number(),
  instant: v.number(),
});

const recordSchema = v.object({
  sequence: v.pipe(v.number(), v.safeInteger()),
  instant: v.number(),
  who: v.string(),
  operation: v.string(),
  request: v.optional(v.nullable(v.string()), null),
  table: v.optional(v.nullable(v.string()), null),
  undoes: v.optional(v.nullable(v.number()), null),
  changes: v.array(
    v.object({ collection: v.string(), key: v.string(), before: v.unknown(), after: v.unknown() }),
  ),
});

/** One change, as the journal has it. */
export interface JournalRecord {
  readonly sequence: number;
  readonly instant: number;
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  readonly operation: string;
  /** The id of the HTTP request, or null. */
  readonly request: string | null;
  /** The revision of the route table that let it in, or null. */
  readonly table: string | null;
  /** The number of the change that this one takes back, or null. */
  readonly undoes: number | null;
  readonly changes: readonly RecordChange[];
}

/** A record and where it stands. */
export interface ReadRecord {
  readonly record: JournalRecord;
  readonly chain: number;
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

/** What a segment's header says. */
export type SegmentHeader = v.InferOutput<typeof headerSchema>;

/** What a segment holds. `broken` is the incomplete line at its end, where a write was cut off. */
export interface Segment {
  readonly version: number;
  readonly first: number;
  readonly chain: number;
  readonly records: readonly ReadRecord[];
  /** The offset behind the last whole line. */
  readonly end: number;
  /** Whether the last whole line lacks only its line feed. */
  readonly unterminated: boolean;
  readonly broken: Buffer | undefined;
}

/** Takes a segment's bytes apart. @throws BrokenLine where they are not what was written. */
export function readSegment(bytes: Buffer): Segment {
  const headerEnd = bytes.indexOf("\n") + 1;
  if (headerEnd === 0) throw new BrokenLine("the header is incomplete", 0, true);
  const [headerLine] = decodeLines(bytes.subarray(0, headerEnd), 0);
  const { version, first, chain } = readHeader(
    headerLine?.json ?? "null",
    headerSchema,
    journalFormat,
    journalVersion,
  );

  const records: ReadRecord[] = [];
  let end = headerEnd;
  let unterminated = false;
  let sequence = first;
  try {
    for (const line of decodeLines(bytes, chain, headerEnd)) {
      const record = v.safeParse(recordSchema, JSON.parse(line.json));
      if (!record.success) throw new BrokenLine("the line is not a record of the journal", line.offset);
      if (record.output.sequence !== sequence) {
        throw new BrokenLine(`number ${sequence} was expected, ${record.output.sequence} came`, line.offset);
      }
      records.push({ record: record.output as JournalRecord, chain: line.chain, offset: line.offset });
      sequence += 1;
      end = line.end;
      unterminated = !line.terminated;
    }
  } catch (error) {
    if (!(error instanceof BrokenLine && error.incomplete)) throw error;
    return { version, first, chain, records, end, unterminated, broken: bytes.subarray(error.offset) };
  }
  return { version, first, chain, records, end, unterminated, broken: undefined };
}

/** The newest segment, open for appending. */
export class Journal {
  readonly #files: Files;
  readonly #folder: string;
  #file: File;
  #size: number;
  /** The sequence number with which the segment begins. */
  first: number;

  private constructor(files: Files, folder: string, file: File, first: number, size: number) {
    this.#files = files;
    this.#folder = folder;
    this.#file = file;
    this.first = first;
    this.#size = size;
  }

  /** Opens the segment that begins with `first`, to append at `size`. */
  static async open(files: Files, folder: string, first: number, size: number): Promise<Journal> {
    const file = await files.open(join(folder, segmentFile(first)), "r+");
    return new Journal(files, folder, file, first, size);
  }

  /** Creates the segment that begins with `first`, durably. */
  static async create(
    files: Files,
    folder: string,
    first: number,
    chain: number,
    now: number,
  ): Promise<Journal> {
    const { file, size } = await createSegment(files, folder, first, chain, now);
    return new Journal(files, folder, file, first, size);
  }

  /** The bytes of the segment. */
  get size(): number {
    return this.#size;
  }

  /**
   * Appends whole lines and syncs them. When this returns they are durable.
   * @throws Failure `STORE_UNAVAILABLE` where they could not be written; the file is as it was.
   * @throws SyncFailure where it is not known what the disk has: nothing may be written any more.
   */
  async append(lines: Buffer): Promise<void> {
    try {
      await writeAll(this.#file, lines, this.#size);
    } catch (cause) {
      await this.#cutBack(cause);
      throw new Failure("STORE_UNAVAILABLE", "The change could not be saved. Nothing was changed.", {
        hint: "Try again in a moment.",
        cause,
      });
    }
    try {
      await this.#file.datasync();
    } catch (cause) {
      throw new SyncFailure("the journal could not be synced", cause);
    }
    this.#size += lines.length;
  }

  /**
   * Goes on in a new segment. One that has no records yet is begun anew, in the present format: where that fails,
   * the journal must not be used any more.
   */
  async rotate(first: number, chain: number, now: number): Promise<void> {
    const segment = createSegment(this.#files, this.#folder, first, chain, now);
    const { file, size } = await segment.catch(async (error: unknown) => {
      // What comes goes on in the present segment; this one would stand in its way.
      const path = join(this.#folder, segmentFile(first));
      if (first !== this.first) await this.#files.unlink(path).catch(() => {});
      throw error;
    });
    const old = this.#file;
    this.#file = file;
    this.#size = size;
    this.first = first;
    await old.close();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #cutBack(cause: unknown): Promise<void> {
    try {
      await this.#file.truncate(this.#size);
      await this.#file.datasync();
    } catch {
      throw new SyncFailure("a failed write to the journal could not be cut back", cause);
    }
  }
}

/** What the disk holds is not known: the process must not go on, since its next answer could be a lie. */
export class SyncFailure extends Error {
  override readonly name = "SyncFailure";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

async function createSegment(files: Files, folder: string, first: number, chain: number, now: number) {
  const header = { format: journalFormat, version: journalVersion, first, chain, instant: now };
  const bytes = Buffer.from(encodeLine(JSON.stringify(header), 0).line);
  const path = join(folder, segmentFile(first));
  // Where the file exists, it is what a failed attempt has left: no record of that number has been written yet.
  const file = await files.open(path, "w", privateMode);
  try {
    await writeAll(file, bytes, 0);
    await file.sync();
    await syncFolder(files, folder);
  } catch (error) {
    await file.close().catch(() => {});
    throw error;
  }
  return { file, size: bytes.length };
}
