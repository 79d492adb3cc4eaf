/** The documents of the journal's lines: which are changes, which are lines of bulk changes, and what they make up. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JournalRecord, RecordChange } from "../../../src/store/change.ts";
import { encodeLine, LineEncoder } from "../../../src/store/journal/lines.ts";
import {
  addLine,
  changesIn,
  closeRecord,
  encodeInLines,
  hasMore,
  isFurtherLine,
  mostInLine,
  openRecord,
} from "../../../src/store/journal/record-lines.ts";
import { headerLine, readSegment } from "../../../src/store/journal/segment.ts";

const change: RecordChange = { collection: "notes", key: "a", before: null, after: { id: "a" } };
const other: RecordChange = { ...change, key: "b" };

/** A first line of version 3, as it is written. */
const whole = {
  sequence: 7,
  instant: 1_790_000_000_000,
  who: "operator",
  operation: "player.add",
  request: null,
  table: null,
  undoes: null,
  changes: [change],
};

const notObjects = [undefined, null, 7, "who", true];

describe("the first line of a change", () => {
  it("has everything that was written", () => {
    for (const document of [
      whole,
      { ...whole, request: "r1", table: "t1", undoes: 3 },
      { ...whole, who: "public", token: "id" },
      { ...whole, changes: [] },
      { ...whole, changes: [change, other] },
      { ...whole, sequence: 0, instant: 0.5, who: "", operation: "" },
    ]) {
      assert.deepEqual(openRecord(document, 40), { head: document, lines: [document.changes], offset: 40 });
    }
  });

  it("of an older version has null for what it lacks", () => {
    const { request: _, table: __, undoes: ___, ...old } = whole;
    assert.deepEqual(openRecord(old, 0)?.head, whole);
  });

  it("has nothing else", () => {
    assert.deepEqual(openRecord({ ...whole, more: true, else: 1 }, 0)?.head, whole);
  });

  const wrong: readonly (readonly [field: keyof typeof whole | "token", values: readonly unknown[]])[] = [
    ["sequence", [undefined, null, "7", 7.5, 2 ** 53]],
    ["instant", [undefined, null, "1"]],
    ["who", [undefined, null, 1]],
    ["operation", [undefined, null, 1]],
    ["request", [1, {}]],
    ["table", [1, {}]],
    ["undoes", ["6", {}]],
    ["token", [null, 1]],
    ["changes", [undefined, null, {}, "a", [undefined], [change, null]]],
  ];
  for (const [field, values] of wrong) {
    it(`is refused with another kind of ${field}`, () => {
      for (const value of values)
        assert.equal(openRecord({ ...whole, [field]: value }, 0), undefined, `${value}`);
    });
  }

  it("is an object", () => {
    for (const document of [...notObjects, []]) assert.equal(openRecord(document, 0), undefined);
  });
});

describe("the changes of a line", () => {
  it("name a collection and a key, and have a value before and after", () => {
    for (const changes of [[], [change], [change, other], [{ ...change, before: { id: 1 }, after: null }]]) {
      assert.deepEqual(changesIn({ changes }), changes);
    }
    for (const field of ["collection", "key", "before", "after"] as const) {
      const { [field]: _, ...wrong } = change;
      assert.equal(changesIn({ changes: [change, wrong] }), undefined, field);
    }
    for (const wrong of [{ ...change, collection: 1 }, { ...change, key: null }, ...notObjects]) {
      assert.equal(changesIn({ changes: [wrong, change] }), undefined);
    }
    for (const document of [...notObjects, {}, { changes: {} }]) assert.equal(changesIn(document), undefined);
  });
});

describe("a further line of a bulk change", () => {
  it("has a number and changes, says whether another follows, and not who made them", () => {
    const further = { sequence: 7, changes: [change] };
    for (const more of [true, false, 1, "true", undefined]) {
      assert.equal(isFurtherLine({ ...further, more }), true);
      assert.equal(hasMore({ more }), more === true);
    }
    for (const document of [
      whole,
      { ...further, who: undefined },
      { ...further, sequence: "7" },
      { changes: [change] },
      { sequence: 7 },
      { ...further, changes: [null] },
      ...notObjects,
    ]) {
      assert.equal(isFurtherLine(document), false, JSON.stringify(document));
      assert.equal(hasMore(document), false);
    }
  });

  it("is added to the change of its number, and the lines make up one change in order", () => {
    const open = openRecord({ ...whole, token: "id", more: true }, 40);
    assert.ok(open !== undefined);
    const head = { ...whole, token: "id" };
    assert.equal(addLine(open, { sequence: 8, changes: [other] }), false);
    assert.equal(addLine(open, whole), false);
    assert.deepEqual(closeRecord(open), head);
    assert.equal(addLine(open, { sequence: 7, changes: [other, change], more: true }), true);
    assert.equal(addLine(open, { sequence: 7, changes: [other] }), true);
    assert.deepEqual(closeRecord(open), { ...head, changes: [change, other, change, other] });
  });
});

describe("the lines of a bulk change", () => {
  /** What may be in a line beside its checksum, its number and who made the change. */
  const room = mostInLine - 1024;

  /** A change whose JSON has this length. */
  function changeOf(length: number): RecordChange {
    const empty = { collection: "notes", key: "", before: null, after: null };
    return { ...empty, key: "k".repeat(length - JSON.stringify(empty).length) };
  }

  function encoded(changes: readonly RecordChange[]) {
    const record: JournalRecord = { ...whole, changes };
    const encoder = new LineEncoder(99);
    const pieces = Array.from(encodeInLines(encoder, record), (piece) => Buffer.from(piece));
    return { record, pieces, chain: encoder.chain };
  }

  for (const [what, lengths, expected] of [
    ["no change", [], [0]],
    ["one small change", [100], [1]],
    ["two changes that fill a line, with a comma each", [1000, room - 1002], [2]],
    ["two changes that are a byte too long for one", [1000, room - 1001], [1, 1]],
    ["a change that is longer than a line", [2 * room], [1]],
    ["a change that is longer than a line between others", [100, 2 * room, 100, 100], [1, 1, 2]],
    ["many changes", Array<number>(3000).fill(999), [1047, 1047, 906]],
  ] as const) {
    it(`are ${expected.length} for ${what}, and are read as one change`, () => {
      const { record, pieces, chain } = encoded(lengths.map(changeOf));
      const documents = pieces.map((piece) => JSON.parse(piece.toString("utf8", 9)));
      assert.deepEqual(
        documents.map(({ changes }) => changes.length),
        expected,
      );
      const last = documents.length - 1;
      for (const [index, { changes: _, ...rest }] of documents.entries()) {
        const { changes: __, ...head } = record;
        const more = index < last ? { more: true } : {};
        assert.deepEqual(rest, { ...(index === 0 ? head : { sequence: 7 }), ...more });
      }
      const segment = readSegment(Buffer.concat([headerLine(7, 99, 0), ...pieces]));
      assert.deepEqual(segment.records, [{ record, chain, offset: headerLine(7, 99, 0).length }]);
      let before = 99;
      for (const piece of pieces) {
        const { line, chain: next } = encodeLine(piece.toString("utf8", 9).trimEnd(), before);
        assert.equal(piece.toString(), line);
        before = next;
      }
      assert.equal(chain, before);
    });
  }
});
