/** A valid table, which tests edit. */
import assert from "node:assert/strict";

/** A valid table. */
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

/** Returns the valid table with one edit. */
export function edited(from: string, to: string): string {
  assert.equal(goodTable.split(from).length, 2, `${JSON.stringify(from)} is not there once`);
  return goodTable.replace(from, () => to);
}
