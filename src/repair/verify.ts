/**
 * Verifies a data folder: reads all its files and finds every fault. Changes nothing and takes no lock.
 *
 * A start checks only what it reads. This checks every snapshot and every segment, from the oldest to the newest: does
 * each change begin with the values that the one before it left, does the journal lead from each snapshot to exactly the
 * next, and are the newest records consistent? It goes on after damage, and so finds what a repair can save, too; but it
 * compares no more records until a whole snapshot has all of them.
 */
import { join } from "node:path";
import { findInconsistencies } from "../backup/consistency.ts";
import { ClockSteps } from "../store/clock.ts";
import { type Files, piecesOf } from "../store/folder/files.ts";
import {
  brokenSuffix,
  isEarlierFolder,
  segmentFile,
  segmentsIn,
  snapshotFile,
  snapshotsIn,
  unsyncedMarker,
} from "../store/folder/folder-names.ts";
import { listData, retryIfMissing } from "../store/folder/listing.ts";
import { numberInHeader } from "../store/journal/decoding.ts";
import { Findings } from "./findings.ts";
import { inspectSnapshot, type PlacedSnapshot } from "./inspect-snapshot.ts";
import { JournalReading } from "./journal-reading.ts";

/**
 * Verifies a folder, and finds what can be saved.
 * @param options.running whether a service is writing to it, so that its last line may be incomplete
 * @throws Failure `UNKNOWN_ENTRY` where there is no data in it
 */
export function examine(files: Files, folder: string, { running = false } = {}) {
  return retryIfMissing(async () => examineFiles(files, folder, await listData(files, folder), running));
}

async function examineFiles(files: Files, folder: string, names: readonly string[], running: boolean) {
  const snapshots = snapshotsIn(names);
  const segments = segmentsIn(names);
  /** The snapshots that are yet to be read. */
  const waiting = await placed(files, folder, snapshots);
  const newest = waiting.at(-1)?.sequence;
  // A folder with data has a file of one of the two kinds.
  const begins = [...waiting.map(({ sequence }) => sequence), ...segments.map((first) => first - 1)];
  const findings = new Findings(Math.min(...begins), Math.max(...begins));
  const clock = new ClockSteps();
  let records = 0;
  const readSnapshots = async (upTo: number) => {
    for (let [next] = waiting; next !== undefined && next.sequence <= upTo; [next] = waiting) {
      const snapshot = next;
      waiting.shift();
      await findings.unlessNewer(snapshot.file, async () => {
        records += await inspectSnapshot(piecesOf(files, join(folder, snapshot.file)), snapshot, findings);
      });
    }
  };
  const journal = new JournalReading({ files, folder, running, findings, clock, readSnapshots });

  const [oldest] = segments;
  if (oldest !== undefined && oldest > 1 && snapshots.length === 0) {
    const what = `the journal before change ${oldest} and every snapshot are missing`;
    findings.damageAndLose(segmentFile(oldest), 0, what);
  }
  await readSnapshots(findings.sequence);
  for (const first of segments) await journal.read(first, first === segments.at(-1));
  for (let [next] = waiting; next !== undefined; [next] = waiting) {
    const what = `it contains change ${next.sequence}, but the journal ends with ${findings.sequence}`;
    await journal.skipTo(next.sequence, next.file, 0, what);
  }
  journal.end();
  requireNewest(findings, newest, segments);
  const { problems, remarks, sequence } = findings;
  if (clock.warning !== undefined) remarks.push(clock.warning);
  remarks.push(...names.flatMap(remarksOn));
  // A folder whose only file ends within its header may never have had a change.
  const mayBeEmpty = snapshots.length === 0 && journal.headless === segments.length;
  return {
    verified: {
      /** In the order of the files. */
      problems,
      /** Records of the newest data that do not fit together. They are searched for only if there are no problems. */
      inconsistencies: problems.length > 0 ? [] : await findInconsistencies(findings.records.view),
      remarks,
      snapshots: snapshots.length,
      segments: segments.length,
      /** The number of changes in the journal. */
      changes: journal.changes,
      /** The number of records in all snapshots. */
      records,
      /** The number of the last change. */
      sequence,
    },
    /** The highest number that a change may have had. */
    highest: Math.max(findings.highest, sequence),
    /** Returns the data as far as it can be read. @throws Failure as {@link Findings.rebuilt} */
    rebuild: () => findings.rebuilt(folder, mayBeEmpty),
  };
}

/** Returns the snapshots by what their headers say that they contain: a file can have a wrong name. */
async function placed(files: Files, folder: string, names: readonly number[]): Promise<PlacedSnapshot[]> {
  const found: PlacedSnapshot[] = [];
  for (const name of names) {
    const file = snapshotFile(name);
    const sequence = await numberInHeader(files, join(folder, file), "sequence");
    const isNumber = Number.isSafeInteger(sequence) && Number(sequence) < 1e12;
    found.push({ file, name, sequence: isNumber ? Number(sequence) : name });
  }
  return found.sort((a, b) => a.sequence - b.sequence);
}

/** A segment is begun before the snapshot whose changes it follows: without it, changes may be missing. */
function requireNewest(findings: Findings, newest: number | undefined, segments: readonly number[]): void {
  if (newest !== findings.sequence || segments.includes(newest + 1)) return;
  const what = `the file is missing: it was created before ${snapshotFile(newest)}, and may have had changes`;
  findings.damageAndLose(segmentFile(newest + 1), 0, what);
}

/** Returns what is to be said of a file that is no data. */
function remarksOn(name: string): string[] {
  if (name === unsyncedMarker)
    return ["A sync failed before the service ended: the next start writes everything again."];
  if (name.endsWith(brokenSuffix))
    return [`${name} is an incomplete last change that a start cut off and kept.`];
  return isEarlierFolder(name) ? [`${name} has earlier data files; it was not verified.`] : [];
}
