/**
 * Reading everything that a data folder has, and telling every fault of it. Changes nothing and takes no lock.
 *
 * Beyond what the store checks at a start, which is what it needs to start, this looks at every snapshot and every
 * segment that is kept, and walks from the oldest to the newest: does each change begin with what the one before it
 * has left, does the journal lead from each snapshot to exactly the next, and are the newest records consistent?
 */
import { join } from "node:path";
import { findInconsistencies, type Inconsistency } from "../backup/consistency.ts";
import { listData, steadily } from "../store/listing.ts";
import { Failure } from "../domain/errors.ts";
import { ClockSteps } from "../store/clock.ts";
import { type Files, piecesOf } from "../store/folder/files.ts";
import { segmentFile, segmentsIn } from "../store/journal/segment.ts";
import { snapshotFile, snapshotsIn } from "../store/snapshot.ts";
import {
  type Fault,
  type InspectedSegment,
  inspectSegment,
  inspectSnapshot,
  type SegmentEntry,
  type SegmentHead,
} from "./inspect.ts";
import { quote, toJSON } from "./digests.ts";
import { SnapshotComparison } from "./snapshot-comparison.ts";
import { Walk } from "./cursor.ts";

/** What {@link verify} found. */
export interface Verified {
  /** In the order of the files. */
  readonly problems: readonly Fault[];
  /** Records of the newest data that do not fit together; looked for where there are no problems. */
  readonly inconsistencies: readonly Inconsistency[];
  /** What is worth knowing and no fault, a sentence each. */
  readonly remarks: readonly string[];
  readonly snapshots: number;
  readonly segments: number;
  /** The changes that the journal has. */
  readonly changes: number;
  /** The records in all snapshots. */
  readonly records: number;
  /** The number of the last change. */
  readonly sequence: number;
}

/**
 * Verifies a folder.
 * @param options.running whether a service writes in it: then its last line may be on its way
 * @throws Failure `UNKNOWN_ENTRY` where there is no data in it
 */
export function verify(files: Files, folder: string, options: { running: boolean }): Promise<Verified> {
  return steadily(async () => {
    const names = await listData(files, folder);
    const suspects = new Set<string>();
    for (;;) {
      const { size } = suspects;
      const verified = await new Verification(files, folder, names, options.running, suspects).run();
      if (suspects.size === size) return verified;
    }
  });
}

class Verification {
  readonly #files: Files;
  readonly #folder: string;
  readonly #names: readonly string[];
  readonly #running: boolean;
  readonly #suspects: Set<string>;
  readonly #problems: Fault[] = [];
  readonly #remarks: string[] = [];
  readonly #snapshots: number[];
  readonly #segments: number[];
  readonly #waiting: number[];
  #walk: Walk;
  readonly #clock = new ClockSteps();
  #previous: number | undefined;
  #changes = 0;
  #records = 0;

  /** @param suspects the records that differ, see {@link KnownRecords}: what is said of those that are added is not exact */
  constructor(
    files: Files,
    folder: string,
    names: readonly string[],
    running: boolean,
    suspects: Set<string>,
  ) {
    this.#files = files;
    this.#folder = folder;
    this.#names = names;
    this.#running = running;
    this.#suspects = suspects;
    this.#snapshots = snapshotsIn(names);
    this.#segments = segmentsIn(names);
    this.#waiting = [...this.#snapshots];
    // A journal that begins with change 1 begins with nothing; else the walk begins where the journal does.
    const [first = 1] = this.#segments;
    this.#walk = first === 1 ? new Walk(0, 0, true, suspects) : this.#walkFrom(first);
  }

  #walkFrom(first: number): Walk {
    return new Walk(first - 1, undefined, false, this.#suspects);
  }

