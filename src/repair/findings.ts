/**
 * What is found in the files of a folder, from the oldest to the newest: faults, the records at the change that was reached,
 * and what of them a repair saves and loses. A snapshot that has all its records is a new beginning, since nothing before
 * it is needed. One that lacks some is used only after damage: its readable records then replace those from the journal.
 */
import { isDeepStrictEqual } from "node:util";
import { recordFault } from "../backup/record.ts";
import { countOf } from "../backup/source.ts";
import { Failure } from "../domain/errors.ts";
import { model } from "../domain/model.ts";
import { Collection, Database } from "../store/collection.ts";
import type { ReadRecord } from "../store/journal/segment.ts";
import { type Fault, quote, range, withLegible } from "./fault.ts";

/** Something that could not be saved. */
export interface Loss {
  readonly file: string;
  /** In bytes. */
  readonly offset: number;
  readonly what: string;
  /** What can be made out of it, which is not reliable; null where that is nothing. */
  readonly known: string | null;
}

/** The rebuilt data. */
export interface Rebuilt {
  readonly database: Database<typeof model>;
  /** What was saved of each file. */
  readonly saved: readonly Pick<Loss, "file" | "what">[];
  readonly lost: readonly Loss[];
}

/** What a snapshot has. */
export interface FoundSnapshot {
  readonly file: string;
  /** The number of the last change that it contains. */
  readonly sequence: number;
  /** The checksum of that change; undefined where the header cannot be read. */
  readonly chain: number | undefined;
  /** The readable records. */
  readonly records: Database<typeof model>;
  /** Whether all records are readable. */
  readonly complete: boolean;
  /** What is not among the records. */
  readonly lost: readonly Loss[];
}

/** Returns a database without indexes, for records that may not fit the model. */
export function unindexed(): Database<typeof model> {
  return new Database(
    model,
    (_, definition) => new Collection({ ...definition, indexes: {}, ends: undefined }),
  );
}

/** The equal faults in a row that are listed: a file of zeros or of other data has as many as lines. */
const mostEqual = 20;

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
  records = unindexed();
  /** Whether all are known. They are not after damage: what cannot be read may have changed any of them. */
  isComplete = true;
  /** The highest number that a change may have had, as far as names and damage show: none is used twice. */
  highest: number;
  /** The refusal of a file of a newer version of the program. */
  #newer: Failure | undefined;
  /** What is saved of each file. */
  #saved = new Map<string, SavedPart>();
  #lost: Loss[] = [];
  /** The last fault that was reported, and how many equal ones there are in a row. */
  #run: Omit<Fault, "offset"> & { readonly count: number } = { file: "", what: "", kind: "damage", count: 0 };

  /** @param sequence the number of the change before the oldest file; nothing else of it is known, unless that is 0 */
  constructor(sequence: number, highest: number) {
    this.sequence = sequence;
    this.chain = 0;
    this.highest = highest;
    if (sequence > 0) this.forget();
  }

  /** Advances over the next change. */
  advance(file: string, { record, chain, offset }: ReadRecord): void {
    const { sequence, changes } = record;
    for (const { collection, key, after } of changes) {
      const rows = this.records.collections.get(collection);
      rows?.set(key, after ?? undefined);
      if (rows !== undefined) continue;
      const what = `change ${sequence}: there is no collection "${collection}"`;
      this.lose(file, offset, what, `${key}: ${quote(after)}`);
    }
    this.sequence = sequence;
    this.chain = chain;
    const before = this.#saved.get(file);
    const { first, count } = typeof before === "object" ? before : { first: sequence, count: 0 };
    this.#saved.set(file, { first, last: sequence, count: count + 1 });
  }

  /** Returns what is known of a record that differs from a value, null where there is none; undefined if it may be equal. */
  differing(collection: string, key: string, value: unknown): { readonly known: unknown } | undefined {
    const rows = this.records.collections.get(collection);
    const known = rows?.get(key) ?? null;
    const mayBeEqual = !this.isComplete || rows === undefined || isDeepStrictEqual(known, value);
    return mayBeEqual ? undefined : { known };
  }

  /** Takes the records of a snapshot: all there are if it has all, or else only after damage. */
  take({ file, sequence, chain, complete, records, lost }: FoundSnapshot): void {
    if (complete) {
      this.sequence = sequence;
      this.chain = chain;
      this.records = records;
      this.isComplete = true;
      this.#saved = new Map();
      this.#lost = [];
    } else {
      if (this.isComplete) return;
      for (const [name, found] of records.collections) {
        const rows = this.records.collection(name);
        for (const record of found.values()) rows.set(found.definition.key(record), record);
      }
    }
    this.#lost = [...this.#lost, ...lost];
    const count = countOf(records);
    if (complete || count > 0) this.#saved.set(file, count);
  }

  /** Reports a fault, by default damage. The last of many equal ones in a row counts those that are not listed. */
  report(file: string, offset: number, what: string, kind: Fault["kind"] = "damage"): void {
    const { count, ...last } = this.#run;
    const isEqual = last.file === file && last.what === what && last.kind === kind;
    this.#run = { file, what, kind, count: isEqual ? count + 1 : 1 };
    const more = this.#run.count - 1 - mostEqual;
    if (more > 0) this.problems.pop();
    const words = more > 0 ? `${what} (and ${more} more like it since the line above)` : what;
    this.problems.push({ file, offset, what: words, kind });
  }

  /** Reports a loss, where the damage is reported already. */
  lose(file: string, offset: number, what: string, known: string | null = null): void {
    this.#lost.push({ file, offset, what, known });
  }

  /** Reports damage that is a loss. */
  damageAndLose(file: string, offset: number, what: string, known: string | null = null): void {
    this.report(file, offset, withLegible(what, known));
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
      this.report(file, 0, error.message.replace(/\.$/, ""));
      return false;
    }
  }

  /** Marks the records as incomplete, and what follows as not chained to what was read. */
  forget(): void {
    this.isComplete = false;
    this.chain = undefined;
  }

  /** Returns the records with the indexes that a start builds. One of which they cannot be built would end every start. */
  #indexed(): Database<typeof model> {
    const database = new Database(model);
    const [file = ""] = [...this.#saved.keys()].slice(-1);
    for (const [collection, found] of this.records.collections) {
      const rows = database.collection(collection);
      const { key, indexes, ends } = rows.definition;
      for (const record of found.values()) {
        try {
          for (const valueIn of [...Object.values(indexes), ends?.of]) valueIn?.(record);
          rows.set(key(record), record);
        } catch {
          this.lose(file, 0, recordFault(collection, record) ?? "a record", quote(record));
        }
      }
    }
    return database;
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
    const database = this.#indexed();
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
