/**
 * The records that verifying has read so far, as digests: the values would take several times the memory, and replacing
 * a million of them would leave as much garbage. A digest shows that two values differ, but not what they are. Verifying
 * therefore notes each record that differs as a suspect and starts over; it then stores the values of the suspects,
 * compares those, and quotes them.
 */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { CheckedRecords } from "../backup/consistency.ts";

/** The first 128 bits of a SHA-256, in bytes. */
const digestLength = 16;

/** The JSON of an absent record. */
const absent = "null";

/** Returns the JSON of a record; null and undefined stand for an absent one. */
export function toJSON(record: unknown): string {
  return JSON.stringify(record ?? null);
}

/** Shortens the JSON of a record for a message. */
export function quote(json: string): string {
  if (json === absent) return "not there";
  return json.length <= 80 ? json : `${json.slice(0, 77)}…`;
}

/** Records by collection and key. See the head of this file. */
export class KnownRecords {
  /** Whether these are all records: one that is not among them is absent. */
  readonly complete: boolean;
  /** What the check for consistency needs of them. */
  readonly checked = new CheckedRecords();
  readonly #suspects: Set<string>;
  /** The JSON of each suspect. */
  readonly #values = new Map<string, string>();
  /** The number of each record, by which {@link #digests} has its digest. */
  readonly #numbers = new Map<string, number>();
  /** The numbers that removed records had. */
  readonly #free: number[] = [];
  #digests = Buffer.alloc(1024 * digestLength);

  /** @param suspects the names of the records whose values are stored; those that turn out to differ are added */
  constructor(complete: boolean, suspects: Set<string>) {
    this.complete = complete;
    this.#suspects = suspects;
  }

  /** Returns whether a record has this value; undefined if nothing is known of it. Adds one that differs to the suspects. */
  equals(collection: string, key: string, value: unknown): boolean | undefined {
    const name = nameOf(collection, key);
    const number = this.#numbers.get(name);
    if (number === undefined && !this.complete) return undefined;
    const json = toJSON(value);
    const known = this.#values.get(name);
    const isEqual =
      known !== undefined
        ? // The properties may have another order.
          known === json || isDeepStrictEqual(JSON.parse(known), JSON.parse(json))
        : number === undefined
          ? json === absent
          : this.#digest(number) === digestOf(json);
    if (!isEqual) this.#suspects.add(name);
    return isEqual;
  }

  /** Returns the JSON of a suspect. Of any other record only its absence is known. */
  valueOf(collection: string, key: string): string {
    return this.#values.get(nameOf(collection, key)) ?? absent;
  }

  /** Returns the number that a record has until it is removed; undefined if it is not known. */
  numberOf(collection: string, key: string): number | undefined {
    return this.#numbers.get(nameOf(collection, key));
  }

  /** Yields every record that is known not to be absent, but for those of some numbers. */
  *without(numbers: ReadonlySet<number>): Generator<readonly [collection: string, key: string]> {
    const none = digestOf(absent);
    for (const [name, number] of this.#numbers) {
      if (numbers.has(number) || this.#digest(number) === none) continue;
      const end = name.indexOf(" ");
      yield [name.slice(0, end), name.slice(end + 1)];
    }
  }

  /** Sets what a record is from now on; null and undefined remove it. */
  set(collection: string, key: string, value: unknown): void {
    const name = nameOf(collection, key);
    const json = toJSON(value);
    this.checked.set(collection, key, value);
    if (this.#suspects.has(name)) this.#values.set(name, json);
    let number = this.#numbers.get(name);
    if (json === absent && this.complete) {
      if (number === undefined) return;
      this.#numbers.delete(name);
      this.#free.push(number);
      return;
    }
    if (number === undefined) {
      number = this.#free.pop() ?? this.#numbers.size;
      this.#numbers.set(name, number);
    }
    const start = number * digestLength;
    if (start === this.#digests.length) this.#digests = Buffer.concat([this.#digests], 2 * start);
    this.#digests.write(digestOf(json), start, "latin1");
  }

  #digest(number: number): string {
    return this.#digests.toString("latin1", number * digestLength, (number + 1) * digestLength);
  }
}

/** No collection has a space in its name. */
function nameOf(collection: string, key: string): string {
  return `${collection} ${key}`;
}

function digestOf(json: string): string {
  return hash("sha256", json, "binary").slice(0, digestLength);
}
