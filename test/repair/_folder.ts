/** Data folders in memory: whole files of a history, each chained to the ones before, to be damaged by a test. */
import assert from "node:assert/strict";
import type { Rebuilt } from "../../src/repair/findings.ts";
import { examine } from "../../src/repair/verify.ts";
import { pointsOf, wantedKey, wantedReason } from "../_entries.ts";
import { chained, inMemory } from "../backup/_setup.ts";

export const journal = (first: number) => `journal-${String(first).padStart(12, "0")}.log`;
export const snapshot = (sequence: number) => `snapshot-${String(sequence).padStart(12, "0")}.jsonl`;

/** A change of one wanted reason. */
export const change = (sequence: number, reason: string, points = 1, collection = "entries") => ({
  ...{ sequence, instant: sequence, who: "operator", operation: "test" },
  ...{ request: null, table: null, undoes: null },
  changes: [{ collection, key: wantedKey(reason), before: null, after: wantedReason(reason, points) }],
});

/** A change of the points of one wanted reason; null stands for no reason. */
export const step = (sequence: number, reason: string, before: number | null, after: number | null) => {
  const recordOf = (points: number | null) => (points === null ? null : wantedReason(reason, points));
  const key = wantedKey(reason);
  const changes = [{ collection: "entries", key, before: recordOf(before), after: recordOf(after) }];
  return { ...change(sequence, reason), changes };
};

/** A record of a snapshot. */
export const record = (reason: string, points = 1, collection = "entries") => ({
  collection,
  record: wantedReason(reason, points),
});

export class Folder {
  readonly files = new Map<string, Buffer>();
  #chain = 0;

  /** Adds a segment. */
  journal(first: number, ...records: readonly object[]): this {
    const header = { format: "gameaddon-journal", version: 4, first, chain: this.#chain, instant: 1 };
    const { text, chain } = chained(this.#chain, records);
    this.files.set(journal(first), Buffer.from(`${chained(0, [header]).text}${text}`));
    this.#chain = chain;
    return this;
  }

  /** Adds a snapshot after the last change of the journal. */
  snapshot(sequence: number, ...records: readonly object[]): this {
    return this.oddSnapshot(sequence, {}, ...records, { end: records.length });
  }

  /** Adds further changes to a segment. */
  append(first: number, ...records: readonly object[]): this {
    const { text, chain } = chained(this.#chain, records);
    this.files.set(journal(first), Buffer.concat([this.#bytesOf(journal(first)), Buffer.from(text)]));
    this.#chain = chain;
    return this;
  }

  /** Adds a snapshot of other lines after the last change of the journal. @param fields of its header, unlike usual */
  oddSnapshot(sequence: number, fields: object, ...lines: readonly unknown[]): this {
    const usual = { format: "gameaddon-snapshot", version: 3, sequence, chain: this.#chain, instant: 1 };
    this.files.set(snapshot(sequence), Buffer.from(chained(0, [{ ...usual, ...fields }, ...lines]).text));
    return this;
  }

  /** Chains what is added from now on to other data. */
  branch(): this {
    this.#chain = 0x12345678;
    return this;
  }

  /** Removes files. */
  without(...names: readonly string[]): this {
    for (const name of names) assert.ok(this.files.delete(name), name);
    return this;
  }

  /** Removes bytes at the end of a file. */
  cut(name: string, bytes: number): this {
    this.files.set(name, this.#bytesOf(name).subarray(0, -bytes));
    return this;
  }

  /** Changes the first byte of a text in a file. Returns the offset of its line. */
  spoil(name: string, text: string): number {
    const bytes = this.#bytesOf(name);
    const at = bytes.indexOf(text);
    bytes.write("!", at);
    return bytes.lastIndexOf("\n", at) + 1;
  }

  /** The offset of a line, from 0 for the header. */
  offsetOf(name: string, line: number): number {
    const lines = String(this.files.get(name)).split("\n").slice(0, line);
    return lines.reduce((offset, { length }) => offset + length + 1, 0);
  }

  async rebuild(): Promise<Rebuilt> {
    return (await examine(inMemory(this.files), "/data")).rebuild();
  }

  async verify(options = { running: false }) {
    return (await examine(inMemory(this.files), "/data", options)).verified;
  }

  /** The problems that a verification finds: kind, file, offset, fault. */
  async problems(): Promise<string[]> {
    const { problems } = await this.verify();
    return problems.map(({ kind, file, offset, what }) => `${kind} ${file}@${offset}: ${what}`);
  }

  #bytesOf(name: string): Buffer {
    return this.files.get(name) ?? assert.fail(`there is no ${name}`);
  }
}

/** The points of each wanted reason. */
export const pointsIn = ({ database }: Rebuilt) => pointsOf(database.view.entries.values());
/** Changes 1 to 5 add the reasons A to E, and so many records are in the snapshot after each. */
export const changes = (from: number, to: number) =>
  ["A", "B", "C", "D", "E"].slice(from - 1, to).map((name, index) => change(from + index, name));
export const records = (to: number) => ["A", "B", "C", "D", "E"].slice(0, to).map((name) => record(name));
/** A folder with the first changes in one segment. */
export const begun = (to: number) => new Folder().journal(1, ...changes(1, to));
