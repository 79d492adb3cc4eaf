/**
 * Reading a data folder's files, and changing none: the newest whole snapshot, then every record of the journal
 * after it. `recovery.ts` does so at a start and mends what may be mended; looking back needs no lock, since files
 * only grow, appear and vanish whole.
 */
import { join } from "node:path";
import { Failure } from "../domain/errors.ts";
import type { Model } from "../domain/model.ts";
import { Database } from "./collection.ts";
import { type Files, piecesOf } from "./folder/files.ts";
import {
  type JournalRecord,
  type ReadRecord,
  type ReadSegment,
  type SegmentHeader,
  SegmentReader,
  segmentFile,
  segmentsIn,
} from "./journal/segment.ts";
import { BrokenLine, NewerFormat } from "./journal/lines.ts";
import { readSnapshot, snapshotFile, snapshotsIn } from "./snapshot.ts";

/** The change up to which changes are read. */
export interface Until {
  readonly sequence?: number;
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
    hint: "`addon-cli data verify` tells more, `addon-cli data repair` saves what can be saved, and `addon-cli data repair --from <backup>` puts a backup in its place; nothing was changed.",
  });
}

/** The refusal where a segment is missing. */
function lacking(folder: string, sequence: number): Failure {
  return new Failure("STORE_UNAVAILABLE", `${folder} lacks the journal from change ${sequence} on.`, {
    hint: "Put the missing journal-….log back, or put a backup in its place with `addon-cli data repair --from <backup>`; nothing was changed.",
  });
}

/**
 * The newest snapshot that is whole, of those of some sequence numbers; an empty database where there is none.
 * @param empty gives a database without records, whenever reading begins
 */
export async function newestWholeSnapshot<M extends Model>(
  files: Files,
  folder: string,
  empty: () => Database<M>,
  sequences: readonly number[],
  warnings: string[],
): Promise<Database<M>> {
  for (const sequence of sequences.toReversed()) {
    const path = join(folder, snapshotFile(sequence));
    try {
      const database = empty();
      await readSnapshot(piecesOf(files, path), database, { sequence });
      return database;
    } catch (error) {
      if (error instanceof NewerFormat) throw error.in(path);
      if (!(error instanceof BrokenLine)) throw error;
      warnings.push(
        `${path} is damaged at byte ${error.offset} (${error.message}); the one before it is used.`,
      );
    }
  }
  // Without any snapshot the journal has to begin at the beginning: a replay refuses where it does not.
  return empty();
}

/** The first numbers of the segments that have what comes after a change. */
export function segmentsAfter(firsts: readonly number[], sequence: number): readonly number[] {
  const covering = firsts.findLastIndex((first) => first <= sequence + 1);
  return covering === -1 ? [] : firsts.slice(covering);
}

/**
 * Reads a segment, and tells of its records in order.
 * @throws Failure `STORE_UNAVAILABLE` where it is damaged; an incomplete last line is not that
 */
async function readSegmentFile(
  files: Files,
  folder: string,
  first: number,
  told: (read: ReadRecord, header: SegmentHeader) => void,
): Promise<ReadSegment> {
  const pieces = readByPieces(files, folder, first, told);
  for (;;) {
    const step = await pieces.next();
    if (step.done === true) return step.value;
  }
}

/** Reads a segment as {@link readSegmentFile} does, and stops after each piece of the file. */
async function* readByPieces(
  files: Files,
  folder: string,
  first: number,
  told: (read: ReadRecord, header: SegmentHeader) => void,
): AsyncGenerator<void, ReadSegment> {
  const path = join(folder, segmentFile(first));
  const reader = new SegmentReader(told);
  try {
    for await (const piece of piecesOf(files, path)) {
      reader.take(piece);
      yield;
    }
    const segment = reader.finish();
    if (segment.first === first) return segment;
  } catch (error) {
    throw toDamage(path, error);
  }
  throw damaged(path, 0, `the header says that it begins with ${reader.header?.first}`);
}

