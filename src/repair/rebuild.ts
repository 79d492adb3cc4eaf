/**
 * Rebuilds the data of damaged files: everything that is certainly as it was written (`scan.ts`), in its order, on the
 * newest snapshot that has all its records; and lists every loss.
 *
 * A newer snapshot has lost records itself. It is needed only where the journal that leads to it has gaps: then its
 * remaining records replace those from the journal.
 */
import { join } from "node:path";
import { Failure } from "../domain/errors.ts";
import { definitionOf, model } from "../domain/model.ts";
import type { JournalRecord } from "../store/change.ts";
import { Database } from "../store/collection.ts";
import { type Files, piecesOf } from "../store/folder/files.ts";
import { segmentFile, segmentsIn, snapshotFile, snapshotsIn } from "../store/folder/folder-names.ts";
import { listData } from "../store/listing.ts";
import { legibleIn, range } from "./fault.ts";
import { type InspectedSegment, inspectSegment } from "./inspect-segment.ts";
import { type InspectedSnapshot, inspectSnapshot, type PlacedRecord } from "./inspect-snapshot.ts";
import { type Gap, lostChanges, type SegmentEntry } from "./segment-entries.ts";

/** Something that could not be saved. */
export interface Loss {
  readonly file: string;
  /** In bytes. */
  readonly offset: number;
  readonly what: string;
  /** What can be made out of it, which is not reliable; null where that is nothing. */
  readonly known: string | null;
}

/** Something that was saved. */
export interface Saved {
  readonly file: string;
  readonly what: string;
}

/** The result of {@link rebuild}. */
export interface Rebuilt {
  readonly database: Database<typeof model>;
  readonly saved: readonly Saved[];
  readonly lost: readonly Loss[];
}

/**
 * Rebuilds the data of a folder in memory. Changes nothing.
 * @throws Failure `STORE_UNAVAILABLE` where nothing can be saved, or a newer version of the program wrote a file
 */
export async function rebuild(files: Files, folder: string): Promise<Rebuilt> {
  const names = await listData(files, folder);
  return new Rebuilding(files, folder).run(snapshotsIn(names), segmentsIn(names));
}

/** The length of the shortest line of a change, in bytes: so many bytes cannot have been more changes. */
const shortestChange = 64;

/** A file with all its contents: what is saved of it depends on the files after it. */
type WholeSnapshot = InspectedSnapshot & { readonly records: readonly PlacedRecord[] };
type WholeSegment = InspectedSegment & { readonly entries: readonly SegmentEntry[] };

