/**
 * Verifies a data folder: reads all its files and finds every fault. Changes nothing and takes no lock.
 *
 * A start checks only what it reads. This checks every snapshot and every segment, from the oldest to the newest: does
 * each change begin with the values that the one before it left, does the journal lead from each snapshot to exactly the
 * next, and are the newest records consistent? It goes on after damage, and so finds what a repair can save, too; but it
 * compares no more records until a whole snapshot has all of them.
 */
import { join } from "node:path";
import { findInconsistencies, type Inconsistency } from "../backup/consistency.ts";
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
import { abridged, type Fault } from "./fault.ts";
import { Findings, type Rebuilt } from "./findings.ts";
import { inspectSnapshot } from "./inspect-snapshot.ts";
import { JournalReading } from "./journal-reading.ts";
import { SnapshotComparison } from "./snapshot-comparison.ts";

/** The result of {@link verify}. */
export interface Verified {
  /** In the order of the files. */
  readonly problems: readonly Fault[];
  /** Records of the newest data that do not fit together. They are searched for only if there are no problems. */
  readonly inconsistencies: readonly Inconsistency[];
  /** Remarks that are no faults, a sentence each. */
  readonly remarks: readonly string[];
  readonly snapshots: number;
  readonly segments: number;
  /** The number of changes in the journal. */
  readonly changes: number;
  /** The number of records in all snapshots. */
  readonly records: number;
  /** The number of the last change. */
  readonly sequence: number;
}

/** The result of {@link examine}. */
export interface Examined {
  readonly verified: Verified;
  /** The highest number that a change may have had. */
  readonly highest: number;
  /**
   * Returns the data as far as it can be read.
   * @throws Failure `STORE_UNAVAILABLE` where nothing can be saved, or a newer version of the program wrote a file
   */
  readonly rebuild: () => Rebuilt;
}

/**
 * Verifies a folder.
 * @param options.running whether a service is writing to it, so that its last line may be incomplete
 * @throws Failure `UNKNOWN_ENTRY` where there is no data in it
 */
export async function verify(files: Files, folder: string, options: { running: boolean }): Promise<Verified> {
  return (await examine(files, folder, options)).verified;
}

/** Verifies a folder as {@link verify} does, and finds what can be saved. */
export function examine(files: Files, folder: string, { running = false } = {}): Promise<Examined> {
  return retryIfMissing(async () => {
    const names = await listData(files, folder);
    return new Verification(files, folder, names, running).run();
  });
}

class Verification {
  readonly #files: Files;
  readonly #folder: string;
  readonly #names: readonly string[];
  readonly #snapshots: readonly number[];
  readonly #segments: readonly number[];
  /** The snapshots that are yet to be read. */
  readonly #waiting: number[];
  readonly #findings: Findings;
  readonly #clock = new ClockSteps();
  readonly #journal: JournalReading;
  /** The number of records in all snapshots. */
  #records = 0;

  constructor(files: Files, folder: string, names: readonly string[], running: boolean) {
    this.#files = files;
    this.#folder = folder;
    this.#names = names;
    this.#snapshots = snapshotsIn(names);
    this.#segments = segmentsIn(names);
    this.#waiting = [...this.#snapshots];
    // A folder with data has a file of one of the two kinds.
    const begins = [...this.#snapshots, ...this.#segments.map((first) => first - 1)];
    const findings = new Findings(Math.min(...begins), Math.max(...begins));
    this.#findings = findings;
    const readSnapshots = (sequence: number) => this.#readSnapshots(sequence);
    this.#journal = new JournalReading({
      files,
      folder,
      running,
      findings,
      clock: this.#clock,
      readSnapshots,
    });
  }

  async run(): Promise<Examined> {
    const findings = this.#findings;
    const [oldest] = this.#segments;
    if (oldest !== undefined && oldest > 1 && this.#snapshots.length === 0) {
      const what = `the journal before change ${oldest} and every snapshot are missing`;
      findings.damageAndLose(segmentFile(oldest), 0, what);
    }
    await this.#readSnapshots(findings.sequence);
    const newest = this.#segments.at(-1);
    for (const first of this.#segments) await this.#journal.read(first, first === newest);
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const what = `it contains change ${next}, but the journal ends with ${findings.sequence}`;
      await this.#journal.skipTo(next, snapshotFile(next), 0, what);
    }
    this.#journal.end();
    this.#requireNewest();
    this.#remark();
    // A folder whose only file ends within its header may never have had a change.
    const mayBeEmpty = this.#snapshots.length === 0 && this.#journal.headless === this.#segments.length;
    return {
      verified: await this.#verified(),
      highest: Math.max(findings.highest, findings.sequence),
      rebuild: () => findings.rebuilt(this.#folder, mayBeEmpty),
    };
  }

  async #verified(): Promise<Verified> {
    const { problems, remarks, records, sequence } = this.#findings;
    return {
      problems: abridged(problems),
      inconsistencies: problems.length > 0 ? [] : await findInconsistencies(records.toDatabase().view),
      remarks,
      snapshots: this.#snapshots.length,
      segments: this.#segments.length,
      changes: this.#journal.changes,
      records: this.#records,
      sequence,
    };
  }

  /** A segment is begun before the snapshot whose changes it follows: without it, changes may be missing. */
  #requireNewest(): void {
    const newest = this.#snapshots.at(-1);
    if (newest !== this.#findings.sequence || this.#segments.includes(newest + 1)) return;
    const what = `the file is missing: it was created before ${snapshotFile(newest)}, and may have had changes`;
    this.#findings.damageAndLose(segmentFile(newest + 1), 0, what);
  }

  /** Reads the waiting snapshots up to a change. */
  async #readSnapshots(sequence: number): Promise<void> {
    for (let [next] = this.#waiting; next !== undefined && next <= sequence; [next] = this.#waiting) {
      this.#waiting.shift();
      await this.#readSnapshot(next);
    }
  }

  async #readSnapshot(sequence: number): Promise<void> {
    const findings = this.#findings;
    const file = snapshotFile(sequence);
    await findings.unlessNewer(file, async () => {
      const comparison = new SnapshotComparison(findings, sequence);
      const pieces = piecesOf(this.#files, join(this.#folder, file));
      const snapshot = await inspectSnapshot(pieces, sequence, (record) => comparison.take(record));
      this.#records += snapshot.count;
      const isSound = snapshot.complete && snapshot.faults.every(({ kind }) => kind === "damage");
      const differences = isSound ? comparison.faults(snapshot) : [];
      for (const fault of [...snapshot.faults, ...differences]) findings.problems.push(fault);
      findings.take(snapshot, comparison);
    });
  }

  #remark(): void {
    const { remarks } = this.#findings;
    if (this.#clock.warning !== undefined) remarks.push(this.#clock.warning);
    for (const name of this.#names) {
      if (name === unsyncedMarker) {
        remarks.push("A sync failed before the service ended: the next start writes everything again.");
      }
      if (name.endsWith(brokenSuffix)) {
        remarks.push(`${name} is an incomplete last change that a start cut off and kept.`);
      }
      if (isEarlierFolder(name)) remarks.push(`${name} has earlier data files; it was not verified.`);
    }
  }
}