/** Has what is wrong with a line name the file; others are given back as they are. */
export function toDamage(path: string, error: unknown): unknown {
  if (error instanceof NewerFormat) return error.in(path);
  return error instanceof BrokenLine ? damaged(path, error.offset, error.message) : error;
}

/**
 * Applies what the journal has beyond a database, which is that of a snapshot.
 * @param told is given every record that is read, applied or not
 * @returns how many records that were, and the newest segment
 * @throws Failure `STORE_UNAVAILABLE` where a segment is damaged, a record is missing, or does not follow the one
 * before it; `UNKNOWN_ENTRY` where the journal does not reach back to the moment
 */
export async function replay(
  files: Files,
  folder: string,
  names: readonly string[],
  database: Database,
  until: Until = {},
  told: (record: JournalRecord) => void = () => {},
): Promise<{ replayed: number; newest: ReadSegment }> {
  const { sequence } = database;
  const firsts = segmentsIn(names);
  const replay = new Replay(folder, database, until, told);
  for (const first of segmentsAfter(firsts, sequence)) await replay.take(files, first);
  // A segment is begun before a snapshot is written: behind the newest one, even a damaged one, there has to be one.
  const snapshot = snapshotsIn(names).at(-1) ?? 0;
  if ((firsts.at(-1) ?? 0) <= snapshot && replay.last <= snapshot) throw lacking(folder, snapshot + 1);
  const { newest, fault } = replay;
  if (newest === undefined) {
    throw until.sequence === undefined ? lacking(folder, sequence + 1) : outOfReach(folder, until.sequence);
  }
  if (fault !== undefined) throw fault;
  return { replayed: database.sequence - sequence, newest };
}

/**
 * Applies records while they are read. All segments are read to their ends, also behind a fault: that one of them is
 * damaged goes before that they do not fit together.
 */
class Replay {
  readonly #folder: string;
  readonly #database: Database;
  readonly #start: number;
  readonly #until: Until;
  readonly #told: (record: JournalRecord) => void;
  /** The number of the last record that was read. */
  last = 0;
  /** The newest segment of those that were read. */
  newest: ReadSegment | undefined;
  /** Why the segments do not fit together. */
  fault: Failure | undefined;
  /** Whether the moment is reached up to which changes are applied. */
  #reached = false;
  /** What is wrong with the newest segment once there is another one behind it. */
  #torn: Failure | undefined;
  /** Of the segment under way: its file, whether replaying had ended before it, the last record and its checksum. */
  #path = "";
  #endedBefore = false;
  #sequence = 0;
  #chain = 0;

  constructor(folder: string, database: Database, until: Until, told: (record: JournalRecord) => void) {
    this.#told = told;
    this.#folder = folder;
    this.#database = database;
    this.#start = database.sequence;
    this.#until = until;
  }

  /** Reads the segment that begins with a number. @throws Failure where it is damaged */
  async take(files: Files, first: number): Promise<void> {
    let begun = false;
    const segment = await readSegmentFile(files, this.#folder, first, (read, header) => {
      if (!begun) this.#begin(header);
      begun = true;
      this.#apply(read);
    });
    // One that a failed snapshot has begun: what came then went on in the segment before.
    if (!begun && segment.first <= this.last) return;
    if (!begun) this.#begin(segment);
    this.#end(segment);
  }

  get #ended(): boolean {
    return this.fault !== undefined || this.#reached;
  }

  #begin({ first, chain }: Pick<ReadSegment, "first" | "chain">): void {
    this.fault = this.#torn ?? this.fault;
    this.#path = join(this.#folder, segmentFile(first));
    const expected = this.#database.sequence + 1;
    if (this.newest !== undefined && first !== expected) {
      this.#fail(0, `it begins with change ${first}, but ${expected} is missing`);
    }
    this.#endedBefore = this.#ended;
    this.#sequence = first - 1;
    this.#chain = chain;
    this.#requireFollowing(0, "it does not follow what was written before it");
  }

  #apply({ record, chain, offset }: ReadRecord): void {
    const { sequence } = record;
    this.last = sequence;
    this.#told(record);
    this.#reached ||= sequence > (this.#until.sequence ?? Infinity);
    if (this.#ended) return;
    if (sequence > this.#database.sequence) applyRecord(this.#database, record, chain);
    this.#sequence = sequence;
    this.#chain = chain;
    this.#requireFollowing(offset, "it does not follow the snapshot");
  }

  #end(segment: ReadSegment): void {
    const { end, torn, unterminated } = segment;
    if (this.#sequence < this.#start) {
      this.#fail(end, `its last change is ${this.#sequence}, but the snapshot contains ${this.#start}`);
    }
    const isTorn = (torn > 0 || unterminated) && !this.#endedBefore;
    this.#torn = isTorn
      ? damaged(this.#path, end, "the change is incomplete, and later segments exist")
      : undefined;
    this.newest = segment;
  }

  #requireFollowing(offset: number, what: string): void {
    if (this.#sequence === this.#database.sequence && this.#chain !== this.#database.chain) {
      this.#fail(offset, what);
    }
  }

  #fail(offset: number, what: string): void {
    if (!this.#ended) this.fault = damaged(this.#path, offset, what);
  }
}

