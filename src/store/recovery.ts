/**
 * Reading a data folder back: the newest whole snapshot, then every record of the journal after it.
 *
 * What was acknowledged comes back, or opening is refused with the file, the place and what to do. Only one thing
 * is cut off: an incomplete line at the end of the newest segment, which nobody was ever told is saved.
 */
import { join } from "node:path";
import { Failure } from "../errors.ts";
import type { Model } from "../model.ts";
import { Database } from "./collection.ts";
import { type Files, privateMode, syncFolder, writeAll } from "./files.ts";
import {
  Journal,
  type JournalRecord,
  readSegment,
  type Segment,
  segmentFile,
  segmentsIn,
} from "./journal.ts";
import { BrokenLine } from "./lines.ts";
import { readSnapshot, snapshotFile, snapshotsIn } from "./snapshot.ts";

/** What {@link recover} gives: the data, the journal to go on with, and what it had to mend. */
export interface Recovered<M extends Model> {
  readonly database: Database<M>;
  readonly journal: Journal;
  /** Whether the folder had no data before. */
  readonly isNew: boolean;
  /** Records that are in the journal only. */
  readonly replayed: number;
  /** For the operator, a sentence each. */
  readonly warnings: readonly string[];
}

/** Sets what a record says. Doing so twice is the same as doing it once. */
export function applyRecord(database: Database, record: JournalRecord, chain: number): void {
  for (const change of record.changes) {
    database.collection(change.collection).set(change.key, change.after ?? undefined);
  }
  database.sequence = record.sequence;
  database.chain = chain;
}

/** Whether a listing of a folder shows data of the service. */
export function hasData(names: readonly string[]): boolean {
  return snapshotsIn(names).length > 0 || segmentsIn(names).length > 0;
}

/**
 * Reads a folder whose lock the caller holds, and opens its journal for appending.
 * @throws Failure `STORE_UNAVAILABLE` where what the files hold is not all there, or is damaged.
 */
export async function recover<M extends Model>(
  files: Files,
  folder: string,
  model: M,
  now: number,
): Promise<Recovered<M>> {
  const names = await files.readdir(folder);
  await removeTemporaries(files, folder, names);
  if (!hasData(names)) {
    const journal = await Journal.create(files, folder, 1, 0, now);
    return { database: new Database(model), journal, isNew: true, replayed: 0, warnings: [] };
  }
  const warnings: string[] = [];
  const segments = await readSegments(files, folder, segmentsIn(names), warnings);
  const database = await newestWholeSnapshot(files, folder, snapshotsIn(names), model, warnings);
  const replayed = replay(folder, database, segments);
  const newest = segments.at(-1);
  const journal =
    newest === undefined
      ? await Journal.create(files, folder, database.sequence + 1, database.chain, now)
      : await Journal.open(files, folder, newest.first, newest.end);
  return { database, journal, isNew: false, replayed, warnings };
}

/** Sets aside what a snapshot that was cut off has left; it never had the name of a snapshot. */
async function removeTemporaries(files: Files, folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (/^\.(snapshot|journal)-.*\.tmp$/.test(name)) await files.unlink(join(folder, name));
  }
}

async function readSegments(
  files: Files,
  folder: string,
  firsts: readonly number[],
  warnings: string[],
): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const first of firsts) {
    const path = join(folder, segmentFile(first));
    const isNewest = first === firsts.at(-1);
    const bytes = await files.readFile(path);
    let segment: Segment;
    try {
      segment = readSegment(bytes);
    } catch (error) {
      if (!(error instanceof BrokenLine)) throw error;
      // A segment is begun with its header: cut off there, it has never had a record.
      if (isNewest && error.incomplete && firsts.length > 1) {
        await keepAside(files, path, bytes);
        await files.unlink(path);
        await syncFolder(files, folder);
        warnings.push(`${path} was begun and never written to. It was set aside as ${path}.broken.`);
        continue;
      }
      if (isNewest && error.incomplete && first === 1) {
        await files.unlink(path);
        const journal = await Journal.create(files, folder, 1, 0, 0);
        await journal.close();
        segments.push(readSegment(await files.readFile(path)));
        continue;
      }
      throw damaged(path, error.offset, error.message);
    }
    if (segment.broken !== undefined) {
      if (!isNewest) throw damaged(path, segment.end, "the line is incomplete, and later segments exist");
      await cutTail(files, path, segment, warnings);
    } else if (segment.unterminated) {
      if (!isNewest)
        throw damaged(path, segment.end, "the last line feed is missing, and later segments exist");
      segment = await terminate(files, path, segment);
    }
    if (segment.first !== first)
      throw damaged(path, 0, `the header says that it begins with ${segment.first}`);
    segments.push(segment);
  }
  return segments;
}

