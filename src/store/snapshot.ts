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
import type { Adapter } from "lowdb";
import * as v from "valibot";
import type { Model } from "../model.ts";
import { Database } from "./collection.ts";
import { type Files, writeDurably } from "./files.ts";
import { BrokenLine, decodeLines, encodeLine, type Line, readHeader } from "./lines.ts";

export const snapshotFormat = "gameaddon-snapshot";
export const snapshotVersion = 2;

/** How many bytes are encoded before they are written, and others get their turn. */
const pieceLength = 256 * 1024;

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

/**
 * Builds the database that a snapshot's bytes hold.
 * @param sequence the number that the file's name says; without it any will do
 * @throws BrokenLine where they are not what was written
 */
export function readSnapshot<M extends Model>(bytes: Buffer, model: M, sequence?: number): Database<M> {
  const database = new Database(model);
  const lines = decodeLines(bytes, 0);
  const header = toHeader(lines);
  if (sequence !== undefined && header.sequence !== sequence) {
    throw new BrokenLine(`the header is that of snapshot ${header.sequence}`, 0);
  }
  let count = 0;
  for (const { json, offset, end } of lines) {
    const line = JSON.parse(json) as { collection: string; record: unknown } | { end: number };
    if ("end" in line) {
      if (line.end !== count) {
        throw new BrokenLine(`${line.end} records were written, ${count} are there`, offset);
      }
      if (end !== bytes.length) throw new BrokenLine("something stands behind the last line", end);
      database.sequence = header.sequence;
      database.chain = header.chain;
      return database;
    }
    const collection = database.collection(line.collection);
    collection.set(collection.definition.key(line.record), line.record);
    count += 1;
  }
  throw new BrokenLine("the last line is missing", bytes.length);
}

/** A snapshot's header alone. @throws BrokenLine where it is not what was written */
export function readSnapshotHeader(bytes: Buffer): SnapshotHeader {
  return toHeader(decodeLines(bytes, 0));
}

function toHeader(lines: Generator<Line>): SnapshotHeader {
  return readHeader(lines.next().value?.json ?? "null", headerSchema, snapshotFormat, snapshotVersion);
}

/** lowdb's port to the data folder: `read` gives the newest snapshot, `write` writes one. */
export class SnapshotAdapter<M extends Model> implements Adapter<Database<M>> {
  readonly #files: Files;
  readonly #folder: string;
  readonly #model: M;
  readonly #now: () => number;

  constructor(files: Files, folder: string, model: M, now: () => number) {
    this.#files = files;
    this.#folder = folder;
    this.#model = model;
    this.#now = now;
  }

  /** The newest snapshot, or null where there is none. @throws BrokenLine where it is damaged. */
  async read(): Promise<Database<M> | null> {
    const newest = snapshotsIn(await this.#files.readdir(this.#folder)).at(-1);
    if (newest === undefined) return null;
    return readSnapshot(
      await this.#files.readFile(join(this.#folder, snapshotFile(newest))),
      this.#model,
      newest,
    );
  }

  /** Writes the database as it is now, whatever is changed while that goes on. Durable when this returns. */
  async write(database: Database<M>): Promise<void> {
    const { sequence, chain } = database;
    const collections = [...database.collections];
    for (const [, collection] of collections) collection.freeze();
    try {
      const format = { format: snapshotFormat, version: snapshotVersion } as const;
      const header = { ...format, sequence, chain, instant: this.#now() };
      await writeDurably(
        this.#files,
        join(this.#folder, snapshotFile(sequence)),
        encode(header, collections),
      );
    } finally {
      for (const [, collection] of collections) collection.thaw();
    }
  }
}

function* encode(
  header: SnapshotHeader,
  collections: readonly (readonly [string, { frozen(): Iterable<unknown> }])[],
): Generator<Uint8Array> {
  let { line: piece, chain } = encodeLine(JSON.stringify(header), 0);
  let count = 0;
  for (const [name, collection] of collections) {
    for (const record of collection.frozen()) {
      const encoded = encodeLine(JSON.stringify({ collection: name, record }), chain);
      piece += encoded.line;
      chain = encoded.chain;
      count += 1;
      if (piece.length >= pieceLength) {
        yield Buffer.from(piece);
        piece = "";
      }
    }
  }
  yield Buffer.from(piece + encodeLine(JSON.stringify({ end: count }), chain).line);
}
