/**
 * Saving what can be saved of damaged files: only what is certainly as it was written (`scan.ts`), in its order, on
 * the newest snapshot that has all its records; and telling what was lost, piece by piece.
 *
 * A snapshot newer than that one has lost records itself. It is needed only where the journal that leads to it has
 * gaps: then the records that it still has are set over what came of the journal.
 */
import { join } from "node:path";
import { listData } from "../store/listing.ts";
import { definitionOf } from "../backup/record.ts";
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import { Database } from "../store/collection.ts";
import { type Files, piecesOf } from "../store/folder/files.ts";
import { type JournalRecord, segmentFile, segmentsIn } from "../store/journal/segment.ts";
import { applyRecord } from "../store/reading.ts";
import { snapshotFile, snapshotsIn } from "../store/snapshot.ts";
import {
  type InspectedSegment,
  type InspectedSnapshot,
  inspectSegment,
  inspectSnapshot,
  type PlacedRecord,
  type SegmentEntry,
} from "./inspect.ts";
import type { ScannedLine } from "./scan.ts";

/** Something that could not be saved. */
export interface Loss {
  readonly file: string;
  /** In bytes. */
  readonly offset: number;
  readonly what: string;
  /** What is known of it: not to be relied on. Null where nothing is. */
  readonly known: string | null;
}

/** Something that was saved. */
export interface Saved {
  readonly file: string;
  readonly what: string;
}

export interface Salvaged {
  readonly database: Database<typeof model>;
  readonly saved: readonly Saved[];
  readonly lost: readonly Loss[];
}

/**
 * Saves what can be saved, in memory. Changes nothing.
 * @throws Failure `STORE_UNAVAILABLE` where nothing can be saved, or a newer version of the program wrote a file
 */
export async function salvage(files: Files, folder: string): Promise<Salvaged> {
  const names = await listData(files, folder);
  return new Salvage(files, folder).run(snapshotsIn(names), segmentsIn(names));
}

/** Files with all that they hold: what is saved of them depends on what comes after. */
type WholeSnapshot = InspectedSnapshot & { readonly records: readonly PlacedRecord[] };
type WholeSegment = InspectedSegment & { readonly entries: readonly SegmentEntry[] };

