/** Beginning a segment of the journal. */
import { join } from "node:path";
import { createDurably, type File, type Files, ignoreMissing, readBytes, writeAll } from "../folder/files.ts";
import { brokenSuffix, segmentFile } from "../folder/folder-names.ts";
import type { FolderLock } from "../folder/lock.ts";
import { lineFeed } from "./lines.ts";
import type { Meter } from "./meter.ts";
import { headerLine } from "./segment.ts";

/** A data folder whose lock this process has. */
export interface LockedFolder {
  readonly files: Files;
  readonly folder: string;
  readonly lock: Pick<
    FolderLock,
    "lockSegment" | "begin" | "follow" | "misplaced" | "watch" | "hasLost" | "hasLostEarlier" | "supersede"
  >;
  /** Receives how long appends and syncs take. */
  readonly meter?: Meter | undefined;
}

/**
 * Creates a segment with only its header. It appears whole, so that an incomplete header is always damage. A file of its
 * name comes from a failed attempt and has no changes.
 */
export async function createSegment(
  { files, folder, lock }: LockedFolder,
  first: number,
  chain: number,
  now: number,
) {
  const bytes = headerLine(first, chain, now);
  const path = join(folder, segmentFile(first));
  const fill = (file: File) => {
    lock.lockSegment(file);
    return writeAll(file, bytes, 0);
  };
  const file = await createDurably(files, path, fill, { durable: true });
  return { file, size: bytes.length };
}

/** Ensures that a new segment does not replace one that has changes. */
export async function requireNoRecords(files: Files, folder: string, first: number): Promise<void> {
  const name = segmentFile(first);
  if (!(await files.readdir(folder)).includes(name)) return;
  const bytes = await readBytes(files, join(folder, name));
  const header = bytes.indexOf(lineFeed);
  if (header === -1 || header === bytes.length - 1) return;
  throw new Error(`${join(folder, name)} has changes that this process has not written`);
}

/** Keeps what is left of a lost segment, or came in its place, beside the one that takes its name. */
export async function moveAway(files: Files, path: string): Promise<void> {
  await files.rename(path, `${path}${brokenSuffix}`).catch(ignoreMissing);
}
