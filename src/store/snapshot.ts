/**
 * Snapshots: all records as they were after one change, in `snapshot-<sequence>.jsonl`. `journal/lines.ts` describes the
 * form of a line; all lines of the file are one chain.
 *
 *     <crc> {"format":"gameaddon-snapshot","version":3,"sequence":6,"chain":1600003738,"instant":1790000000000}
 *     <crc> {"collection":"players","record":{…}}
 *     <crc> {"end":2}
 *
 * `sequence` and `chain` are those of the last change that it contains; the last line counts the records. Earlier
 * versions have the same form; in versions 1 and 2, four lists are collections of their own. A snapshot gets its name when it is whole, so one without its
 * last line is damaged.
 */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import * as v from "valibot";
import { presentRecord } from "../domain/former.ts";
import type { Database } from "./collection.ts";
import { type Files, writeDurably } from "./folder/files.ts";
import { snapshotFile } from "./folder/folder-names.ts";
import { LineDecoder } from "./journal/decoding.ts";
import { BrokenLine, LineEncoder, readHeader } from "./journal/lines.ts";

const format = "gameaddon-snapshot";
const version = 3;

/** The characters that are encoded before they are written. */
const pieceLength = 64 * 1024;
/** The longest line, in bytes. No record is nearly as long; a few kilobytes of gzip can contain a line of gigabytes. */
const longestLine = 16 * 1024 * 1024;
/** How long a snapshot is encoded before the event loop gets its turn, at least and at most, in milliseconds. */
const slice = { least: 0.1, most: 0.5 };

const headerSchema = v.object({
  format: v.literal(format),
  version: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(version)),
  sequence: v.pipe(v.number(), v.safeInteger()),
  chain: v.number(),
  instant: v.number(),
});

/** The header of a snapshot. */
export type SnapshotHeader = v.InferOutput<typeof headerSchema>;

/** A line after the header: a record, or the number of records. */
export type SnapshotLine =
  | { readonly collection: string; readonly record: unknown; readonly end?: undefined }
  | { readonly end: number };

/** Options of {@link readSnapshot}. */
export interface SnapshotOptions {
  /** The sequence number that the header must have; undefined for any. */
  readonly sequence?: number;
  /** Is called with each record before it is set; what it throws ends the reading. */
  readonly check?: (collection: string, record: unknown) => void;
}

/** Reads a header. @throws BrokenLine, NewerFormat as `readHeader` */
export function readSnapshotHeader(json: string): SnapshotHeader {
  return readHeader(json, headerSchema, format, version);
}

/** Returns the line that a document is, or undefined. By hand: with a schema, a start would take longer. */
export function toSnapshotLine(document: unknown): SnapshotLine | undefined {
  if (typeof document !== "object" || document === null) return undefined;
  if ("end" in document) return typeof document.end === "number" ? { end: document.end } : undefined;
  if (!("collection" in document && "record" in document)) return undefined;
  const { collection, record } = document;
  return typeof collection === "string" ? presentRecord(collection, record) : undefined;
}

/**
 * Reads a snapshot into an empty database, piece by piece.
 * @throws BrokenLine where it is damaged
 */
export async function readSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  database: Database,
  { sequence, check }: SnapshotOptions = {},
): Promise<SnapshotHeader> {
  const uuids = new Map<string, string>();
  let header: SnapshotHeader | undefined;
  let count = 0;
  /** The offset after the last line, once it is read. */
  let last: number | undefined;
  const readLine = (document: unknown, _: number, offset: number, end: number) => {
    const line = toSnapshotLine(document);
    if (line === undefined) throw new BrokenLine(neitherRecordNorEnd, offset);
    if (line.end !== undefined) {
      if (line.end !== count) throw new BrokenLine(miscounted(line.end, count), offset);
      if (decoder.taken > end) throw superfluous(end);
      last = end;
      return;
    }
    check?.(line.collection, line.record);
    shareUUID(line.record, uuids);
    const collection = database.collection(line.collection);
    collection.set(collection.definition.key(line.record), line.record);
    count += 1;
  };
  const readFirst = (json: string, checksum: number) => {
    header = readSnapshotHeader(json);
    if (sequence !== undefined && header.sequence !== sequence)
      throw new BrokenLine(`the header is that of snapshot ${header.sequence}`, 0);
    return checksum;
  };
  const decoder = new LineDecoder({ header: readFirst, line: readLine }, longestLine);
  for await (const piece of pieces) {
    if (last !== undefined && piece.length > 0) throw superfluous(last);
    decoder.take(piece);
  }
  decoder.end();
  const read = header ?? readSnapshotHeader("null");
  if (last === undefined) throw new BrokenLine("the last line is missing", decoder.taken);
  database.sequence = read.sequence;
  database.chain = read.chain;
  return read;
}

/** Lets all records with the same UUID have the same string: a player is in up to five collections. */
function shareUUID(record: unknown, uuids: Map<string, string>): void {
  const { uuid } = record as { uuid?: unknown };
  if (typeof uuid !== "string") return;
  const shared = uuids.get(uuid);
  if (shared === undefined) uuids.set(uuid, uuid);
  else (record as { uuid: string }).uuid = shared;
}

/** The fault of a line that is neither a record nor the last line. */
export const neitherRecordNorEnd = "the line is neither a record nor the last line";

/** Returns the fault of a snapshot that has more or fewer records than its last line says. */
export function miscounted(expected: number, count: number): string {
  return `expected ${expected} records, got ${count}`;
}

function superfluous(end: number): BrokenLine {
  return new BrokenLine("there is more after the last line", end);
}

/**
 * Writes a snapshot of a database as it is now, whatever changes meanwhile. Durable when this returns.
 * @param instant the present, in milliseconds since 1970
 * @returns its size in bytes
 */
export async function writeSnapshot(
  files: Files,
  folder: string,
  database: Database,
  instant: number,
): Promise<number> {
  try {
    const path = join(folder, snapshotFile(database.sequence));
    return await writeDurably(files, path, encodeSnapshot(database, instant));
  } finally {
    for (const collection of database.collections.values()) collection.thaw();
  }
}

/**
 * Returns the bytes of a snapshot of a database as it is now, in pieces. The collections stay frozen.
 */
export function encodeSnapshot(database: Database, instant: number): AsyncGenerator<Uint8Array> {
  const { sequence, chain, collections } = database;
  for (const collection of collections.values()) collection.freeze();
  return encode({ format, version, sequence, chain, instant }, collections);
}

async function* encode(
  header: SnapshotHeader,
  collections: Database["collections"],
): AsyncGenerator<Uint8Array> {
  const encoder = new LineEncoder();
  encoder.add(JSON.stringify(header));
  let count = 0;
  let end = performance.now() + slice.least;
  for (const [name, collection] of collections) {
    for (const record of collection.frozen()) {
      encoder.add(JSON.stringify({ collection: name, record }));
      count += 1;
      const now = performance.now();
      if (encoder.length < pieceLength && now < end) continue;
      if (encoder.length < pieceLength) await setImmediate();
      else yield encoder.piece();
      // A request waits for several slices, so they are short: a tenth of the time that others needed in between.
      const others = performance.now() - now;
      end = now + others + Math.min(Math.max(others / 10, slice.least), slice.most);
    }
  }
  encoder.add(JSON.stringify({ end: count }));
  yield encoder.piece();
}
