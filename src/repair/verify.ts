/**
 * Verifies a data folder: reads all its files and finds every fault. Changes nothing and takes no lock.
 *
 * A start checks only what it reads. This checks every snapshot and every segment, from the oldest to the newest: does
 * each change begin with the values that the one before it left, does the journal lead from each snapshot to exactly the
 * next, and are the newest records consistent?
 */
import { join } from "node:path";
import { findInconsistencies, type Inconsistency } from "../backup/consistency.ts";
import { Failure } from "../domain/errors.ts";
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
import { listData, steadily } from "../store/listing.ts";
import { Cursor } from "./cursor.ts";
import { abridged, type Fault, range } from "./fault.ts";
import { type InspectedSegment, inspectSegment, type SegmentStart } from "./inspect-segment.ts";
import { inspectSnapshot } from "./inspect-snapshot.ts";
import { quote } from "./known-records.ts";
import type { SegmentEntry } from "./segment-entries.ts";
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

/**
 * Verifies a folder.
 * @param options.running whether a service is writing to it, so that its last line may be incomplete
 * @throws Failure `UNKNOWN_ENTRY` where there is no data in it
 */
export function verify(files: Files, folder: string, options: { running: boolean }): Promise<Verified> {
  return steadily(async () => {
    const names = await listData(files, folder);
    return new Verification(files, folder, names, options.running).run();
  });
}

class Verification {
  readonly #files: Files;
  readonly #folder: string;
  readonly #names: readonly string[];
  readonly #running: boolean;
  readonly #problems: Fault[] = [];
  readonly #remarks: string[] = [];
  readonly #snapshots: number[];
  readonly #segments: number[];
  /** The snapshots that are yet to be visited. */
  readonly #waiting: number[];
  readonly #cursor: Cursor;
  readonly #clock = new ClockSteps();
  /** The last segment with changes. */
  #previous: number | undefined;
  #changes = 0;
  #records = 0;

  constructor(files: Files, folder: string, names: readonly string[], running: boolean) {
    this.#files = files;
    this.#folder = folder;
    this.#names = names;
    this.#running = running;
    this.#snapshots = snapshotsIn(names);
    this.#segments = segmentsIn(names);
    this.#waiting = [...this.#snapshots];
    // Before change 1 there are no records; if the journal begins later, none is known.
    const [first = 1] = this.#segments;
    this.#cursor = first === 1 ? new Cursor(0, 0, true) : new Cursor(first - 1, undefined, false);
  }

  async run(): Promise<Verified> {
    const [oldest] = this.#segments;
    for (const sequence of this.#waiting.filter((each) => oldest === undefined || each < oldest - 1)) {
      this.#waiting.shift();
      await this.#visit(sequence);
      const what = `the journal from change ${sequence + 1} on, which follows this snapshot, is missing`;
      this.#damage(snapshotFile(sequence), 0, what);
    }
    if (oldest !== undefined && oldest > 1 && this.#snapshots.length === 0) {
      const what = `the journal before change ${oldest} and every snapshot are missing`;
      this.#damage(segmentFile(oldest), 0, what);
    }
    await this.#visitUpTo(this.#cursor.sequence);
    for (const [index, first] of this.#segments.entries()) {
      await this.#readSegment(first, this.#segments[index + 1]);
    }
    for (const sequence of this.#waiting.splice(0)) {
      const last = this.#cursor.sequence;
      await this.#visit(sequence);
      const what = `it contains change ${sequence}, but the journal ends with ${last}`;
      this.#damage(snapshotFile(sequence), 0, what);
    }
    this.#requireNewest();
    if (this.#clock.warning !== undefined) this.#remarks.push(this.#clock.warning);
    this.#remarkOthers();
    const isSound = this.#problems.length === 0;
    return {
      problems: abridged(this.#problems),
      inconsistencies: isSound ? await findInconsistencies(this.#cursor.records.toDatabase().view) : [],
      remarks: this.#remarks,
      snapshots: this.#snapshots.length,
      segments: this.#segments.length,
      changes: this.#changes,
      records: this.#records,
      sequence: this.#cursor.sequence,
    };
  }

  async #readSegment(first: number, next: number | undefined): Promise<void> {
    const cursor = this.#cursor;
    const file = segmentFile(first);
    const pieces = piecesOf(this.#files, join(this.#folder, file));
    const chains = cursor.chain === undefined ? [] : [cursor.chain];
    const from = this.#problems.length;
    let isLinked = false;
    const segment = await this.#inspect(
      inspectSegment(pieces, { first, next }, chains, async (entries, start) => {
        if (!isLinked) await this.#link(start);
        isLinked = true;
        for (const entry of entries) await this.#advance(file, entry);
      }),
      file,
    );
    if (segment === undefined) return cursor.forget();
    // The faults of the file come before those of its changes.
    const others = this.#problems.splice(from);
    for (const fault of segment.faults) this.#problems.push(fault);
    this.#checkTail(segment, next === undefined);
    for (const fault of others) this.#problems.push(fault);
    if (!isLinked && first <= cursor.sequence) {
      this.#remarks.push(
        `${file} has no changes: a failed snapshot created it, and the journal went on in the file before it.`,
      );
      return;
    }
    if (!isLinked) await this.#link(segment);
    this.#previous = first;
  }

  async #advance(file: string, entry: SegmentEntry): Promise<void> {
    const cursor = this.#cursor;
    if (entry.record === undefined) {
      cursor.forget();
      return;
    }
    const { record, chain, offset } = entry;
    this.#changes += 1;
    this.#clock.take(record);
    // After lines that cannot be read, a snapshot may have the records again.
    await this.#visitUpTo(record.sequence - 1);
    for (const { collection, key, before } of record.changes) {
      if (cursor.records.allows(collection, key, before)) continue;
      const was = quote(cursor.records.get(collection, key));
      const what = `change ${record.sequence} says that ${collection} ${key} was ${quote(before)}, but it was ${was}`;
      this.#problems.push({ file, offset, what, kind: "content" });
    }
    cursor.advance(record, chain);
    await this.#visitUpTo(cursor.sequence);
  }

