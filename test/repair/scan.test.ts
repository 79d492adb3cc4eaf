/** Scanning lines past damage: which lines are certainly as they were written, and what each fault is called. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LineScanner, type ScannedLine, scanLines } from "../../src/repair/scan.ts";
import { chained } from "../backup/_setup.ts";

const missingFeed = "the line feed at the end of the line is missing";
const otherByte = "the line feed at the end of the line has become another byte";
const wrong = "the checksum of the line is wrong";
const confirmed = "the checksum of the line is wrong; the next line confirms its text";

const texts = ['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}'];
/** Four lines of 17 bytes, chained to 7. */
const lines = chained(
  7,
  texts.map((text): unknown => JSON.parse(text)),
)
  .text.trimEnd()
  .split("\n");
const checksumOf = (index: number) => Number.parseInt((lines[index] ?? assert.fail()).slice(0, 8), 16);
/** The lines, some of them replaced. */
const withLines = (changes: Readonly<Record<number, string>>) =>
  lines.map((line, index) => `${changes[index] ?? line}\n`).join("");
const line = (index: number) => lines[index] ?? assert.fail();
/** A line with another checksum, and one with another text. */
const badChecksum = (index: number) => `00000000${line(index).slice(8)}`;
const badText = (index: number) => line(index).replace("n", "m");

const scan = (text: string, chains: readonly number[] = [7]) => scanLines(Buffer.from(text), chains);
/** Each line: its text if it is readable, and its fault. */
const summary = (scanned: readonly ScannedLine[]) =>
  scanned.map(({ json, readable, fault }) => [readable ? json : null, fault]);

