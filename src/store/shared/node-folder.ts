/** The folder of a node: which shared journal it is a copy of, and how it begins. */
import { join } from "node:path";
import { Failure } from "../../domain/errors.ts";
import { type Files, readBytes, writeDurably } from "../folder/files.ts";
import { segmentFile, segmentsIn, sharedMarker, snapshotFile, snapshotsIn } from "../folder/folder-names.ts";
import type { FolderLock } from "../folder/lock.ts";
import { headerLine } from "../journal/segment.ts";
import { type Sequencer, unusableJournal } from "./sequencer.ts";

/** Remembers that a folder is a copy of a shared journal. */
export async function markShared(files: Files, folder: string, id: string): Promise<void> {
  await writeDurably(files, join(folder, sharedMarker), [Buffer.from(`${id}\n`)]);
}

/** Returns whether a folder is a copy of a shared journal. */
export async function isShared(files: Files, folder: string): Promise<boolean> {
  return (await files.readdir(folder)).includes(sharedMarker);
}

/**
 * Refuses a folder that is a copy of a shared journal: what is changed only here would be missing there.
 * @param instead what to do
 */
export async function requireUnshared(
  files: Files,
  folder: string,
  instead = "Start the service on it, or name that journal with --journal or ADDON_JOURNAL.",
): Promise<void> {
  if (!(await isShared(files, folder))) return;
  throw new Failure("STORE_UNAVAILABLE", `${folder} is a copy of a journal that several machines share.`, {
    hint: `${instead} To leave it for good, delete ${join(folder, sharedMarker)}.`,
  });
}

/**
 * Makes a folder ready to follow a shared journal: one without data begins with the data there.
 * @returns the id of the journal
 * @throws Failure `CONFLICT` where the folder has data of its own
 */
export async function joinJournal(
  { files, folder, lock }: { files: Files; folder: string; lock: Pick<FolderLock, "takeNewestSegment"> },
  sequencer: Sequencer,
  now: number,
): Promise<string> {
  const refuse = (cause: unknown): never => {
    throw unusableJournal(sequencer.name, cause);
  };
  const { id } = await sequencer.state().catch(refuse);
  const names = await files.readdir(folder);
  if (names.includes(sharedMarker)) {
    const known = (await readBytes(files, join(folder, sharedMarker))).toString().trim();
    if (known !== id) throw ofAnotherJournal(folder, `is a copy of another journal than ${sequencer.name}`);
  } else if (snapshotsIn(names).length > 0 || segmentsIn(names).length > 0) {
    throw ofAnotherJournal(folder, `has data that ${sequencer.name} does not have`);
  } else await markShared(files, folder, id);
  // The snapshot comes last: without one the folder has not begun yet.
  if (snapshotsIn(names).length > 0 || segmentsIn(names).includes(1)) return id;
  const { head, pieces } = await sequencer.snapshot().catch(refuse);
  const first = head.sequence + 1;
  await writeDurably(files, join(folder, segmentFile(first)), [headerLine(first, head.chain, now)]);
  await lock.takeNewestSegment();
  // An error while reading is the journal's; one while writing is the folder's.
  const read = async function* () {
    try {
      yield* pieces;
    } catch (cause) {
      refuse(cause);
    }
  };
  await writeDurably(files, join(folder, snapshotFile(head.sequence)), read());
  return id;
}

function ofAnotherJournal(folder: string, what: string): Failure {
  return new Failure("CONFLICT", `${folder} ${what}.`, {
    hint: "Name an empty folder with --data: the machine begins with the data of the journal. `addon-cli journal init` brings the data of a folder into a new journal.",
  });
}
