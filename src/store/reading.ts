/**
 * Reading a data folder's files, and changing none: the newest whole snapshot, then every record of the journal
 * after it. `recovery.ts` does so at a start and mends what may be mended; looking back needs no lock, since files
 * only grow, appear and vanish whole.
 */
import { join } from "node:path";
import { Failure } from "../errors.ts";
import type { Model } from "../model.ts";
import { Database } from "./collection.ts";
import type { Files } from "./files.ts";
import { type JournalRecord, readSegment, type Segment, segmentFile, segmentsIn } from "./journal.ts";
import { BrokenLine, NewerFormat } from "./lines.ts";
import { readSnapshot, readSnapshotHeader, snapshotFile, snapshotsIn } from "./snapshot.ts";

/** The moment up to which changes are read: a change's number, or an instant in milliseconds since 1970. */
export interface Until {
  readonly sequence?: number;
  readonly instant?: number;
}

/** Whether a listing of a folder shows data of the service. */
export function hasData(names: readonly string[]): boolean {
  return snapshotsIn(names).length > 0 || segmentsIn(names).length > 0;
}

/** Sets what a record says. Doing so twice is the same as doing it once. */
export function applyRecord(database: Database, record: JournalRecord, chain: number): void {
  for (const change of record.changes) {
    database.collection(change.collection).set(change.key, change.after ?? undefined);
  }
  database.sequence = record.sequence;
  database.chain = chain;
}

/** The refusal that names a damaged file, the place in it and the next command. */
export function damaged(path: string, offset: number, what: string): Failure {
  return new Failure("STORE_UNAVAILABLE", `${path} is damaged at byte ${offset}: ${what}.`, {
    hint: "`addon-cli data verify` tells more, `addon-cli data repair` saves what can be saved; nothing was changed.",
  });
}

/** The refusal where a segment is missing. */
function lacking(folder: string, sequence: number): Failure {
  return new Failure("STORE_UNAVAILABLE", `${folder} lacks the journal from change ${sequence} on.`, {
    hint: "Put the missing journal-….log back, or restore a backup with `addon-cli data restore`; nothing was changed.",
  });
}

/** The newest snapshot that is whole, of those up to a sequence number; an empty database where there is none. */
export async function newestWholeSnapshot<M extends Model>(
  files: Files,
  folder: string,
  model: M,
  sequences: readonly number[],
  warnings: string[],
): Promise<Database<M>> {
  for (const sequence of sequences.toReversed()) {
    const path = join(folder, snapshotFile(sequence));
    try {
      return readSnapshot(await files.readFile(path), model, sequence);
    } catch (error) {
      if (error instanceof NewerFormat) throw error.in(path);
      if (!(error instanceof BrokenLine)) throw error;
      warnings.push(
        `${path} is damaged at byte ${error.offset} (${error.message}); the one before it is used.`,
      );
    }
  }
  // Without any snapshot the journal has to begin at the beginning: replay() refuses where it does not.
  return new Database(model);
}

/** The first numbers of the segments that have what comes after a change. */
export function segmentsAfter(firsts: readonly number[], sequence: number): readonly number[] {
  const covering = firsts.findLastIndex((first) => first <= sequence + 1);
  return covering === -1 ? [] : firsts.slice(covering);
}

/** Reads a segment. @throws Failure `STORE_UNAVAILABLE` where it is damaged; an incomplete last line is not that */
export async function readSegmentFile(files: Files, folder: string, first: number): Promise<Segment> {
  const path = join(folder, segmentFile(first));
  const bytes = await files.readFile(path);
  let segment: Segment;
  try {
    segment = readSegment(bytes);
  } catch (error) {
    if (error instanceof NewerFormat) throw error.in(path);
    if (!(error instanceof BrokenLine)) throw error;
    // A segment is begun with its header: cut off there, it has never had a record.
    if (error.incomplete)
      return { version: 0, first, chain: 0, records: [], end: 0, unterminated: false, broken: bytes };
    throw damaged(path, error.offset, error.message);
  }
  if (segment.first !== first) throw damaged(path, 0, `the header says that it begins with ${segment.first}`);
  return segment;
}

/**
 * The segments that have what comes after a change, without those that a failed snapshot has begun: what came then
 * went on in the segment before.
 * @throws Failure `STORE_UNAVAILABLE` where one is damaged, or the newest is missing
 */
