/**
 * What is found in the files of a folder, from the oldest to the newest: faults, the records at the change that was reached,
 * and what of them a repair saves and loses. A snapshot that has all its records is a new beginning, since nothing before
 * it is needed. One that lacks some is used only after damage: its readable records then replace those from the journal.
 */
import { Failure } from "../domain/errors.ts";
import { definitionOf, type model } from "../domain/model.ts";
import type { Database } from "../store/collection.ts";
import { type Fault, legibleIn, range, withLegible } from "./fault.ts";
import type { FoundChange } from "./inspect-segment.ts";
import type { InspectedSnapshot, PlacedRecord } from "./inspect-snapshot.ts";
import { KnownRecords, quote } from "./known-records.ts";

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

/** The rebuilt data. */
export interface Rebuilt {
  readonly database: Database<typeof model>;
  readonly saved: readonly Saved[];
  readonly lost: readonly Loss[];
}

/** Of a snapshot the number of records, of a segment the first change, the last one and how many there are. */
type SavedPart = number | { readonly first: number; readonly last: number; readonly count: number };

export class Findings {
  /** All faults, in the order of the files. */
  readonly problems: Fault[] = [];
  /** Remarks that are no faults, a sentence each. */
  readonly remarks: string[] = [];
  /** The number of the change that was reached. */
  sequence: number;
  /** Its checksum, if known. */
  chain: number | undefined;
  /** The records after it. */
  records = new KnownRecords();
  /** The highest number that a change may have had, as far as names and damage show: none is used twice. */
  highest: number;
  /** The refusal of a file of a newer version of the program. */
  #newer: Failure | undefined;
  /** What is saved of each file. */
  #saved = new Map<string, SavedPart>();
  #lost: Loss[] = [];

  /** @param sequence the number of the change before the oldest file; nothing else of it is known, unless that is 0 */
  constructor(sequence: number, highest: number) {
    this.sequence = sequence;
    this.chain = 0;
    this.highest = highest;
    if (sequence > 0) this.forget();
  }

  /** Advances over the next change. */
  advance(file: string, { record, chain, offset }: FoundChange): void {
    const { sequence, changes } = record;
    for (const { collection, key, after } of changes) {
      this.records.set(collection, key, after);
      if (definitionOf(collection) !== undefined) continue;
      const what = `change ${sequence}: there is no collection "${collection}"`;
      this.lose(file, offset, what, `${key}: ${quote(after)}`);
    }
    this.sequence = sequence;
    this.chain = chain;
    const before = this.#saved.get(file);
    const { first, count } = typeof before === "object" ? before : { first: sequence, count: 0 };
    this.#saved.set(file, { first, last: sequence, count: count + 1 });
  }

  /**
   * Takes the records of a snapshot: all there are if it has all, or else only after damage.
   * @param keyless those that have no place in the model
   */
  take(snapshot: InspectedSnapshot, records: KnownRecords, keyless: readonly PlacedRecord[]): void {
    const { file, sequence, chain, complete, unreadable } = snapshot;
    if (complete) {
      this.sequence = sequence;
      this.chain = chain;
      this.records = records;
      this.#saved = new Map();
      this.#lost = [];
    } else {
      if (this.records.isComplete) return;
      for (const [collection, key, record] of records.all()) this.records.set(collection, key, record);
      for (const { offset, json } of unreadable) this.lose(file, offset, "a record", legibleIn(json));
      if (unreadable.length === 0) this.lose(file, 0, "the end of the file, with unknown records");
    }
    const count = [...records.all()].length;
    if (complete || count > 0) this.#saved.set(file, count);
    for (const { record, offset, fault } of keyless) {
      this.lose(file, offset, `a record: ${fault}`, quote(record));
    }
  }

  /** Reports damage. */
  damage(file: string, offset: number, what: string): void {
    this.problems.push({ file, offset, what, kind: "damage" });
  }

  /** Reports a loss, where the damage is reported already. */
  lose(file: string, offset: number, what: string, known: string | null = null): void {
    this.#lost.push({ file, offset, what, known });
  }

  /** Reports damage that is a loss. */
  damageAndLose(file: string, offset: number, what: string, known: string | null = null): void {
    this.damage(file, offset, withLegible(what, known));
    this.lose(file, offset, what, known);
  }

  /** Returns whether a file could be read: nothing can be checked in one that a newer version of the program wrote. */
  async unlessNewer(file: string, read: () => Promise<void>): Promise<boolean> {
    try {
      await read();
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#newer ??= error;
      this.damage(file, 0, error.message.replace(/\.$/, ""));
      return false;
    }
  }

  /** Marks the records as incomplete, and what follows as not chained to what was read. */
  forget(): void {
    this.records.isComplete = false;
    this.chain = undefined;
  }

  /**
   * Returns the result.
   * @param mayBeEmpty whether the folder may never have had a change: then it can begin again
   * @throws Failure `STORE_UNAVAILABLE` where nothing can be saved, or a newer version of the program wrote a file
   */
  rebuilt(folder: string, mayBeEmpty: boolean): Rebuilt {
    if (this.#newer !== undefined) throw this.#newer;
    if (this.#saved.size === 0 && !mayBeEmpty) {
      throw new Failure("STORE_UNAVAILABLE", `Nothing of the data in ${folder} can be saved.`, {
        hint: "Replace it with a backup: `addon-cli data repair --from <file>`; nothing was changed.",
      });
    }
    const database = this.records.toDatabase();
    database.sequence = Math.max(this.sequence, this.highest);
    database.chain = this.chain ?? 0;
    const saved = Array.from(this.#saved, ([file, part]) => ({ file, what: describe(part) }));
    return { database, saved, lost: this.#lost };
  }
}

function describe(part: SavedPart): string {
  if (typeof part === "number") return `${part} records`;
  const { first, last, count } = part;
  return `${range(first, last)}${count === last - first + 1 ? "" : `, ${count} of them`}`;
}
