/** Replaying the journal over the data of a snapshot. */
import { join } from "node:path";
import type { Failure } from "../domain/errors.ts";
import type { JournalRecord } from "./change.ts";
import type { Database } from "./collection.ts";
import type { Files } from "./folder/files.ts";
import { segmentFile, segmentsAfter, segmentsIn, snapshotsIn } from "./folder/folder-names.ts";
import { damaged, lacking, outOfReach } from "./folder/refusals.ts";
import type { ReadRecord, ReadSegment } from "./journal/segment.ts";
import { readSegmentFile } from "./journal/segment-file.ts";

/** How {@link replay} reads the journal. */
export interface ReplayOptions {
  /** The last change to apply. */
  readonly until?: number | undefined;
  /** Is called with every record that is read, applied or not. */
  readonly onRecord?: (record: JournalRecord) => void;
}

/**
 * Applies the changes of the journal that a database, which is that of a snapshot, lacks.
 * @param names the listing of the folder
 * @returns the number of applied changes, and the newest segment
 * @throws Failure `STORE_UNAVAILABLE` where a segment is damaged, a change is missing, or does not follow the one
 * before it; `UNKNOWN_ENTRY` where the journal does not reach back to `until`
 */
export async function replay(
  files: Files,
  folder: string,
  names: readonly string[],
  database: Database,
  options: ReplayOptions = {},
): Promise<{ replayed: number; newest: ReadSegment }> {
  const { sequence } = database;
  const firsts = segmentsIn(names);
  const replay = new Replay(folder, database, options);
  for (const first of segmentsAfter(firsts, sequence)) await replay.take(files, first);
  // A segment is begun before a snapshot is written: after the newest snapshot, even a damaged one, there must be one.
  const snapshot = snapshotsIn(names).at(-1) ?? 0;
  if ((firsts.at(-1) ?? 0) <= snapshot && replay.last <= snapshot) throw lacking(folder, snapshot + 1);
  const { newest, fault } = replay;
  if (newest === undefined) {
    throw options.until === undefined ? lacking(folder, sequence + 1) : outOfReach(folder, options.until);
  }
  if (fault !== undefined) throw fault;
  return { replayed: database.sequence - sequence, newest };
}

/**
 * Applies records as they are read. All segments are read to their ends, also after a fault: damage in one of them takes
 * precedence over segments that do not fit together.
 */
class Replay {
  readonly #folder: string;
  readonly #database: Database;
  readonly #start: number;
  readonly #until: number;
  readonly #onRecord: (record: JournalRecord) => void;
  /** The number of the last record that was read. */
  last = 0;
  /** The newest segment that was read. */
  newest: ReadSegment | undefined;
  /** Why the segments do not fit together. */
  fault: Failure | undefined;
  /** Whether all changes to apply are applied. */
  #isDone = false;
  /** The fault of the newest segment if another one follows. */
  #torn: Failure | undefined;
  /** Of the current segment: its file, whether replaying had ended before it, the last change and its checksum. */
  #path = "";
  #endedBefore = false;
  #sequence = 0;
  #chain = 0;

  constructor(folder: string, database: Database, options: ReplayOptions) {
    this.#folder = folder;
    this.#database = database;
    this.#start = database.sequence;
    this.#until = options.until ?? Number.POSITIVE_INFINITY;
    this.#onRecord = options.onRecord ?? (() => {});
  }

  /** Reads the segment that begins with `first`. @throws Failure where it is damaged */
  async take(files: Files, first: number): Promise<void> {
    const parts = readSegmentFile(files, this.#folder, first);
    let hasBegun = false;
    let part = await parts.next();
    for (; part.done !== true; part = await parts.next()) {
      if (!hasBegun) this.#begin(part.value.header);
      hasBegun = true;
      for (const read of part.value.records) this.#apply(read);
    }
    const segment = part.value;
    // A failed snapshot has begun it: the changes since went on in the segment before.
    if (!hasBegun && segment.first <= this.last) return;
    if (!hasBegun) this.#begin(segment);
    this.#end(segment);
  }

  get #hasEnded(): boolean {
    return this.fault !== undefined || this.#isDone;
  }

  #begin({ first, chain }: Pick<ReadSegment, "first" | "chain">): void {
    this.fault = this.#torn ?? this.fault;
    this.#path = join(this.#folder, segmentFile(first));
    const expected = this.#database.sequence + 1;
    if (this.newest !== undefined && first !== expected) {
      this.#fail(0, `it begins with change ${first}, but ${expected} is missing`);
    }
    this.#endedBefore = this.#hasEnded;
    this.#sequence = first - 1;
    this.#chain = chain;
    this.#requireFollowing(0, "it does not follow what was written before it");
  }

  #apply({ record, chain, offset }: ReadRecord): void {
    const { sequence } = record;
    this.last = sequence;
    this.#onRecord(record);
    this.#isDone ||= sequence > this.#until;
    if (this.#hasEnded) return;
    if (sequence > this.#database.sequence) this.#database.apply(record, chain);
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
    if (!this.#hasEnded) this.fault = damaged(this.#path, offset, what);
  }
}
