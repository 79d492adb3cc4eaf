/** Reading segments: which bytes are whole changes, where they end, and what is refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BrokenLine, encodeLine, NewerFormat } from "../../../src/store/journal/lines.ts";
import {
  headerLine,
  incompleteHeader,
  readSegment,
  readSegmentHeader,
  SegmentReader,
} from "../../../src/store/journal/segment.ts";
import { toDamage } from "../../../src/store/journal/segment-file.ts";

const header = headerLine(7, 99, 5);

/** The first line of a change. */
function first(sequence: number, more?: true) {
  const origin = { instant: 1, who: "operator", operation: "test", request: null, table: null, undoes: null };
  return { sequence, ...origin, changes: [], ...(more === undefined ? {} : { more }) };
}

/** Returns the bytes of a segment that begins with change 7, and where each line begins and the last one ends. */
function segmentOf(...documents: readonly unknown[]): { bytes: Buffer; starts: number[]; chains: number[] } {
  const chains = [99];
  const starts = [header.length];
  const lines = documents.map((document) => {
    const { line, chain } = encodeLine(JSON.stringify(document), chains.at(-1) ?? 0);
    chains.push(chain);
    starts.push((starts.at(-1) ?? 0) + line.length);
    return line;
  });
  return { bytes: Buffer.concat([header, Buffer.from(lines.join(""))]), starts, chains };
}

/** Asserts that a segment is refused, after these changes were passed on. */
function assertBroken(bytes: Buffer, message: string, offset: number, before: readonly number[] = []): void {
  const reader = new SegmentReader();
  assert.throws(
    () => {
      reader.take(bytes);
      reader.finish();
    },
    (error) => {
      assert.ok(error instanceof BrokenLine, `${error}`);
      assert.deepEqual([error.message, error.offset], [message, offset]);
      return true;
    },
  );
  assert.deepEqual(
    reader.records.map(({ record }) => record.sequence),
    before,
  );
}

describe("a segment", () => {
  it("has a header and changes, each with its checksum and its place", () => {
    const { bytes, starts, chains } = segmentOf(first(7), first(8));
    assert.deepEqual(readSegment(bytes), {
      version: 4,
      first: 7,
      chain: 99,
      records: [
        { record: first(7), chain: chains[1], offset: starts[0] },
        { record: first(8), chain: chains[2], offset: starts[1] },
      ],
      end: bytes.length,
      unterminated: false,
      torn: 0,
    });
  });

  it("may end within a line or a bulk change, which is no change then, or lack its last line feed", () => {
    const more = { sequence: 8, changes: [], more: true };
    const { bytes, starts, chains } = segmentOf(first(7), first(8, true), more, { sequence: 8, changes: [] });
    const [, second = 0, , , end = 0] = starts;
    for (let length = second; length <= end; length += 1) {
      const { records, ...segment } = readSegment(bytes.subarray(0, length));
      const isWhole = length >= end - 1;
      assert.deepEqual(
        [records.length, segment.end, segment.unterminated, segment.torn],
        [isWhole ? 2 : 1, isWhole ? length : second, length === end - 1, isWhole ? 0 : length - second],
        `${length}`,
      );
      if (isWhole) assert.deepEqual(records[1], { record: first(8), chain: chains[4], offset: second });
    }
  });

  it("is refused where its header is incomplete", () => {
    for (const length of [0, 1, 20, header.length - 2, header.length - 1]) {
      assertBroken(header.subarray(0, length), incompleteHeader(length), 0);
    }
    assert.equal(readSegment(header).records.length, 0);
    assert.match(incompleteHeader(20), /the file has 20 bytes, and changes may be missing/);
  });

  it("is refused at a line that is no change, one out of order, and one that interrupts a bulk change", () => {
    for (const [documents, message, line, before] of [
      [[first(7), {}, first(8)], "the line is not a record of the journal", 1, [7]],
      [[{ sequence: 7, changes: [] }], "the line is not a record of the journal", 0, []],
      [[first(8)], "expected change 7, got 8", 0, []],
      [[first(7), first(7)], "expected change 8, got 7", 1, [7]],
      [[first(7), first(9)], "expected change 8, got 9", 1, [7]],
      [[first(7, true), first(8)], "change 7 lacks its last line", 1, []],
      [[first(7, true), { sequence: 8, changes: [] }], "change 7 lacks its last line", 1, []],
      [[first(7, true), { sequence: 7, changes: [0] }], "change 7 lacks its last line", 1, []],
    ] as const) {
      const { bytes, starts } = segmentOf(...documents);
      assertBroken(bytes, message, starts[line] ?? 0, before);
    }
  });

  it("is refused where it was damaged, also in its last line", () => {
    const { bytes, starts } = segmentOf(first(7), first(8));
    for (const [at, line, before] of [
      [12, -1, []],
      [(starts[0] ?? 0) + 20, 0, []],
      [bytes.length - 1, 1, [7]],
      [bytes.length - 3, 1, [7]],
    ] as const) {
      const spoiled = Buffer.from(bytes);
      spoiled[at] = (spoiled[at] ?? 0) ^ 1;
      assertBroken(spoiled, "the checksum of the line is wrong", starts[line] ?? 0, before);
    }
    // It is chained to another line than the header says.
    const foreign = Buffer.concat([headerLine(7, 98, 5), bytes.subarray(header.length)]);
    assertBroken(foreign, "the checksum of the line is wrong", header.length);
  });
});

