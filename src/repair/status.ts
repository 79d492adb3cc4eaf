/** The status of a data folder: how much data it has, how recent it is, and how far back it reaches. Takes no lock. */
import { access, constants, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { model } from "../domain/model.ts";
import { reasonOf } from "../domain/system-error.ts";
import { spaceFor } from "../store/folder/disk.ts";
import { nodeFiles } from "../store/folder/files.ts";
import {
  segmentFile,
  segmentsIn,
  snapshotFile,
  snapshotsIn,
  tablesFolder,
} from "../store/folder/folder-names.ts";
import { listData, retryIfMissing } from "../store/folder/listing.ts";
import { remedyFor } from "../store/folder/refusals.ts";
import { numberInHeader } from "../store/journal/decoding.ts";
import { readHistory } from "../store/journal/history.ts";
import { readState } from "../store/reading.ts";

/** The number of a change or a snapshot, and its instant in milliseconds since 1970, null where that is unknown. */
export interface Mark {
  readonly sequence: number;
  readonly instant: number | null;
}

export type Status = Awaited<ReturnType<typeof statusOf>>;

/** Bytes by kind of file. `kept` are the files in folders, such as earlier data files. */
type Bytes = Record<"snapshots" | "journal" | "kept" | "other" | "total", number>;

/** Returns the status of a folder. @throws Failure `UNKNOWN_ENTRY` where there is no data in it */
export function statusOf(folder: string) {
  return retryIfMissing(async () => {
    const names = await listData(nodeFiles, folder);
    const snapshots = snapshotsIn(names);
    const segments = segmentsIn(names);
    const { records, lists, lastChange, problem } = await readData(folder);
    const markOf = async (sequence: number | undefined, toFile: (sequence: number) => string) => {
      if (sequence === undefined) return null;
      return { sequence, instant: (await numberInHeader(nodeFiles, join(folder, toFile(sequence)))) ?? null };
    };
    const [first] = segments;
    const journalFrom = await markOf(first, segmentFile);
    const oldest = snapshots.find((sequence) => first !== undefined && first <= sequence + 1);
    const backTo = first === 1 ? journalFrom : await markOf(oldest, snapshotFile);
    return {
      folder,
      bytes: await bytesIn(folder),
      files: { snapshots: snapshots.length, segments: segments.length },
      records,
      lists,
      lastChange,
      lastSnapshot: await markOf(snapshots.at(-1), snapshotFile),
      /** The first change in the journal. */
      journalFrom,
      /** The earliest moment that can be restored, in milliseconds since 1970. */
      reachesBackTo: backTo?.instant ?? null,
      problem,
      disk: await diskOf(folder),
    };
  });
}

/** Returns how much of the disk is free, and why changes cannot be saved and what to do about it, or null. Writes nothing. */
async function diskOf(folder: string) {
  const { free, shortage } = await spaceFor(folder);
  const problem = await access(folder, constants.W_OK).then(
    () => shortage && `The disk is full: ${shortage}. Make room on it; until then changes can be refused.`,
    (error: unknown) => `${reasonOf(error)}. ${remedyFor(error) ?? ""}`.trimEnd(),
  );
  return { free, problem: problem ?? null };
}

/** Returns the numbers of records by collection and of entries by list, and the last change; or why they cannot be read. */
async function readData(folder: string) {
  try {
    const { database } = await readState(nodeFiles, folder, model);
    const { sequence } = database;
    const records = Object.fromEntries([...database.collections].map(([name, { size }]) => [name, size]));
    const lists: Record<string, number> = {};
    for (const { list } of database.view.entries.values()) lists[list] = (lists[list] ?? 0) + 1;
    let lastChange: Mark | null = sequence === 0 ? null : { sequence, instant: null };
    for await (const record of readHistory(nodeFiles, folder, sequence - 1))
      if (record.sequence === sequence) lastChange = { sequence, instant: record.instant };
    return { records, lists, lastChange, problem: null };
  } catch (error) {
    const { code }: NodeJS.ErrnoException = error as Error;
    // A file has vanished meanwhile: all of them are read again.
    if (code === undefined || code === "ENOENT") throw error;
    const remedy = remedyFor(error);
    return {
      records: null,
      lists: null,
      lastChange: null,
      problem: remedy === undefined ? reasonOf(error) : `${reasonOf(error)}. ${remedy}`,
    };
  }
}

/** @param subfolder of the data folder; empty for the folder itself */
async function bytesIn(folder: string, subfolder = ""): Promise<Bytes> {
  const bytes = { snapshots: 0, journal: 0, kept: 0, other: 0, total: 0 };
  const entries = await readdir(join(folder, subfolder), { withFileTypes: true }).catch((error: unknown) => {
    // Such as `lost+found` of a volume, which only root can read.
    if (subfolder !== "") return [];
    throw error;
  });
  for (const entry of entries) {
    const name = join(subfolder, entry.name);
    if (entry.isDirectory()) {
      const inside = await bytesIn(folder, name);
      for (const kind of Object.keys(bytes) as (keyof typeof bytes)[]) bytes[kind] += inside[kind];
    }
    if (!entry.isFile()) continue;
    const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }));
    bytes[kindOf(entry.name, subfolder)] += size;
    bytes.total += size;
  }
  return bytes;
}

/** @param subfolder of the data folder; empty for none */
function kindOf(name: string, subfolder: string): Exclude<keyof Bytes, "total"> {
  if (subfolder === tablesFolder) return "other";
  if (subfolder !== "") return "kept";
  if (snapshotsIn([name]).length > 0) return "snapshots";
  return segmentsIn([name]).length > 0 ? "journal" : "other";
}
