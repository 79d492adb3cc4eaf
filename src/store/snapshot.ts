/**
 * Snapshots: all records as they were behind one change, in `snapshot-<sequence>.jsonl`; lowdb's adapter. The form
 * of a line is in `lines.ts`; all lines of the file are one chain.
 *
 *     <crc> {"format":"gameaddon-snapshot","version":2,"sequence":6,"chain":1600003738,"instant":1790000000000}
 *     <crc> {"collection":"players","record":{…}}
 *     <crc> {"end":2}
 *
 * Version 1 was the same; it goes with version 1 of the journal. `sequence` and `chain` are those of the last change that it contains; the last line counts the records. The file
 * is written beside what it replaces and renamed when it is whole, so one that lacks its last line is damaged.
 */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Adapter } from "lowdb";
import * as v from "valibot";
import type { Model } from "../domain/model.ts";
import { Database } from "./collection.ts";
import { type Files, piecesOf, sizeOf, writeDurably } from "./folder/files.ts";
import { decodeFirst, LineDecoder } from "./journal/decoding.ts";
import { LineEncoder } from "./journal/encoding.ts";
import { BrokenLine, lineFeed, readHeader } from "./journal/lines.ts";

export const snapshotFormat = "gameaddon-snapshot";
export const snapshotVersion = 2;

/** How many bytes are encoded before they are written. */
const pieceLength = 64 * 1024;
/** How long a line may be, in bytes. No record comes near; a few kilobytes of gzip can hold a line of gigabytes. */
const longestLine = 16 * 1024 * 1024;
/** For how long at least, and at most, a snapshot is encoded until others get their turn, in milliseconds. */
const turn = { least: 0.1, most: 0.5 };

const headerSchema = v.object({
  format: v.literal(snapshotFormat),
  version: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(snapshotVersion)),
  sequence: v.pipe(v.number(), v.safeInteger()),
  chain: v.number(),
  instant: v.number(),
});
export type SnapshotHeader = v.InferOutput<typeof headerSchema>;

const snapshotName = /^snapshot-(\d{12})\.jsonl$/;

/** The file name of the snapshot that contains all changes up to a sequence number. */
export function snapshotFile(sequence: number): string {
  return `snapshot-${String(sequence).padStart(12, "0")}.jsonl`;
}

/** The sequence numbers of the snapshots in a listing of a folder, ascending. */
export function snapshotsIn(names: readonly string[]): number[] {
  return names
    .flatMap((name) => snapshotName.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** What {@link readSnapshot} is asked for beside the records. */
export interface SnapshotOptions {
  /** The number that the snapshot's name says; undefined where its name says nothing. */
  readonly sequence?: number;
  /** Is given each record before it is set; what it throws ends the reading. */
  readonly check?: (collection: string, record: unknown) => void;
}

/**
 * Reads a snapshot into an empty database while its bytes come.
 * @throws BrokenLine where they are not what was written
 */
export async function readSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  database: Database,
  options: SnapshotOptions = {},
): Promise<SnapshotHeader> {
  const reader = new SnapshotReader(database, options);
  for await (const piece of pieces) reader.take(piece);
  return reader.finish();
}

/** The header alone of a file. @throws BrokenLine where it is not what was written */
export async function readSnapshotHeader(files: Files, path: string): Promise<SnapshotHeader> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(files, path)) {
    pieces.push(Buffer.from(piece));
    if (piece.includes(lineFeed)) break;
  }
  const bytes = Buffer.concat(pieces);
  return toHeader(bytes.length === 0 ? "null" : decodeFirst(bytes));
}

function toHeader(json: string): SnapshotHeader {
  return readHeader(json, headerSchema, snapshotFormat, snapshotVersion);
}