async function newestWholeSnapshot<M extends Model>(
  files: Files,
  folder: string,
  sequences: readonly number[],
  model: M,
  warnings: string[],
): Promise<Database<M>> {
  for (const sequence of sequences.toReversed()) {
    const path = join(folder, snapshotFile(sequence));
    try {
      return readSnapshot(await files.readFile(path), model);
    } catch (error) {
      if (!(error instanceof BrokenLine)) throw error;
      warnings.push(
        `${path} is damaged at byte ${error.offset} (${error.message}); the one before it was used.`,
      );
    }
  }
  // Without any snapshot the journal has to begin at the beginning: replay() refuses where it does not.
  return new Database(model);
}

/** Applies what the segments have beyond the database. Gives how many records that were. */
function replay(folder: string, database: Database, segments: readonly Segment[]): number {
  const start = database.sequence;
  const covering = segments.findLastIndex((segment) => segment.first <= start + 1);
  if (covering === -1) {
    throw new Failure("STORE_UNAVAILABLE", `${folder} lacks the journal from change ${start + 1} on.`, {
      hint: "Restore a backup, or put the missing journal-….log back; nothing was changed.",
    });
  }
  for (const segment of segments.slice(covering)) {
    const path = join(folder, segmentFile(segment.first));
    const isFirst = segment === segments[covering];
    if (!isFirst && segment.first !== database.sequence + 1) {
      throw damaged(
        path,
        0,
        `it begins with change ${segment.first}, but ${database.sequence + 1} is missing`,
      );
    }
    let chain = segment.chain;
    let sequence = segment.first - 1;
    const follows = () => sequence !== database.sequence || chain === database.chain;
    if (!follows()) throw damaged(path, 0, "it does not follow what was written before it");
    for (const { record, chain: next, offset } of segment.records) {
      if (record.sequence > database.sequence) applyRecord(database, record, next);
      chain = next;
      sequence = record.sequence;
      if (!follows()) throw damaged(path, offset, "it does not follow the snapshot");
    }
    if (sequence < start) {
      throw damaged(path, segment.end, `its last change is ${sequence}, but the snapshot contains ${start}`);
    }
  }
  return database.sequence - start;
}

async function keepAside(files: Files, path: string, bytes: Buffer): Promise<void> {
  const file = await files.open(`${path}.broken`, "w", privateMode);
  await writeAll(file, bytes, 0);
  await file.sync();
  await file.close();
}

async function cutTail(files: Files, path: string, segment: Segment, warnings: string[]): Promise<void> {
  const tail = segment.broken ?? Buffer.alloc(0);
  await keepAside(files, path, tail);
  const file = await files.open(path, "r+");
  await file.truncate(segment.end);
  await file.sync();
  await file.close();
  warnings.push(
    `${path} ended in an incomplete record of ${tail.length} bytes, which nobody was told is saved. ` +
      `It was cut off at byte ${segment.end} and kept as ${path}.broken.`,
  );
}

/** A whole record that lacks only its line feed: the change was made, so it is kept. */
async function terminate(files: Files, path: string, segment: Segment): Promise<Segment> {
  const file = await files.open(path, "r+");
  await writeAll(file, Buffer.from("\n"), segment.end);
  await file.sync();
  await file.close();
  return { ...segment, end: segment.end + 1, unterminated: false };
}

function damaged(path: string, offset: number, what: string): Failure {
  return new Failure("STORE_UNAVAILABLE", `${path} is damaged at byte ${offset}: ${what}.`, {
    hint: "Restore a backup into another folder; nothing was changed in this one.",
  });
}