  async run(): Promise<Verified> {
    const [oldest] = this.#segments;
    for (const sequence of this.#waiting.filter((each) => oldest === undefined || each < oldest - 1)) {
      this.#waiting.shift();
      await this.#visit(sequence);
      const what = `the journal from change ${sequence + 1} on, which follows this snapshot, is missing`;
      this.#damage(snapshotFile(sequence), 0, what);
      // Nothing leads from here to where the journal begins.
      if (oldest !== undefined) this.#walk = this.#walkFrom(oldest);
    }
    if (oldest !== undefined && oldest > 1 && this.#snapshots.length === 0) {
      this.#damage(
        segmentFile(oldest),
        0,
        `the journal before change ${oldest} and every snapshot are missing`,
      );
    }
    await this.#visitReached();
    for (const [index, first] of this.#segments.entries()) {
      await this.#readSegment(first, index === this.#segments.length - 1);
    }
    for (const sequence of this.#waiting.splice(0)) {
      const last = this.#walk.sequence;
      await this.#visit(sequence);
      this.#damage(
        snapshotFile(sequence),
        0,
        `it contains change ${sequence}, but the journal ends with ${last}`,
      );
    }
    this.#requireNewest();
    if (this.#clock.warning !== undefined) this.#remarks.push(this.#clock.warning);
    this.#remarkOthers();
    const isSound = this.#problems.length === 0;
    return {
      problems: this.#problems,
      inconsistencies: isSound ? await findInconsistencies(this.#walk.records.checked.data) : [],
      remarks: this.#remarks,
      snapshots: this.#snapshots.length,
      segments: this.#segments.length,
      changes: this.#changes,
      records: this.#records,
      sequence: this.#walk.sequence,
    };
  }

  async #readSegment(first: number, isNewest: boolean): Promise<void> {
    const walk = this.#walk;
    const file = segmentFile(first);
    const pieces = piecesOf(this.#files, join(this.#folder, file));
    const linked = walk.chain === undefined ? [] : [walk.chain];
    const from = this.#problems.length;
    let isLinked = false;
    const segment = await this.#inspect(
      inspectSegment(pieces, first, linked, async (entries, head) => {
        if (!isLinked) await this.#link(head);
        isLinked = true;
        for (const entry of entries) await this.#walkOver(file, entry);
      }),
      file,
    );
    if (segment === undefined) return walk.forget();
    // What is wrong with the file itself goes before what is wrong with what it says.
    const others = this.#problems.splice(from);
    for (const fault of segment.faults) this.#problems.push(fault);
    this.#tail(segment, isNewest);
    for (const fault of others) this.#problems.push(fault);
    if (!isLinked && first <= walk.sequence) {
      this.#remarks.push(
        `${file} has no changes: a snapshot that failed has begun it, and the journal went on before it.`,
      );
      return;
    }
    if (!isLinked) await this.#link(segment);
    this.#previous = first;
  }

  async #walkOver(file: string, entry: SegmentEntry): Promise<void> {
    const walk = this.#walk;
    if (entry.record === undefined) {
      walk.forget();
      return;
    }
    const { record, chain, offset } = entry;
    this.#changes += 1;
    this.#clock.take(record);
    // Behind lines that can not be read a snapshot may know again.
    while (this.#waiting[0] !== undefined && this.#waiting[0] < record.sequence) {
      await this.#visit(this.#waiting.shift() as number);
    }
    for (const { collection, key, before } of record.changes) {
      if (walk.records.equals(collection, key, before) !== false) continue;
      const was = quote(walk.records.valueOf(collection, key));
      const what = `change ${record.sequence} says that ${collection} ${key} was ${quote(toJSON(before))}, but it was ${was}`;
      this.#content(file, offset, what);
    }
    walk.apply(record, chain);
    await this.#visitReached();
  }

  /** Whether the segment goes on where the walk is. */
  async #link({ file, first, chain }: SegmentHead): Promise<void> {
    const walk = this.#walk;
    if (first > walk.sequence + 1) {
      this.#damage(file, 0, `it begins with change ${first}, but ${walk.sequence + 1} is missing`);
      walk.forget();
      while (this.#waiting[0] !== undefined && this.#waiting[0] < first) {
        await this.#visit(this.#waiting.shift() as number);
      }
      if (walk.sequence < first - 1) walk.forget();
      walk.sequence = first - 1;
    } else if (first <= walk.sequence) {
      this.#damage(file, 0, `it begins with change ${first}, but ${walk.sequence} stands before it already`);
      walk.forget();
      walk.sequence = first - 1;
    }
    if (chain === undefined || walk.chain === undefined || chain === walk.chain) return;
    this.#damage(
      file,
      0,
      `it does not follow what was written before it${this.#previous === undefined ? "" : ` in ${segmentFile(this.#previous)}`}`,
    );
    walk.forget();
  }

  /** A segment is begun before the snapshot is written that it goes on from: else changes would leave without a trace. */
  #requireNewest(): void {
    const newest = this.#snapshots.at(-1);
    if (newest === undefined || this.#segments.length === 0 || newest !== this.#walk.sequence) return;
    if (this.#segments.includes(newest + 1)) return;
    const what = `the file is missing: it was there before ${snapshotFile(newest)} was, and may have had changes`;
    this.#damage(segmentFile(newest + 1), 0, what);
  }

  #tail(segment: InspectedSegment, isNewest: boolean): void {
    const { tail, file } = segment;
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
      const what = `the line is incomplete: ${tail.length} bytes that nobody was told are saved; the next start cuts them off`;
      this.#damage(file, tail.offset, what);
    }
  }

  /** Looks at the snapshots of the change that the walk has come to. */
  async #visitReached(): Promise<void> {
    while (this.#waiting[0] !== undefined && this.#waiting[0] <= this.#walk.sequence) {
      await this.#visit(this.#waiting.shift() as number);
    }
  }

  /** Looks at a snapshot: is it what the walk has come to? The walk goes on from it. */
  async #visit(sequence: number): Promise<void> {
    const file = snapshotFile(sequence);
    const comparison = new SnapshotComparison(this.#walk, sequence);
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
      // A newer version of the program wrote it: there is nothing in it that could be judged.
      this.#damage(file, 0, error.message.replace(/\.$/, ""));
      return undefined;
    }
  }

  #remarkOthers(): void {
    for (const name of this.#names) {
      const unsynced = "A sync has failed before the service ended: the next start saves everything anew.";
      if (name === "unsynced") this.#remarks.push(unsynced);
      if (name.endsWith(".broken")) {
        this.#remarks.push(`${name} is an incomplete last change that a start has cut off and kept.`);
      }
      if (/^(?:replaced|damaged)-/.test(name))
        this.#remarks.push(`${name} has the files of before; it was not looked at.`);
    }
  }

  #damage(file: string, offset: number, what: string): void {
    this.#problems.push({ file, offset, what, kind: "damage" });
  }

  #content(file: string, offset: number, what: string): void {
    this.#problems.push({ file, offset, what, kind: "content" });
  }
}
