/**
 * Backups: a snapshot (`snapshot.ts` has the form of its lines) compressed with gzip, in one file. A backup is read
 * completely, every checksum and every record, before anything is done with it: when it is made, and when it is
 * restored. `zcat <file> | cut -c10- | jq .` reads it.
 */
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gunzip } from "node:zlib";
import { Failure } from "../errors.ts";
import { model } from "../model.ts";
import type { Database } from "../store/collection.ts";
import { type Files, writeDurably } from "../store/files.ts";
import { readSnapshot, snapshotFile, snapshotsIn } from "../store/snapshot.ts";
import { type InspectedSnapshot, inspectSnapshot } from "./inspect.ts";
import { requireFree } from "./target.ts";
import { listData, steadily } from "./verify.ts";

/** How far an operation has come, from 0 to 1. */
export type Progress = (share: number) => void;

export interface BackupResult {
  /** The number of the last change that it contains. */
  readonly sequence: number;
  /** When the snapshot was begun, in milliseconds since 1970. */
  readonly instant: number | null;
  readonly records: number;
  /** The length of the file. */
  readonly bytes: number;
}

export interface ReadBackup {
  readonly database: Database<typeof model>;
  readonly instant: number | null;
  readonly records: number;
}

const pieceLength = 256 * 1024;

/**
 * Writes the newest snapshot of a folder into a file, compressed.
 * @throws Failure `CONFLICT` where the file exists and `force` is false, `STORE_UNAVAILABLE` where the snapshot is
 * damaged
 */
export async function writeBackup(
  files: Files,
  folder: string,
  target: string,
  { force, progress }: { force: boolean; progress: Progress },
): Promise<BackupResult> {
  await requireFree(files, target, force);
  const { name, bytes } = await steadily(async () => {
    const newest = snapshotsIn(await listData(files, folder)).at(-1);
    if (newest === undefined) throw new Failure("UNKNOWN_ENTRY", `There is no snapshot in ${folder}.`);
    return { name: snapshotFile(newest), bytes: await files.readFile(join(folder, snapshotFile(newest))) };
  });
  const path = join(folder, name);
  const { sequence, instant, records } = requireWhole(inspectSnapshot(bytes, undefined, path), path);
  const pieces = Readable.from(slices(bytes, progress)).pipe(createGzip());
  const written = await writeDurably(files, target, pieces as AsyncIterable<Uint8Array>);
  return { sequence, instant: instant ?? null, records: records.length, bytes: written };
}

/**
 * Reads a backup, compressed or not, and verifies it completely.
 * @throws Failure `UNKNOWN_ENTRY` where there is no such file, `STORE_UNAVAILABLE` where it is no whole backup
 */
export async function readBackup(files: Files, path: string): Promise<ReadBackup> {
  const bytes = await unpacked(await readGiven(files, path), path);
  const { instant, records } = requireWhole(inspectSnapshot(bytes, undefined, path), path);
  return { database: readSnapshot(bytes, model), instant: instant ?? null, records: records.length };
}

/** Reads a file that an operator has named. @throws Failure `UNKNOWN_ENTRY` where there is none */
export async function readGiven(files: Files, path: string): Promise<Buffer> {
  try {
    return await files.readFile(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new Failure("UNKNOWN_ENTRY", `There is no file ${path}.`, { cause });
    throw new Failure("STORE_UNAVAILABLE", `${path} can not be read: ${message}.`, { cause });
  }
}

async function unpacked(bytes: Buffer, path: string): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes);
  } catch (cause) {
    throw new Failure("STORE_UNAVAILABLE", `${path} is damaged: ${(cause as Error).message}.`, {
      hint: "Use another backup; nothing was changed.",
      cause,
    });
  }
}

function requireWhole(snapshot: InspectedSnapshot, path: string): InspectedSnapshot {
  const [first, ...more] = snapshot.faults;
  if (first === undefined) return snapshot;
  const others = more.length === 0 ? "" : `, and ${more.length} more`;
  throw new Failure(
    "STORE_UNAVAILABLE",
    `${basename(path)} is not a whole backup: at byte ${first.offset}, ${first.what}${others}.`,
    { hint: "Use another backup, one that `addon-cli data backup` has written; nothing was changed." },
  );
}

function* slices(bytes: Buffer, progress: Progress): Generator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += pieceLength) {
    progress(offset / bytes.length);
    yield bytes.subarray(offset, offset + pieceLength);
  }
  progress(1);
}