/**
 * The data as it is in the files, or as it was at a moment.
 * @throws Failure `STORE_UNAVAILABLE` where the files do not have it whole, `UNKNOWN_ENTRY` where there is no data
 */
export function readState<M extends Model>(
  files: Files,
  folder: string,
  model: M,
  until: Until = {},
): Promise<{ database: Database<M>; warnings: readonly string[] }> {
  return readStateInto(files, folder, () => new Database(model), until);
}

/**
 * Reads the data as {@link readState} does, into a database of the caller's.
 * @param empty gives a database without records, whenever reading begins
 */
export async function readStateInto<M extends Model>(
  files: Files,
  folder: string,
  empty: () => Database<M>,
  until: Until = {},
): Promise<{ database: Database<M>; warnings: readonly string[] }> {
  const names = await files.readdir(folder);
  if (!hasData(names)) throw new Failure("UNKNOWN_ENTRY", `There is no data in ${folder}.`);
  const warnings: string[] = [];
  const reachable = snapshotsIn(names).filter((sequence) => sequence <= (until.sequence ?? Infinity));
  const database = await newestWholeSnapshot(files, folder, empty, reachable, warnings);
  await replay(files, folder, names, database, until);
  return { database, warnings };
}

/** Told of changes that a journal lacks between others, by the numbers of the first and the last of them. */
export type OnMissing = (first: number, last: number) => void;

/**
 * Every record of the journal behind a change, in order; as many are in memory as one piece of a file has. Numbers that
 * the files do not have any more are left out.
 * @param onMissing told where that is between others: a file was lost, or `data repair` could not save it
 * @throws Failure `STORE_UNAVAILABLE` at the first damage; what stands before it has been given by then
 */
export async function* readHistory(
  files: Files,
  folder: string,
  after = 0,
  onMissing: OnMissing = () => {},
): AsyncGenerator<JournalRecord> {
  let last: number | undefined;
  for (const first of historyAfter(segmentsIn(await files.readdir(folder)), after)) {
    if (last !== undefined && first > last + 1) onMissing(last + 1, first - 1);
    let end = first - 1;
    const records: JournalRecord[] = [];
    const told = ({ record }: ReadRecord) => {
      end = record.sequence;
      if (end > after) records.push(record);
    };
    const pieces = readByPieces(files, folder, first, told);
    try {
      for await (const _ of pieces) yield* records.splice(0);
      last = Math.max(last ?? 0, end);
    } catch (error) {
      // Dropped meanwhile, since its retention is over.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      last = undefined;
    }
    yield* records;
  }
}

function historyAfter(firsts: readonly number[], after: number): readonly number[] {
  const needed = segmentsAfter(firsts, after);
  return needed.length === 0 ? firsts : needed;
}

/** The refusal where the files do not reach back to a change any more. */
function outOfReach(folder: string, sequence: number): Failure {
  return new Failure("UNKNOWN_ENTRY", `${folder} does not reach back to change ${sequence}.`, {
    hint: "Only what is within the retention can be told; see `addon-cli data status`.",
  });
}
