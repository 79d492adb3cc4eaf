/**
 * Writes backups. A backup is a snapshot (`store/snapshot.ts`), compressed with gzip. It gets its name only after every
 * checksum and every record was read back. `zcat <file> | cut -c10- | jq .` reads it, too.
 */
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import type { Files } from "../store/folder/files.ts";
import { readState } from "../store/reading.ts";
import { encodeSnapshot } from "../store/snapshot.ts";
import { requireFree, writeTarget } from "./output-file.ts";
import { recordFault } from "./record.ts";
import { countOf, readBackup } from "./source.ts";

/**
 * Writes all data of a folder into a compressed file. The folder is only read, so that data on a full or failing disk can
 * still be saved. A service may be running on it; what it has acknowledged is in the files.
 * @returns the number of the last change in it, that of its records, its size in bytes, and the faults of the data files
 * that did not prevent it, a sentence each
 * @throws Failure `CONFLICT` where the file exists and `force` is false, `STORE_UNAVAILABLE` where the data is damaged
 */
export async function writeBackup(
  files: Files,
  folder: string,
  target: string,
  { force, now }: { force: boolean; now: number },
) {
  await requireFree(files, target, force);
  const { database, warnings } = await readState(files, folder, model);
  requireSound(folder, database);
  const records = countOf(database);
  const gzip = createGzip();
  // Errors are thrown where the pieces are read.
  pipeline(Readable.from(encodeSnapshot(database, now)), gzip, () => {});
  const verify = async (path: string) => {
    // Any fault is found now, not when the backup is needed.
    const read = await readBackup(files, path);
    if (read.records !== records) throw new Error(`expected ${records} records, got ${read.records}`);
  };
  const bytes = await writeTarget(files, target, gzip, { verify });
  return { sequence: database.sequence, instant: now, records, bytes, warnings };
}

/** Checks every record. @throws Failure `STORE_UNAVAILABLE` where one is invalid */
function requireSound(folder: string, database: Database<typeof model>): void {
  for (const [name, collection] of database.collections) {
    for (const record of collection.values()) {
      const fault = recordFault(name, record);
      if (fault === undefined) continue;
      throw new Failure("STORE_UNAVAILABLE", `The data in ${folder} is invalid: ${fault}.`, {
        hint: "`addon-cli data verify` shows the position; no backup was written.",
      });
    }
  }
}
