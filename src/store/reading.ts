/**
 * Reading the data of a folder from its files: the newest whole snapshot, then every change of the journal after it.
 * Nothing is written. `recovery.ts` does so at a start, and repairs the end of the journal; reading the past needs no
 * lock, since files only grow, appear and vanish whole.
 */
import { join } from "node:path";
import type { Model } from "../domain/collection.ts";
import { Database } from "./collection.ts";
import { type Files, piecesOf, sizeOf } from "./folder/files.ts";
import { segmentFile, segmentsIn, snapshotFile, snapshotsIn } from "./folder/folder-names.ts";
import { listData, retryIfMissing } from "./folder/listing.ts";
import { readInstant } from "./journal/decoding.ts";
import { BrokenLine, NewerFormat } from "./journal/lines.ts";
import { type ReplayOptions, replay } from "./replay.ts";
import { readSnapshot } from "./snapshot.ts";

/** How {@link readState} reads. */
interface ReadOptions<M extends Model> extends ReplayOptions {
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
  return { bytes, since: await readInstant(files, oldest) };
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
      if (error instanceof NewerFormat) throw error.in(path);
      if (!(error instanceof BrokenLine)) throw error;
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