  /** Checks that the segment begins at the cursor, and moves the cursor there if not. */
  async #link({ file, first, chain }: SegmentStart): Promise<void> {
    const cursor = this.#cursor;
    if (first > cursor.sequence + 1) {
      const lacking = range(cursor.sequence + 1, first - 1);
      this.#damage(file, 0, `it begins with change ${first}, but the journal before it lacks ${lacking}`);
      await this.#visitUpTo(first - 1);
      if (cursor.sequence < first - 1) cursor.forget();
      cursor.sequence = first - 1;
    } else if (first <= cursor.sequence) {
      this.#damage(file, 0, `it begins with change ${first}, but the file before it has ${cursor.sequence}`);
      cursor.forget();
    }
    if (chain === undefined || cursor.chain === undefined || chain === cursor.chain) return;
    const previous = this.#previous === undefined ? "" : ` in ${segmentFile(this.#previous)}`;
    this.#damage(file, 0, `it does not follow what was written before it${previous}`);
    cursor.forget();
  }

  /** A segment is begun before the snapshot whose changes it follows: without it, changes may be missing. */
  #requireNewest(): void {
    const newest = this.#snapshots.at(-1);
    if (newest === undefined || this.#segments.length === 0 || newest !== this.#cursor.sequence) return;
    if (this.#segments.includes(newest + 1)) return;
    const what = `the file is missing: it was created before ${snapshotFile(newest)}, and may have had changes`;
    this.#damage(segmentFile(newest + 1), 0, what);
  }

  #checkTail({ tail, file }: InspectedSegment, isNewest: boolean): void {
    if (tail === undefined) return;
    if (isNewest && this.#running) {
      this.#remarks.push(
        `${file} ends in an incomplete line at byte ${tail.offset}: the service is writing it.`,
      );
    } else if (!isNewest) {
      this.#damage(file, tail.offset, "the line is incomplete, and later segments exist");
    } else if (tail.readable) {
      this.#damage(file, tail.offset, "the line feed at the end is missing; the next start adds it");
    } else {
      const what = `the line is incomplete: ${tail.length} bytes that were never acknowledged; the next start cuts them off`;
      this.#damage(file, tail.offset, what);
    }
  }

  /** Visits the waiting snapshots up to a change. */
  async #visitUpTo(sequence: number): Promise<void> {
    for (let [next] = this.#waiting; next !== undefined && next <= sequence; [next] = this.#waiting) {
      this.#waiting.shift();
      await this.#visit(next);
    }
  }

  /** Compares a snapshot with the records at the cursor, and moves the cursor to it. */
  async #visit(sequence: number): Promise<void> {
    const file = snapshotFile(sequence);
    const comparison = new SnapshotComparison(this.#cursor, sequence);
    const pieces = piecesOf(this.#files, join(this.#folder, file));
    const inspected = inspectSnapshot(pieces, sequence, (record) => comparison.take(record));
    const snapshot = await this.#inspect(inspected, file);
    if (snapshot === undefined) return;
    for (const fault of snapshot.faults) this.#problems.push(fault);
    this.#records += snapshot.count;
    if (!snapshot.complete || snapshot.faults.some(({ kind }) => kind === "content")) return;
    for (const fault of comparison.end(snapshot)) this.#problems.push(fault);
  }

  async #inspect<T>(inspected: Promise<T>, file: string): Promise<T | undefined> {
    try {
      return await inspected;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // A newer version of the program wrote it: nothing in it can be checked.
      this.#damage(file, 0, error.message.replace(/\.$/, ""));
      return undefined;
    }
  }

  #remarkOthers(): void {
    for (const name of this.#names) {
      if (name === unsyncedMarker) {
        this.#remarks.push("A sync failed before the service ended: the next start writes everything again.");
      }
      if (name.endsWith(brokenSuffix)) {
        this.#remarks.push(`${name} is an incomplete last change that a start cut off and kept.`);
      }
      if (isEarlierFolder(name)) this.#remarks.push(`${name} has earlier data files; it was not verified.`);
    }
  }

  #damage(file: string, offset: number, what: string): void {
    this.#problems.push({ file, offset, what, kind: "damage" });
  }
}