describe("the header of a segment", () => {
  const whole = { format: "gameaddon-journal", version: 4, first: 7, chain: 99, instant: 5 };

  it("is written as it is read", () => {
    assert.equal(header.toString("utf8", 9), `${JSON.stringify(whole)}\n`);
    for (const version of [1, 2, 3, 4]) {
      assert.deepEqual(readSegmentHeader(JSON.stringify({ ...whole, version })), { ...whole, version });
    }
  });

  it("is refused in any other form", () => {
    for (const document of [
      { ...whole, format: "gameaddon-snapshot" },
      { ...whole, format: "gameaddon-snapshot", version: 9 },
      { ...whole, version: 0 },
      { ...whole, version: 2.5 },
      { ...whole, version: "5" },
      { ...whole, first: 7.5 },
      { ...whole, chain: "99" },
      { ...whole, instant: null },
      { version: 9 },
      null,
      [],
    ]) {
      assert.throws(() => readSegmentHeader(JSON.stringify(document)), {
        name: "BrokenLine",
        message: "the header is not that of a gameaddon-journal",
        offset: 0,
      });
    }
  });

  it("of a newer version is not damage, whatever else it has", () => {
    for (const document of [
      { ...whole, version: 5 },
      { format: "gameaddon-journal", version: 5.5 },
    ]) {
      assert.throws(
        () => readSegmentHeader(JSON.stringify(document)),
        (error) => {
          assert.ok(error instanceof NewerFormat, `${error}`);
          const versions = `version ${document.version} of gameaddon-journal; this program reads versions up to 4`;
          assert.equal(error.message, `The data was written in ${versions}.`);
          assert.equal(error.in("/data/file").message, `/data/file was written in ${versions}.`);
          return true;
        },
      );
    }
  });
});

describe("an error while a segment is read", () => {
  it("names the file if it is damage or a newer version, and is passed on otherwise", () => {
    const damage = toDamage("/data/file", new BrokenLine("the line is wrong", 42));
    assert.match(String(damage), /\/data\/file is damaged at byte 42: the line is wrong\.$/);
    assert.match(
      String(toDamage("/data/file", new NewerFormat("version 9"))),
      /\/data\/file was written in version 9/,
    );
    for (const other of [new Error("EIO"), "EIO", undefined])
      assert.equal(toDamage("/data/file", other), other);
  });
});