class Salvage {
  readonly #files: Files;
  readonly #folder: string;
  readonly #saved: Saved[] = [];
  readonly #lost: Loss[] = [];
  readonly #database = new Database(model);
  /** Snapshots newer than the base, whose records are not all there. */
  readonly #partial: WholeSnapshot[] = [];
  /** Whether nothing was lost up to here. */
  #exact = true;
  /** The checksum of the last change where it is known: what the next one is chained to. */
  #chain: number | undefined = 0;
  /** The highest number that a change is known to have had. */
  #highest = 0;
  /** How many segments end within their headers. */
  #headless = 0;
  /** The end of a segment that belongs to another history. */
  #foreign: { sequence: number; chain: number } | undefined;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  async run(snapshots: readonly number[], segments: readonly number[]): Promise<Salvaged> {
    const hasBase = await this.#begin(snapshots);
    const database = this.#database;
    this.#highest = Math.max(database.sequence, snapshots.at(-1) ?? 0, (segments.at(-1) ?? 1) - 1);
    if (!hasBase && segments[0] !== 1) this.#uncertain();
    const needed = segments.indexOf(database.sequence + 1);
    for (const first of segments.slice(Math.max(needed, 0))) await this.#readSegment(first);
    this.#overlay(Number.POSITIVE_INFINITY);
    if (snapshots.at(-1) === database.sequence && !segments.includes(database.sequence + 1)) {
      const what = "the file is missing, with the changes that it may have had";
      this.#lose(segmentFile(database.sequence + 1), 0, what, null);
    }
    // A folder whose only file ends within its header may never have had a change: it can be begun anew.
    const mayBeEmpty = snapshots.length === 0 && this.#headless === segments.length;
    if (!hasBase && this.#saved.length === 0 && !mayBeEmpty) {
      throw new Failure("STORE_UNAVAILABLE", `Nothing of the data in ${this.#folder} can be saved.`, {
        hint: "Put a backup in its place with `addon-cli data repair --from <file>`; nothing was changed.",
      });
    }
    // No number is given twice, not even that of a change that is lost.
    database.sequence = Math.max(database.sequence, this.#highest);
    return { database, saved: this.#saved, lost: this.#lost };
  }

  /** Begins with the newest snapshot that has all its records. */
  async #begin(snapshots: readonly number[]): Promise<boolean> {
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
      this.#database.sequence = sequence;
      this.#database.chain = snapshot.chain ?? 0;
      this.#chain = snapshot.chain;
      return true;
    }
    return false;
  }

  async #readSegment(first: number): Promise<void> {
    const pieces = piecesOf(this.#files, join(this.#folder, segmentFile(first)));
    const database = this.#database;
    const chain = this.#chain;
    const entries: SegmentEntry[] = [];
    const inspected = await inspectSegment(pieces, first, chain === undefined ? [] : [chain], (each) => {
      for (const entry of each) entries.push(entry);
    });
    const segment = { ...inspected, entries };
    if (segment.headless) this.#loseHeadless(segment.file, segment.length);
    if (segment.entries.length === 0 && segment.tail === undefined) return;
    if (first > database.sequence + 1) this.#overlay(first - 1);
    if (first > database.sequence + 1) {
      const numbers = range(database.sequence + 1, first - 1);
      this.#lose(
        segment.file,
        0,
        `${numbers}: what the journal had before this file is missing or unreadable`,
        null,
      );
    }
    const applied: number[] = [];
    let unreadable = 0;
    let previous = first - 1;
    if (this.#isForeign(segment.chain, previous)) return this.#refuse(segment, 0);
    for (const entry of segment.entries) {
      if (entry.record === undefined) {
        previous += 1;
        unreadable += 1;
        if (previous > database.sequence) this.#loseLine(segment.file, entry.line, previous);
        continue;
      }
      const { record, chain: own, offset } = entry;
      const { sequence } = record;
      if (sequence > database.sequence) {
        this.#overlay(sequence - 1);
        if (unreadable === 0 && sequence > database.sequence + 1) {
          this.#lose(segment.file, offset, `${range(database.sequence + 1, sequence - 1)}: not there`, null);
        }
        this.#apply(segment.file, record, own, offset);
        applied.push(sequence);
      } else if (this.#isForeign(own, sequence)) {
        return this.#refuse(segment, offset);
      }
      previous = sequence;
      unreadable = 0;
    }
    this.#tell(segment, applied, previous);
  }

  #tell(segment: WholeSegment, applied: readonly number[], previous: number): void {
    const { file, tail } = segment;
    const [first, last] = [applied[0], applied.at(-1)];
    if (first !== undefined && last !== undefined) {
      const all = applied.length === last - first + 1;
      this.#saved.push({ file, what: `${range(first, last)}${all ? "" : `, ${applied.length} of them`}` });
    }
    if (tail !== undefined && !tail.readable) {
      const what = `an incomplete line of ${tail.length} bytes, which nobody was told is saved`;
      this.#lost.push({ file, offset: tail.offset, what, known: null });
    }
    this.#highest = Math.max(this.#highest, previous);
  }

  #apply(file: string, record: JournalRecord, chain: number, offset: number): void {
    const unknown = record.changes.filter(({ collection }) => definitionOf(collection) === undefined);
    for (const { collection, key, after } of unknown) {
      const what = `change ${record.sequence}: there is no collection "${collection}"`;
      this.#lose(file, offset, what, `${key}: ${brief(after)}`);
    }
    const changes = record.changes.filter((change) => !unknown.includes(change));
    applyRecord(this.#database, { ...record, changes }, chain);
    this.#chain = chain;
  }

  /** Whether a line of this number is not the change that was saved under it. */
  #isForeign(chain: number | undefined, sequence: number): boolean {
    if (chain === undefined) return false;
    if (this.#foreign?.sequence === sequence && this.#foreign.chain === chain) return true;
    return sequence === this.#database.sequence && this.#chain !== undefined && chain !== this.#chain;
  }

  #refuse(segment: WholeSegment, offset: number): void {
    const what =
      "it does not follow what was written before it: it belongs to other data, and none of it was taken";
    this.#lost.push({ file: segment.file, offset, what, known: null });
    for (const entry of segment.entries) {
      if (entry.record !== undefined) this.#foreign = { sequence: entry.record.sequence, chain: entry.chain };
    }
  }

  /** Sets the records of the partial snapshots up to a change, where what came of the journal is not certain. */
  #overlay(upTo: number): void {
    while (this.#partial[0] !== undefined && this.#partial[0].sequence <= upTo) {
      const snapshot = this.#partial.shift() as WholeSnapshot;
      const { sequence, chain, file } = snapshot;
      if (sequence < this.#database.sequence) continue;
      if (this.#exact && sequence === this.#database.sequence) continue;
      if (sequence > this.#database.sequence && this.#exact) {
        const numbers = range(this.#database.sequence + 1, sequence);
        this.#lose(
          file,
          0,
          `${numbers}: the journal has them no more; this snapshot has what is left of them`,
          null,
        );
      }
      this.#put(snapshot);
      for (const line of snapshot.unreadable) this.#lose(file, line.offset, "a record", knownOf(line));
      if (snapshot.unreadable.length === 0)
        this.#lose(file, 0, "the end of the file, with unknown records", null);
      this.#database.sequence = sequence;
      this.#database.chain = chain ?? 0;
      this.#chain = chain;
    }
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

  /** A segment that ends within its header; {@link inspectSegment}. */
  #loseHeadless(file: string, length: number): void {
    const what =
      `the changes that this file may have had: ${length} bytes of its header are left. ` +
      "It had none if an earlier version was killed while it created the file";
    this.#lose(file, 0, what, null);
    this.#headless += 1;
  }

  #loseLine(file: string, line: ScannedLine, number: number): void {
    this.#lose(
      file,
      line.offset,
      `a change, probably number ${number}: ${line.fault ?? "it is none"}`,
      knownOf(line),
    );
    this.#highest = Math.max(this.#highest, number);
  }

  #lose(file: string, offset: number, what: string, known: string | null): void {
    this.#lost.push({ file, offset, what, known });
    this.#uncertain();
  }

  #uncertain(): void {
    this.#exact = false;
    this.#chain = undefined;
  }
}

/** What an unreadable line seems to say: which change of which records, where that much can be made out. */
function knownOf({ json }: ScannedLine): string | null {
  const parts = [
    ...[...json.matchAll(/"operation":"([\w.-]{1,64})"/g)].map(([, name]) => String(name)),
    ...[...json.matchAll(/"collection":"(\w{1,32})"(?:,"key":"((?:[^"\\]|\\.){1,128})")?/g)].map(
      ([, name, key]) => (key === undefined ? String(name) : `${name} ${key}`),
    ),
    ...[...json.matchAll(/"(?:name|reason)":"((?:[^"\\]|\\.){1,64})"/g)].map(([, text]) => String(text)),
  ];
  return parts.length === 0 ? null : [...new Set(parts)].slice(0, 8).join(", ");
}

function range(from: number, to: number): string {
  return from === to ? `change ${from}` : `changes ${from} to ${to}`;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