export async function readSegments(
  files: Files,
  folder: string,
  names: readonly string[],
  sequence: number,
): Promise<Segment[]> {
  const firsts = segmentsIn(names);
  const segments: Segment[] = [];
  let last = 0;
  for (const first of segmentsAfter(firsts, sequence)) {
    const segment = await readSegmentFile(files, folder, first);
    if (segment.records.length === 0 && first <= last) continue;
    segments.push(segment);
    last = segment.records.at(-1)?.record.sequence ?? last;
  }
  // A segment is begun before a snapshot is written: behind the newest one, even a damaged one, there has to be one.
  const snapshot = snapshotsIn(names).at(-1) ?? 0;
  if ((firsts.at(-1) ?? 0) <= snapshot && last <= snapshot) throw lacking(folder, snapshot + 1);
  return segments;
}

/**
 * Applies what the segments have beyond the database, which is that of a snapshot.
 * @returns how many records that were
 * @throws Failure `STORE_UNAVAILABLE` where a record is missing, or does not follow the one before it
 */
export function replay(
  folder: string,
  database: Database,
  segments: readonly Segment[],
  until: Until = {},
): number {
  const start = database.sequence;
  if (segments.length === 0 || (segments[0] as Segment).first > start + 1) {
    throw lacking(folder, start + 1);
  }
  for (const [index, segment] of segments.entries()) {
    const path = join(folder, segmentFile(segment.first));
    if (index > 0 && segment.first !== database.sequence + 1) {
      throw damaged(
        path,
        0,
        `it begins with change ${segment.first}, but ${database.sequence + 1} is missing`,
      );
    }
    if (index < segments.length - 1 && (segment.broken !== undefined || segment.unterminated)) {
      throw damaged(path, segment.end, "the line is incomplete, and later segments exist");
    }
    if (segment.version === 0) continue;
    let { chain } = segment;
    let sequence = segment.first - 1;
    const follows = () => sequence !== database.sequence || chain === database.chain;
    if (!follows()) throw damaged(path, 0, "it does not follow what was written before it");
    for (const { record, chain: next, offset } of segment.records) {
      if (record.sequence > (until.sequence ?? Infinity) || record.instant > (until.instant ?? Infinity)) {
        return database.sequence - start;
      }
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

/**
 * The data as it is in the files, or as it was at a moment.
 * @throws Failure `STORE_UNAVAILABLE` where the files do not have it whole, `UNKNOWN_ENTRY` where there is no data
 */
export async function readState<M extends Model>(
  files: Files,
  folder: string,
  model: M,
  until: Until = {},
): Promise<{ database: Database<M>; warnings: readonly string[] }> {
  const names = await files.readdir(folder);
  if (!hasData(names)) throw new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`);
  const warnings: string[] = [];
  const reachable: number[] = [];
  for (const sequence of snapshotsIn(names)) {
    if (sequence > (until.sequence ?? Infinity)) break;
    if (until.instant !== undefined && (await instantOf(files, folder, sequence)) > until.instant) break;
    reachable.push(sequence);
  }
  const database = await newestWholeSnapshot(files, folder, model, reachable, warnings);
  const segments = await readSegments(files, folder, names, database.sequence);
  if (until.instant !== undefined || until.sequence !== undefined)
    requireReach(folder, database, segments, until);
  replay(folder, database, segments, until);
  return { database, warnings };
}

/** Every record of the journal behind a change, in order. Numbers that the files do not have any more are left out. */
export async function* readHistory(files: Files, folder: string, after = 0): AsyncGenerator<JournalRecord> {
  for (const first of historyAfter(segmentsIn(await files.readdir(folder)), after)) {
    const segment = await readSegmentFile(files, folder, first).catch((error: NodeJS.ErrnoException) => {
      // Dropped meanwhile, since its retention is over.
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    for (const { record } of segment?.records ?? []) if (record.sequence > after) yield record;
  }
}

function historyAfter(firsts: readonly number[], after: number): readonly number[] {
  const needed = segmentsAfter(firsts, after);
  return needed.length === 0 ? firsts : needed;
}

/** When a snapshot was begun. One that does not tell is tried all the same: reading it says what is wrong with it. */
async function instantOf(files: Files, folder: string, sequence: number): Promise<number> {
  try {
    return readSnapshotHeader(await files.readFile(join(folder, snapshotFile(sequence)))).instant;
  } catch (error) {
    if (error instanceof BrokenLine) return Number.NEGATIVE_INFINITY;
    throw error;
  }
}

function requireReach(folder: string, database: Database, segments: readonly Segment[], until: Until): void {
  const [oldest] = segments;
  if (oldest !== undefined && oldest.first <= database.sequence + 1) return;
  const when =
    until.instant === undefined ? `change ${until.sequence}` : new Date(until.instant).toISOString();
  throw new Failure("UNKNOWN_ENTRY", `${folder} does not reach back to ${when}.`, {
    hint: "Only what is within the retention can be told; see `addon-cli data status`.",
  });
}
