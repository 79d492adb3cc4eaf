/**
 * Writing backups: a snapshot (`snapshot.ts` has the form of its lines) compressed with gzip, in one file. It gets its
 * name only after every checksum and every record was read back. `zcat <file> | cut -c10- | jq .` reads it, too.
 */
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import type { Files } from "../store/folder/files.ts";
import { lineFeed } from "../store/journal/lines.ts";
import { steadily } from "../store/listing.ts";
import { readState } from "../store/reading.ts";
import { encodeSnapshot } from "../store/snapshot.ts";
import { requireFree, writeTarget } from "./output-file.ts";
import { recordFault } from "./record.ts";
import { readBackup } from "./source.ts";

/** How far an operation has come, from 0 to 1. */
export type Progress = (share: number) => void;

export interface BackupResult {
  /** The number of the last change that it contains. */
  readonly sequence: number;
  /** When it was made, in milliseconds since 1970. */
  readonly instant: number;
  readonly records: number;
  /** The length of the file. */
  readonly bytes: number;
  /** What is wrong with the files all the same, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Writes all data of a folder into a file, compressed. The folder is only read, so that a disk that is full or broken
 * can still be saved; a service may be running on it, and what it has acknowledged is in the files.
 * @throws Failure `CONFLICT` where the file exists and `force` is false, `STORE_UNAVAILABLE` where the data is damaged
 */
export async function writeBackup(
  files: Files,
  folder: string,
  target: string,
  { force, now, progress }: { force: boolean; now: number; progress: Progress },
): Promise<BackupResult> {
  await requireFree(files, target, force);
  const { database, warnings } = await steadily(() => readState(files, folder, model));
  const records = requireSound(folder, database);
  const encoded = encodeSnapshot(database, now);
  const gzip = createGzip();
  // Whatever fails is thrown where the pieces are read.
  pipeline(Readable.from(telling(encoded, records, progress)), gzip, () => {});
  const verify = async (path: string) => {
    // What went wrong on the way, whatever it was, is found now and not when the backup is needed.
    const read = await readBackup(files, path);
    if (read.records !== records) throw new Error(`it has ${read.records} records instead of ${records}`);
  };
  const bytes = await writeTarget(files, target, gzip, { verify });
  progress(1);
  return { sequence: database.sequence, instant: now, records, bytes, warnings };
}

/** Checks every record. Returns how many there are. @throws Failure `STORE_UNAVAILABLE` where one can not be */
function requireSound(folder: string, database: Database<typeof model>): number {
  let count = 0;
  for (const [name, collection] of database.collections) {
    for (const record of collection.values()) {
      const fault = recordFault(name, record);
      if (fault !== undefined) {
        throw new Failure("STORE_UNAVAILABLE", `The data in ${folder} is not right: ${fault}.`, {
          hint: "`addon-cli data verify` tells where it stands; no backup was written.",
        });
      }
      count += 1;
    }
  }
  return count;
}

/**
 * Passes pieces of lines on, and tells of how many of all lines they have. They are copied: a stream asks for the next
 * piece before it has used the last one, and by then an encoded piece is overwritten.
 */
async function* telling(
  pieces: AsyncIterable<Uint8Array>,
  records: number,
  progress: Progress,
): AsyncGenerator<Uint8Array> {
  let lines = 0;
  for await (const piece of pieces) {
    for (const byte of piece) if (byte === lineFeed) lines += 1;
    progress(Math.min(lines / (records + 2), 0.99));
    // A stream reads ahead, and a piece is gone when the next one is asked for.
    yield Buffer.from(piece);
  }
}