class Rebuilding {
  readonly #files: Files;
  readonly #folder: string;
  readonly #saved: Saved[] = [];
  readonly #lost: Loss[] = [];
  readonly #database = new Database(model);
  /** The snapshots that are newer than the base and lack records, oldest first. */
  #partial: WholeSnapshot[] = [];
  /** Whether nothing is lost so far. */
  #isExact = true;
  /** The checksum of the last change, to which the next one is chained; undefined if unknown. */
  #chain: number | undefined = 0;
  /** The highest number that a change may have had. */
  #highest = 0;
  /** The number of the last change that is reported as lost. */
  #lostUpTo = 0;
  /** The gap at the end of the segment before. */
  #open: (Gap & { readonly file: string }) | undefined;
  /** The number of segments that end within their headers. */
  #headless = 0;
  /** The end of a segment that belongs to another history. */
  #foreign: { sequence: number; chain: number } | undefined;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  async run(snapshots: readonly number[], segments: readonly number[]): Promise<Rebuilt> {
    const hasBase = await this.#readBase(snapshots);
    const database = this.#database;
    this.#highest = Math.max(database.sequence, snapshots.at(-1) ?? 0, (segments.at(-1) ?? 1) - 1);
    if (!hasBase && segments[0] !== 1) this.#beUncertain();
    const needed = segments.indexOf(database.sequence + 1);
    for (const [index, first] of segments.entries()) {
      if (index >= needed) await this.#readSegment(first, segments[index + 1]);
    }
    this.#endGap(undefined);
    this.#overlay(Number.POSITIVE_INFINITY);
    if (snapshots.at(-1) === database.sequence && !segments.includes(database.sequence + 1)) {
      const what = "the file is missing, with the changes that it may have had";
      this.#lose(segmentFile(database.sequence + 1), 0, what);
    }
    // A folder whose only file ends within its header may never have had a change: it can begin again.
    const mayBeEmpty = snapshots.length === 0 && this.#headless === segments.length;
    if (!hasBase && this.#saved.length === 0 && !mayBeEmpty) {
      throw new Failure("STORE_UNAVAILABLE", `Nothing of the data in ${this.#folder} can be saved.`, {
        hint: "Replace it with a backup: `addon-cli data repair --from <file>`; nothing was changed.",
      });
    }
    // No number is used twice, not even that of a lost change.
    database.sequence = Math.max(database.sequence, this.#highest);
    return { database, saved: this.#saved, lost: this.#lost };
  }

  /** Reads the newest snapshot that has all its records. Returns whether there is one. */
  async #readBase(snapshots: readonly number[]): Promise<boolean> {
    for (const sequence of snapshots.toReversed()) {
      const records: PlacedRecord[] = [];
      const pieces = piecesOf(this.#files, join(this.#folder, snapshotFile(sequence)));
      const inspected = await inspectSnapshot(pieces, sequence, (record) => void records.push(record));
      const snapshot = { ...inspected, records };
      if (!snapshot.complete) {
        this.#partial.unshift(snapshot);
        continue;
      }
      this.#put(snapshot);
      this.#moveTo(sequence, snapshot.chain);
      return true;
    }
    return false;
  }

  async #readSegment(first: number, next: number | undefined): Promise<void> {
    const pieces = piecesOf(this.#files, join(this.#folder, segmentFile(first)));
    const database = this.#database;
    const chains = this.#chain === undefined ? [] : [this.#chain];
    const entries: SegmentEntry[] = [];
    const inspected = await inspectSegment(pieces, { first, next }, chains, (each) => {
      for (const entry of each) entries.push(entry);
    });
    const segment = { ...inspected, entries };
    this.#endGap(first - 1);
    if (segment.headless) this.#loseHeadless(segment.file, segment.length);
    if (first > database.sequence + 1) this.#overlay(first - 1);
    const known = Math.max(database.sequence, this.#lostUpTo);
    if (first > known + 1) {
      const numbers = range(known + 1, first - 1);
      this.#lose(segment.file, 0, `${numbers}: the journal before this file is missing or unreadable`);
    }
    if (entries.length === 0 && segment.tail === undefined) return;
    const applied: number[] = [];
    let previous = first - 1;
    if (this.#isForeign(segment.chain, previous)) return this.#refuse(segment, 0);
    for (const entry of entries) {
      if (entry.record === undefined) {
        this.#open = { ...entry, file: segment.file };
        if (entry.to === undefined) continue;
        this.#endGap(entry.to);
        previous = entry.to;
        continue;
      }
      const { record, chain, offset } = entry;
      const { sequence } = record;
      if (sequence > database.sequence) {
        this.#overlay(sequence - 1);
        const last = Math.max(previous, database.sequence);
        if (sequence > last + 1) {
          this.#lose(segment.file, offset, `${range(last + 1, sequence - 1)}: missing`);
        }
        this.#apply(segment.file, record, chain, offset);
        applied.push(sequence);
      } else if (this.#isForeign(chain, sequence)) {
        return this.#refuse(segment, offset);
      }
      previous = sequence;
    }
    const { file, tail } = segment;
    if (tail !== undefined && !tail.readable && next === undefined) {
      const what = `an incomplete line of ${tail.length} bytes, which was never acknowledged`;
      this.#lost.push({ file, offset: tail.offset, what, known: null });
    } else if (tail !== undefined && !tail.readable) {
      // Later segments exist: it was whole once.
      this.#open ??= { file, record: undefined, ...tail, from: previous + 1, to: undefined, legible: [] };
    }
    this.#reportSaved(file, applied);
  }

  #reportSaved(file: string, applied: readonly number[]): void {
    const [first, last] = [applied[0], applied.at(-1)];
    if (first !== undefined && last !== undefined) {
      const isAll = applied.length === last - first + 1;
      this.#saved.push({ file, what: `${range(first, last)}${isAll ? "" : `, ${applied.length} of them`}` });
    }
  }

  #apply(file: string, record: JournalRecord, chain: number, offset: number): void {
    const unknown = record.changes.filter(({ collection }) => definitionOf(collection) === undefined);
    for (const { collection, key, after } of unknown) {
      const what = `change ${record.sequence}: there is no collection "${collection}"`;
      this.#lose(file, offset, what, `${key}: ${brief(after)}`);
    }
    const changes = record.changes.filter((change) => !unknown.includes(change));
    this.#database.apply({ ...record, changes }, chain);
    this.#chain = chain;
  }

  /** Returns whether a line of this number is another change than the one that was saved under it. */
  #isForeign(chain: number | undefined, sequence: number): boolean {
    if (chain === undefined) return false;
    if (this.#foreign?.sequence === sequence && this.#foreign.chain === chain) return true;
    return sequence === this.#database.sequence && this.#chain !== undefined && chain !== this.#chain;
  }

  #refuse({ file, entries }: WholeSegment, offset: number): void {
    const what =
      "it does not follow what was written before it: it belongs to other data, and none of it was saved";
    this.#lost.push({ file, offset, what, known: null });
    for (const entry of entries) {
      if (entry.record !== undefined) this.#foreign = { sequence: entry.record.sequence, chain: entry.chain };
    }
  }

