/** Replaying the journal over the data of a snapshot. */
import { join } from "node:path";
import type { JournalRecord } from "./change.ts";
import type { Database } from "./collection.ts";
import type { Files } from "./folder/files.ts";
import { segmentFile, segmentsAfter, segmentsIn, snapshotsIn } from "./folder/folder-names.ts";
import { damaged, lacking, outOfReach } from "./folder/refusals.ts";
import type { ReadSegment } from "./journal/segment.ts";
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
 * @returns the number of applied changes, and the newest segment that was read
 * @throws Failure `STORE_UNAVAILABLE` where a segment is damaged, a change is missing, or does not follow the one
 * before it; `UNKNOWN_ENTRY` where the journal does not reach back to `until`
 */
export async function replay(
  files: Files,
  folder: string,
  names: readonly string[],
  database: Database,
  { until, onRecord = () => {} }: ReplayOptions = {},
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