describe("scanning lines", () => {
  it("returns the place, the text and the checksum of each whole line", () => {
    assert.deepEqual(
      scan(withLines({})),
      texts.map((json, index) => ({
        offset: index * 17,
        end: (index + 1) * 17,
        json,
        chain: checksumOf(index),
        readable: true,
        incomplete: false,
        fault: undefined,
      })),
    );
  });

  it("returns nothing for no bytes", () => {
    assert.deepEqual(scan(""), []);
  });

  it("tells a last line that lacks only its line feed from one that is torn", () => {
    const whole = withLines({}).slice(0, 33);
    assert.deepEqual(scan(whole)[1], {
      offset: 17,
      end: 33,
      json: '{"n":2}',
      chain: checksumOf(1),
      readable: true,
      incomplete: true,
      fault: missingFeed,
    });
    for (const length of [1, 8, 9, 10, 15]) {
      const [first, torn, ...more] = scan(whole.slice(0, 17 + length));
      assert.deepEqual(more, []);
      assert.equal(first?.fault, undefined);
      assert.deepEqual(torn, {
        offset: 17,
        end: 17 + length,
        json: whole.slice(17, 17 + length).slice(9),
        // Nine bytes, the space among them, make a checksum.
        chain: length < 9 ? undefined : checksumOf(1),
        readable: false,
        incomplete: true,
        fault: "the line is incomplete",
      });
    }
  });

  it("trusts a text whose checksum is broken if the next line is chained to the right one", () => {
    for (const bad of [badChecksum(1), `?${line(1).slice(1)}`]) {
      const scanned = scan(withLines({ 1: bad }));
      assert.deepEqual(summary(scanned), [
        ['{"n":1}', undefined],
        ['{"n":2}', confirmed],
        ['{"n":3}', undefined],
        ['{"n":4}', undefined],
      ]);
      assert.equal(scanned[1]?.chain, checksumOf(1));
    }
  });

  it("trusts no text whose checksum is broken in the last line", () => {
    assert.deepEqual(summary(scan(withLines({ 3: badChecksum(3) }))).slice(2), [
      ['{"n":3}', undefined],
      [null, wrong],
    ]);
  });

  it("trusts neither of two lines that are broken in different ways but the one that the next confirms", () => {
    assert.deepEqual(summary(scan(withLines({ 1: badText(1), 2: badChecksum(2) }))), [
      ['{"n":1}', undefined],
      [null, wrong],
      ['{"n":3}', confirmed],
      ['{"n":4}', undefined],
    ]);
    assert.deepEqual(summary(scan(withLines({ 1: badChecksum(1), 2: badText(2) }))), [
      ['{"n":1}', undefined],
      [null, wrong],
      [null, wrong],
      ['{"n":4}', undefined],
    ]);
    assert.deepEqual(summary(scan(withLines({ 0: badText(0), 1: badText(1), 2: badText(2) }))), [
      [null, wrong],
      [null, wrong],
      [null, wrong],
      ['{"n":4}', undefined],
    ]);
  });

  for (const [what, extra] of [
    ["an empty line", ""],
    ["a line that is shorter than a checksum", "xyz"],
    ["a checksum without a text", "00000000 "],
    ["the checksum of the line before, without a text", `${line(0).slice(0, 9)}`],
    ["a line of other text", "nobody knows what this is"],
  ] as const) {
    it(`reads the lines around ${what}, which is broken itself`, () => {
      assert.deepEqual(summary(scan(`${line(0)}\n${extra}\n${line(1)}\n`)), [
        ['{"n":1}', undefined],
        [null, wrong],
        ['{"n":2}', undefined],
      ]);
    });
  }

  it("splits two lines whose line feed has become another byte", () => {
    for (const byte of ["\0", "x", "\r", " "]) {
      const [, first, second, third] = scan(`${line(0)}\n${line(1)}${byte}${line(2)}\n${line(3)}\n`);
      assert.deepEqual(first, {
        offset: 17,
        end: 34,
        json: '{"n":2}',
        chain: checksumOf(1),
        readable: true,
        incomplete: false,
        fault: otherByte,
      });
      assert.deepEqual([second?.offset, second?.json, second?.fault], [34, '{"n":3}', undefined]);
      assert.deepEqual([third?.offset, third?.json, third?.fault], [51, '{"n":4}', undefined]);
    }
  });

  it("takes the last byte of the file for the line feed of the last line", () => {
    const scanned = scan(`${line(0)}\n${line(1)}x`);
    assert.deepEqual(summary(scanned), [
      ['{"n":1}', undefined],
      ['{"n":2}', otherByte],
    ]);
    assert.deepEqual([scanned[1]?.end, scanned[1]?.incomplete], [34, false]);
    // Within the file, a line feed follows the other byte: the line is longer than it was.
    assert.deepEqual(summary(scan(`${line(0)}x\n${line(1)}\n`)), [
      [null, wrong],
      ['{"n":2}', undefined],
    ]);
  });

  it("cannot trust the first line if it is unknown what it is chained to", () => {
    assert.deepEqual(summary(scan(withLines({}), [])).slice(0, 2), [
      [null, wrong],
      ['{"n":2}', undefined],
    ]);
    assert.deepEqual(summary(scan(withLines({}), [5, 6, 7]))[0], ['{"n":1}', undefined]);
  });

  it("gives up on a line that is chained to one that broken lines follow in great number", () => {
    const noise = (count: number) =>
      Array.from({ length: count }, (_, n) => `0000000${n % 10} {}\n`).join("");
    assert.deepEqual(summary(scan(`${line(0)}\n${noise(2)}${line(1)}\n`)).at(-1), ['{"n":2}', undefined]);
    assert.deepEqual(summary(scan(`${line(0)}\n${noise(40)}${line(1)}\n`)).at(-1), [null, wrong]);
  });
});

describe("a scanner of lines", () => {
  const damaged = `${withLines({ 1: badText(1), 2: badChecksum(2) })}${line(3).slice(0, 12)}`;

  it("finds the same in pieces of any length, which the caller overwrites", () => {
    for (const start of [0, 100]) {
      const expected = scan(damaged).map((each) => ({
        ...each,
        offset: each.offset + start,
        end: each.end + start,
      }));
      for (let length = 1; length <= damaged.length; length += 1) {
        const found: ScannedLine[] = [];
        const scanner = new LineScanner([7], (each) => found.push(each), start);
        for (let at = 0; at < damaged.length; at += length) {
          const piece = Buffer.from(damaged.slice(at, at + length));
          scanner.take(piece);
          piece.fill(0x0a);
        }
        scanner.end();
        assert.deepEqual(found, expected, `${length} bytes`);
      }
    }
  });
});
