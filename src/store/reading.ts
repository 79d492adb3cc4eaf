/**
 * Reading the data of a folder from its files: the newest whole snapshot, then every change of the journal after it.
 * Nothing is written. `recovery.ts` does so at a start, and repairs the end of the journal; reading the past needs no
 * lock, since files only grow, appear and vanish whole.
 */
import { join } from "node:path";
import type { Model } from "../domain/collection.ts";
import type { JournalRecord } from "./change.ts";
import { Database } from "./collection.ts";
import { type Files, piecesOf, sizeOf } from "./folder/files.ts";
import { segmentFile, segmentsAfter, segmentsIn, snapshotFile, snapshotsIn } from "./folder/folder-names.ts";
import { listData, retryIfMissing } from "./folder/listing.ts";
import { damaged, lacking, outOfReach } from "./folder/refusals.ts";
import { numberInHeader } from "./journal/decoding.ts";
import { BrokenLine } from "./journal/lines.ts";
import type { ReadSegment } from "./journal/segment.ts";
import { readSegmentFile, toDamage } from "./journal/segment-file.ts";
import { readSnapshot } from "./snapshot.ts";

/** How {@link readState} reads. */
interface ReadOptions<M extends Model> {
  /** The last change to apply. */
  readonly until?: number | undefined;
  /** Is called with every record of the journal that is read, applied or not. */
  readonly onRecord?: (record: JournalRecord) => void;
  /** Returns a database without records, for each attempt. */
  readonly empty?: () => Database<M>;
}

/** Reads the headers and the sizes of the journal and the newest snapshot, if there is one. Takes no lock. */
export function readDataFiles(files: Files, folder: string) {
  return retryIfMissing(async () => {
    const names = await listData(files, folder);
    return {
      journal: await written(files, folder, segmentsIn(names).map(segmentFile)),
      snapshot: await written(files, folder, snapshotsIn(names).slice(-1).map(snapshotFile)),
    };
  });
}

/** Returns the size of files in bytes, and when the first was begun; undefined where there are none. */
async function written(files: Files, folder: string, names: readonly string[]) {
  const paths = names.map((name) => join(folder, name));
  const [oldest] = paths;
  if (oldest === undefined) return undefined;
  let bytes = 0;
  for (const path of paths) bytes += await sizeOf(files, path);
  return { bytes, since: await numberInHeader(files, oldest) };
}

/**
 * Reads the newest snapshot that is whole, of those of some sequence numbers. Returns an empty database where there is
 * none.
 * @param warnings gets a sentence about each damaged snapshot
 */
async function newestWholeSnapshot<M extends Model>(
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
      if (!(error instanceof BrokenLine)) throw toDamage(path, error);
      warnings.push(
        `${path} is damaged at byte ${error.offset} (${error.message}); the one before it is used.`,
      );
    }
  }
  // Without any snapshot the journal has to begin with change 1, which replaying ensures.
  return empty();
}

/**
 * Reads the data as it is in the files, or as it was after the change `until`. Starts again if a running service deletes a
 * file meanwhile.
 * @returns also the faults of the files that did not prevent reading it, a sentence each, and what {@link replay} returns
 * @throws Failure `STORE_UNAVAILABLE` where the files are damaged, `UNKNOWN_ENTRY` where there is no data
 */
export function readState<M extends Model>(
  files: Files,
  folder: string,
  model: M,
  { empty = () => new Database(model), ...options }: ReadOptions<M> = {},
) {
  return retryIfMissing(async () => {
    const names = await listData(files, folder);
    const warnings: string[] = [];
    const { until = Infinity } = options;
    const reachable = snapshotsIn(names).filter((sequence) => sequence <= until);
    const database = await newestWholeSnapshot(files, folder, empty, reachable, warnings);
    return { database, warnings, ...(await replay(files, folder, names, database, options)) };
  });
}

/**
 * Applies the changes of the journal that a database, which is that of a snapshot, lacks.
 * @param names the listing of the folder
 * @returns the number of applied changes, and the newest segment that was read
 * @throws Failure `STORE_UNAVAILABLE` where a segment is damaged, a change is missing, or does not follow the one
 * before it; `UNKNOWN_ENTRY` where the journal does not reach back to `until`
 */
async function replay(
  files: Files,
  folder: string,
  names: readonly string[],
  database: Database,
  { until, onRecord = () => {} }: Pick<ReadOptions<Model>, "until" | "onRecord">,
): Promise<{ replayed: number; newest: ReadSegment }> {
  const start = database.sequence;
  const firsts = segmentsIn(names);
  /** The newest segment that was read, and its last change. */
  let newest: (ReadSegment & { readonly last: number }) | undefined;
  /** The number of the last change that was read. */
  let last = 0;
  for (const first of segmentsAfter(firsts, start)) {
    if (until !== undefined && last > until) break;
    const path = join(folder, segmentFile(first));
    const requireFollowing = (sequence: number, chain: number, offset: number, what: string) => {
      if (sequence === database.sequence && chain !== database.chain) throw damaged(path, offset, what);
    };
    let hasBegun = false;
    for await (const { header, records, end } of readSegmentFile(files, folder, first)) {
      // A failed snapshot has begun it: the changes since went on in the segment before.
      if (records.length === 0 && !hasBegun && first <= last) break;
      if (!hasBegun) {
        if (newest !== undefined) requireWhole(folder, newest, start);
        const expected = database.sequence + 1;
        if (newest !== undefined && first !== expected)
          throw damaged(path, 0, `it begins with change ${first}, but ${expected} is missing`);
        requireFollowing(first - 1, header.chain, 0, "it does not follow what was written before it");
        hasBegun = true;
      }
      for (const { record, chain, offset } of records) {
        last = record.sequence;
        onRecord(record);
        if (until !== undefined && last > until) continue;
        if (last > database.sequence) database.apply(record, chain);
        requireFollowing(last, chain, offset, "it does not follow the snapshot");
      }
      if (end !== undefined) newest = { ...end, last: Math.max(last, first - 1) };
    }
  }
  // A segment is begun before a snapshot is written: after the newest snapshot, even a damaged one, there must be one.
  const snapshot = snapshotsIn(names).at(-1) ?? 0;
  if ((firsts.at(-1) ?? 0) <= snapshot && last <= snapshot) throw lacking(folder, snapshot + 1);
  if (newest === undefined)
    throw until === undefined ? lacking(folder, start + 1) : outOfReach(folder, until);
  return { replayed: database.sequence - start, newest };
}

/** Checks a segment that another one follows. @throws Failure where it is not whole */
function requireWhole(
  folder: string,
  { first, last, end, torn, unterminated }: ReadSegment & { readonly last: number },
  start: number,
): void {
  const path = join(folder, segmentFile(first));
  if (torn > 0 || unterminated)
    throw damaged(path, end, "the change is incomplete, and later segments exist");
  if (last < start)
    throw damaged(path, end, `its last change is ${last}, but the snapshot contains ${start}`);
}
