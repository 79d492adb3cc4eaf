/** A valid table, and helpers to assert that an edit of it has certain faults. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { check } from "./_library.ts";

/** A valid table. Faulty ones differ from it in one place. */
export const goodTable = `prefix: /library/{key}
product: reader
excluded: { group: BARRED }
types:
  title: { type: text, maxLength: 64, description: a title }
  pages: { type: integer, minimum: 1, maximum: 5000 }
  kind: { type: enum, values: [novel, poem] }
routes:
  /books:
    summary: Returns the books.
    restriction:
      - { when: { hidden: true }, service: DESK }
      - open
    parameters: { hidden: { type: boolean, default: false } }
    handler: books.list
  /books/{branch}:
    summary: Returns the books of a branch.
    restriction: { faction: $branch }
    parameters: { branch: faction }
    handler: books.of
  /books/{branch}/add:
    summary: Adds a book.
    restriction: { faction: $branch, rank: 4 }
    parameters:
      branch: faction
      title: title
      pages: pages
      kind: kind
    handler: books.add
  /readers/{reader}:
    summary: Returns a reader.
    restriction: { anyOf: [{ self: reader }, administrators, { group: STAFF }] }
    parameters: { reader: text }
    handler: readers.show
`;

/** A fault: line, column, and what its message contains. */
export type ExpectedFault = readonly [line: number, column: number, says: string | RegExp];

/** What is wrong; a part of the valid table; its replacement; the faults, in their order. */
export type FaultyTable = readonly [what: string, from: string, to: string, ...faults: ExpectedFault[]];

/** Returns the valid table with one edit. */
export function edited(from: string, to: string): string {
  assert.equal(goodTable.split(from).length, 2, `${JSON.stringify(from)} is not there once`);
  return goodTable.replace(from, () => to);
}

/** Asserts that a text has exactly these faults. */
export function assertFaults(text: string, ...expected: readonly ExpectedFault[]): void {
  const { table, faults } = check(text);
  assert.equal(table, undefined, "the table was accepted");
  const found = faults.map(({ line, column, message }) => `${line}:${column} ${message}`).join("\n");
  assert.deepEqual(
    faults.map(({ line, column }) => [line, column]),
    expected.map(([line, column]) => [line, column]),
    found,
  );
  for (const [index, [, , says]] of expected.entries()) {
    const message = faults[index]?.message ?? "";
    assert.ok(
      typeof says === "string" ? message.includes(says) : says.test(message),
      `${found} lacks ${says}`,
    );
    // Leaks of the implementation.
    assert.doesNotMatch(message, /undefined|\[object|NaN|Invalid (?:type|value|key|safe)|[\r\n]/, found);
    // A suggestion is never what was written.
    assert.doesNotMatch(message, /"([^"]*)".*Did you mean "\1"\?/, found);
  }
}

/** All faulty tables of the tests declared so far. */
export const corpus: FaultyTable[] = [];

/** Declares a test for each faulty table. */
export function itFinds(tables: readonly FaultyTable[]): void {
  corpus.push(...tables);
  for (const [what, from, to, ...faults] of tables) it(what, () => assertFaults(edited(from, to), ...faults));
}