/** Fills a database while the bytes of its snapshot come. */
class SnapshotReader {
  readonly #database: Database;
  readonly #decoder = new LineDecoder(
    {
      header: (json, checksum) => this.#begin(json, checksum),
      line: (document, _, offset, end) => this.#take(document as SnapshotLine, offset, end),
    },
    longestLine,
  );
  readonly #options: SnapshotOptions;
  #header: SnapshotHeader | undefined;
  #count = 0;
  /** The offset behind the last line, once that has come. */
  #end: number | undefined;

  constructor(database: Database, options: SnapshotOptions) {
    this.#database = database;
    this.#options = options;
  }

  take(piece: Uint8Array): void {
    if (this.#end !== undefined && piece.length > 0) throw superfluous(this.#end);
    this.#decoder.take(piece);
  }

  finish(): SnapshotHeader {
    this.#decoder.flush();
    this.#decoder.end();
    const header = this.#header ?? toHeader("null");
    const { sequence, chain } = header;
    if (this.#end === undefined) throw new BrokenLine("the last line is missing", this.#decoder.taken);
    this.#database.sequence = sequence;
    this.#database.chain = chain;
    return header;
  }

  #begin(json: string, checksum: number): number {
    this.#header = toHeader(json);
    const { sequence } = this.#header;
    if (this.#options.sequence !== undefined && sequence !== this.#options.sequence) {
      throw new BrokenLine(`the header is that of snapshot ${sequence}`, 0);
    }
    return checksum;
  }

  #take(line: SnapshotLine, offset: number, end: number): void {
    if ("end" in line) {
      if (line.end !== this.#count) {
        throw new BrokenLine(`${line.end} records were written, ${this.#count} are there`, offset);
      }
      if (this.#decoder.taken > end) throw superfluous(end);
      this.#end = end;
      return;
    }
    this.#options.check?.(line.collection, line.record);
    const collection = this.#database.collection(line.collection);
    collection.set(collection.definition.key(line.record), line.record);
    this.#count += 1;
  }
}

type SnapshotLine = { readonly collection: string; readonly record: unknown } | { readonly end: number };

function superfluous(end: number): BrokenLine {
  return new BrokenLine("something stands behind the last line", end);
}

/** lowdb's port to the data folder: `read` gives the newest snapshot, `write` writes one. */
export class SnapshotAdapter<M extends Model> implements Adapter<Database<M>> {
  readonly #files: Files;
  readonly #folder: string;
  readonly #model: M;
  readonly #now: () => number;
  #bytes = 0;

  constructor(files: Files, folder: string, model: M, now: () => number) {
    this.#files = files;
    this.#folder = folder;
    this.#model = model;
    this.#now = now;
  }

  /** The bytes of the newest snapshot, as far as it was measured or written here. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Looks how large the newest snapshot is. */
  async measure(): Promise<void> {
    const newest = snapshotsIn(await this.#files.readdir(this.#folder)).at(-1);
    if (newest === undefined) return;
    this.#bytes = await sizeOf(this.#files, join(this.#folder, snapshotFile(newest)));
  }

  /** The newest snapshot, or null where there is none. @throws BrokenLine where it is damaged. */
  async read(): Promise<Database<M> | null> {
    const newest = snapshotsIn(await this.#files.readdir(this.#folder)).at(-1);
    if (newest === undefined) return null;
    const database = new Database(this.#model);
    const pieces = piecesOf(this.#files, join(this.#folder, snapshotFile(newest)));
    await readSnapshot(pieces, database, { sequence: newest });
    return database;
  }

  /** Writes the database as it is now, whatever is changed while that goes on. Durable when this returns. */
  async write(database: Database<M>): Promise<void> {
    const { sequence, chain } = database;
    const collections = [...database.collections];
    for (const [, collection] of collections) collection.freeze();
    try {
      const format = { format: snapshotFormat, version: snapshotVersion } as const;
      const header = { ...format, sequence, chain, instant: this.#now() };
      this.#bytes = await writeDurably(
        this.#files,
        join(this.#folder, snapshotFile(sequence)),
        encode(header, collections),
      );
    } finally {
      for (const [, collection] of collections) collection.thaw();
    }
  }
}

/** The bytes of a snapshot of a database that nothing else uses, as {@link encode} gives them. */
export function encodeSnapshot(database: Database, instant: number): AsyncGenerator<Uint8Array> {
  const { sequence, chain } = database;
  const collections = [...database.collections];
  for (const [, collection] of collections) collection.freeze();
  const header = { format: snapshotFormat, version: snapshotVersion, sequence, chain, instant } as const;
  return encode(header, collections);
}

/** The bytes of a snapshot, piece after piece; a piece is gone when the next one is asked for. */
async function* encode(
  header: SnapshotHeader,
  collections: readonly (readonly [string, { frozen(): Iterable<unknown> }])[],
): AsyncGenerator<Uint8Array> {
  const encoder = new LineEncoder(pieceLength);
  encoder.add(JSON.stringify(header));
  let count = 0;
  let end = performance.now() + turn.least;
  for (const [name, collection] of collections) {
    for (const record of collection.frozen()) {
      encoder.add(JSON.stringify({ collection: name, record }));
      count += 1;
      const now = performance.now();
      if (encoder.length < pieceLength && now < end) continue;
      if (encoder.length < pieceLength) await setImmediate();
      else yield encoder.piece();
      // A request waits for several turns, so they are short; where others take long ones, that much more is a tenth.
      const others = performance.now() - now;
      end = now + others + Math.min(Math.max(others / 10, turn.least), turn.most);
    }
  }
  encoder.add(JSON.stringify({ end: count }));
  yield encoder.piece();
}