  /** Sets the records of the partial snapshots up to a change, unless those from the journal are exact. */
  #overlay(upTo: number): void {
    const due = this.#partial.filter(({ sequence }) => sequence <= upTo);
    this.#partial = this.#partial.filter(({ sequence }) => sequence > upTo);
    for (const snapshot of due) {
      const { sequence, chain, file } = snapshot;
      if (this.#isExact && sequence === this.#database.sequence) continue;
      if (this.#isExact) {
        const numbers = range(this.#database.sequence + 1, sequence);
        this.#lose(file, 0, `${numbers}: the journal lacks them; this snapshot has the remaining records`);
      }
      this.#put(snapshot);
      for (const line of snapshot.unreadable) this.#lose(file, line.offset, "a record", legibleIn(line));
      if (snapshot.unreadable.length === 0) this.#lose(file, 0, "the end of the file, with unknown records");
      this.#moveTo(sequence, chain);
    }
  }

  #moveTo(sequence: number, chain: number | undefined): void {
    this.#database.sequence = sequence;
    this.#database.chain = chain ?? 0;
    this.#chain = chain;
  }

  #put({ file, records }: WholeSnapshot): void {
    for (const { collection, record, offset } of records) {
      const definition = definitionOf(collection);
      if (definition === undefined) {
        this.#lose(file, offset, `a record: there is no collection "${collection}"`, brief(record));
      } else {
        this.#database.collection(collection).set(definition.key(record), record);
      }
    }
    if (records.length > 0) this.#saved.push({ file, what: `${records.length} records` });
  }

  #loseHeadless(file: string, length: number): void {
    const what =
      `the changes that this file may have had: ${length} bytes of its header are left. ` +
      "It had none if an earlier version was killed while it created the file";
    this.#lose(file, 0, what);
    this.#headless += 1;
  }

  /** @param to the number of the last change in an open gap; undefined where no change follows it */
  #endGap(to: number | undefined): void {
    const gap = this.#open;
    this.#open = undefined;
    const { sequence } = this.#database;
    // The base has the lost changes. What followed it is a file that is missing, which is reported.
    if (gap === undefined || (to ?? gap.from) <= sequence) return;
    const legible = gap.legible.join("; ");
    const from = Math.max(gap.from, sequence + 1);
    this.#lose(gap.file, gap.offset, lostChanges(from, to), legible === "" ? null : legible);
    const most = gap.from - 1 + Math.ceil(gap.length / shortestChange);
    this.#highest = Math.max(this.#highest, to ?? most);
    this.#lostUpTo = to ?? this.#lostUpTo;
  }

  #lose(file: string, offset: number, what: string, known: string | null = null): void {
    this.#lost.push({ file, offset, what, known });
    this.#beUncertain();
  }

  #beUncertain(): void {
    this.#isExact = false;
    this.#chain = undefined;
  }
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
