/**
 * The digests of the records that a verification has read; their values would take several times the memory. A digest
 * shows that two values differ, but not what they are. So a verification remembers each record that differs as a suspect
 * and starts again; it then stores, compares and quotes the values of the suspects.
 */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { CheckedRecords } from "../backup/consistency.ts";

/** The first 128 bits of a SHA-256, in bytes. */
const digestLength = 16;

/** The JSON of an absent record. */
const absent = "null";

/** Returns the JSON of a record; null and undefined are an absent one. */
export function toJSON(record: unknown): string {
  return JSON.stringify(record ?? null);
}

/** Shortens the JSON of a record for a message. */
export function quote(json: string): string {
  if (json === absent) return "absent";
  return json.length <= 80 ? json : `${json.slice(0, 77)}…`;
}

/** Records by collection and key. See the head of this file. */
export class RecordDigests {
  /** Whether these are all records: any other is absent. */
  readonly isComplete: boolean;
  /** The fields that the check for consistency needs. */
  readonly checked = new CheckedRecords();
  readonly #suspects: Set<string>;
  /** The JSON of each suspect. */
  readonly #values = new Map<string, string>();
  /** The index of each record in {@link #digests}. */
  readonly #indexes = new Map<string, number>();
  /** The indexes that removed records had. */
  readonly #free: number[] = [];
  #digests = Buffer.alloc(1024 * digestLength);

  /** @param suspects the names of the records whose values are stored; records that differ are added */
  constructor(isComplete: boolean, suspects: Set<string>) {
    this.isComplete = isComplete;
    this.#suspects = suspects;
  }

  /** Returns whether a record has this value; undefined if unknown. A record that differs becomes a suspect. */
  equals(collection: string, key: string, value: unknown): boolean | undefined {
    const name = nameOf(collection, key);
    const index = this.#indexes.get(name);
    if (index === undefined && !this.isComplete) return undefined;
    const json = toJSON(value);
    const known = this.#values.get(name);
    const isEqual =
      known !== undefined
        ? // The order of the properties may differ.
          known === json || isDeepStrictEqual(JSON.parse(known), JSON.parse(json))
        : index === undefined
          ? json === absent
          : this.#digest(index) === digestOf(json);
    if (!isEqual) this.#suspects.add(name);
    return isEqual;
  }

  /** Returns the JSON of a suspect, and `null` for any other record, which is absent. */
  valueOf(collection: string, key: string): string {
    return this.#values.get(nameOf(collection, key)) ?? absent;
  }

  /** Returns the index of a record until it is removed; undefined if it is unknown. */
  indexOf(collection: string, key: string): number | undefined {
    return this.#indexes.get(nameOf(collection, key));
  }

  /** Yields every record that is not absent, except those of some indexes. */
  *without(indexes: ReadonlySet<number>): Generator<readonly [collection: string, key: string]> {
    const none = digestOf(absent);
    for (const [name, index] of this.#indexes) {
      if (indexes.has(index) || this.#digest(index) === none) continue;
      const end = name.indexOf(" ");
      yield [name.slice(0, end), name.slice(end + 1)];
    }
  }

  /** Sets the value of a record; null and undefined remove it. */
  set(collection: string, key: string, value: unknown): void {
    const name = nameOf(collection, key);
    const json = toJSON(value);
    this.checked.set(collection, key, value);
    if (this.#suspects.has(name)) this.#values.set(name, json);
    let index = this.#indexes.get(name);
    if (json === absent && this.isComplete) {
      if (index === undefined) return;
      this.#indexes.delete(name);
      this.#free.push(index);
      return;
    }
    if (index === undefined) {
      index = this.#free.pop() ?? this.#indexes.size;
      this.#indexes.set(name, index);
    }
    const start = index * digestLength;
    if (start === this.#digests.length) this.#digests = Buffer.concat([this.#digests], 2 * start);
    this.#digests.write(digestOf(json), start, "latin1");
  }

  #digest(index: number): string {
    return this.#digests.toString("latin1", index * digestLength, (index + 1) * digestLength);
  }
}

/** No collection has a space in its name. */
function nameOf(collection: string, key: string): string {
  return `${collection} ${key}`;
}

function digestOf(json: string): string {
  return hash("sha256", json, "binary").slice(0, digestLength);
}
