/** Decoding lines at the boundaries: when lines are passed on, which lines are refused, and how much memory is kept. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Files, nodeFiles } from "../../src/store/folder/files.ts";
import { LineDecoder, readFirstLine } from "../../src/store/journal/decoding.ts";
import { LineEncoder } from "../../src/store/journal/encoding.ts";
import { BrokenLine, encodeLine } from "../../src/store/journal/lines.ts";

const header = '{"format":"test"}';
/** The bytes that are decoded together. */
const room = 64 * 1024;

/** The lines of JSON texts, each chained to the one before it. */
function linesOf(...texts: readonly string[]): { bytes: Buffer; chains: number[] } {
  const chains: number[] = [];
  const lines = texts.map((text) => {
    const { line, chain } = encodeLine(text, chains.at(-1) ?? 0);
    chains.push(chain);
    return line;
  });
  return { bytes: Buffer.from(lines.join("")), chains };
}

/** A document whose line has this length. */
const lineOf = (length: number): string => `"${"x".repeat(length - 12)}"`;

/** A decoder, and what it has passed on. */
function decoder(longest?: number) {
  const headers: (readonly [string, number])[] = [];
  const lines: (readonly unknown[])[] = [];
  const decoding = new LineDecoder(
    {
      header(json, checksum) {
        headers.push([json, checksum]);
        return checksum;
      },
      line: (...line) => void lines.push(line),
    },
    longest,
  );
  return { decoding, headers, lines };
}

/** Returns the error of decoding bytes that are a whole file. */
function errorOf(bytes: Buffer, longest?: number): unknown {
  const { decoding } = decoder(longest);
  try {
    decoding.take(bytes);
    decoding.flush();
    decoding.end();
  } catch (error) {
    return error;
  }
  return undefined;
}

function assertBroken(error: unknown, message: string, offset: number, incomplete = false): void {
  assert.ok(error instanceof BrokenLine, `${error}`);
  assert.deepEqual([error.message, error.offset, error.incomplete], [message, offset, incomplete]);
}

const wrong = "the checksum of the line is wrong";

describe("the decoder of lines", () => {
  it("passes on each line with its checksum and its place, and counts the bytes", () => {
    const { bytes, chains } = linesOf(header, "1", '{"two":2}', "[3]");
    const { decoding, headers, lines } = decoder();
    decoding.take(bytes.subarray(0, 40));
    decoding.take(bytes.subarray(40));
    assert.deepEqual([decoding.taken, decoding.offset], [bytes.length, 0]);
    assert.deepEqual([headers, lines], [[], []]);
    assert.deepEqual(decoding.rest, bytes);
    decoding.flush();
    assert.deepEqual(headers, [[header, chains[0]]]);
    assert.deepEqual(lines, [
      [1, chains[1], 27, 38],
      [{ two: 2 }, chains[2], 38, 57],
      [[3], chains[3], 57, 70],
    ]);
    assert.deepEqual([decoding.taken, decoding.offset, decoding.rest.length], [70, 70, 0]);
    decoding.end();
    assert.equal(decoding.unterminated, false);
    assert.equal(lines.length, 3);
  });

  it("waits for the rest of a line, also of the header", () => {
    const { bytes } = linesOf(header, "1", "2");
    const { decoding, headers, lines } = decoder();
    for (const [at, expected] of [
      [5, [0, 0, 0]],
      [26, [0, 0, 0]],
      [27, [1, 0, 27]],
      [37, [1, 0, 27]],
      [38, [1, 1, 38]],
      [49, [1, 2, 49]],
    ] as const) {
      decoding.take(bytes.subarray(decoding.taken, at));
      decoding.flush();
      assert.deepEqual([headers.length, lines.length, decoding.offset], expected, `${at}`);
      assert.deepEqual(decoding.rest, bytes.subarray(decoding.offset, at));
    }
  });

  it("decodes a last line without its line feed, also the header", () => {
    const { bytes, chains } = linesOf(header, "1");
    const { decoding, headers, lines } = decoder();
    decoding.take(bytes.subarray(0, -1));
    decoding.flush();
    decoding.end();
    assert.deepEqual(lines, [[1, chains[1], 27, 37]]);
    assert.deepEqual([decoding.unterminated, decoding.offset, decoding.rest.length], [true, 37, 0]);
    assert.equal(headers.length, 1);

    const alone = decoder();
    alone.decoding.take(bytes.subarray(0, 26));
    alone.decoding.flush();
    assert.deepEqual(alone.headers, []);
    alone.decoding.end();
    assert.deepEqual(alone.headers, [[header, chains[0]]]);
    assert.deepEqual(alone.lines, []);
    assert.deepEqual([alone.decoding.unterminated, alone.decoding.offset], [true, 26]);
  });

  it("decodes nothing of an empty file", () => {
    const { decoding, headers } = decoder();
    decoding.take(Buffer.alloc(0));
    decoding.flush();
    decoding.end();
    assert.deepEqual([headers, decoding.taken, decoding.unterminated], [[], 0, false]);
  });

  it("parses all lines that it has together", (t) => {
    const { bytes } = linesOf(header, ...Array.from({ length: 50 }, (_, index) => `{"n":${index}}`));
    const { decoding, lines } = decoder();
    const parse = t.mock.method(JSON, "parse");
    decoding.take(bytes);
    decoding.flush();
    decoding.flush();
    assert.equal(parse.mock.callCount(), 1);
    assert.deepEqual(
      lines.map(([document]) => document),
      Array.from({ length: 50 }, (_, n) => ({ n })),
    );
  });

  it("refuses a line with any byte changed, and one without a document", () => {
    const { bytes } = linesOf(header, "[1,2]");
    for (let at = 0; at < bytes.length - 1; at += 1) {
      const spoiled = Buffer.from(bytes);
      spoiled[at] = (spoiled[at] ?? 0) ^ 1;
      assertBroken(errorOf(spoiled), wrong, at < 27 ? 0 : 27);
      // Without its line feed it might be a torn write.
      if (at > 27) assertBroken(errorOf(spoiled.subarray(0, -1)), "the line is incomplete", 27, true);
    }
    for (const text of ["", " "]) {
      const { bytes: empty } = linesOf(header, text);
      if (text === "") assertBroken(errorOf(empty), wrong, 27);
      else assert.match(String(errorOf(empty)), /^SyntaxError/);
    }
  });

  it("refuses a last line whose line feed is another byte, but takes one that is cut off for a torn write", () => {
    const { bytes } = linesOf(header, "[1,2]");
    const spoiled = Buffer.from(bytes);
    spoiled[bytes.length - 1] = 0x0b;
    assertBroken(errorOf(spoiled), wrong, 27);
    for (let end = 28; end < bytes.length - 1; end += 1) {
      assertBroken(errorOf(bytes.subarray(0, end)), "the line is incomplete", 27, true);
    }
    assert.equal(errorOf(bytes.subarray(0, -1)), undefined);
    assert.equal(errorOf(bytes.subarray(0, 27)), undefined);
  });

  it("passes on the lines before a wrong one", () => {
    const { bytes } = linesOf(header, "1", "2", "3");
    bytes[bytes.length - 2] = 0x34;
    const { decoding, lines } = decoder();
    decoding.take(bytes);
    assert.throws(() => decoding.flush(), { message: wrong, offset: 49 });
    assert.deepEqual(
      lines.map(([document]) => document),
      [1, 2],
    );
  });
});

describe("the memory of the decoder", () => {
  it("has no more than 64 KiB of lines that are not passed on", () => {
    const { bytes } = linesOf(header, ...Array.from({ length: 200 }, () => lineOf(1000)));
    const { decoding, lines } = decoder();
    decoding.take(bytes.subarray(0, room - 1));
    assert.equal(lines.length, 0);
    decoding.take(bytes.subarray(room - 1, room));
    assert.equal(lines.length, 65);
    decoding.take(bytes.subarray(room));
    assert.ok(decoding.rest.length < room);
    assert.ok(lines.length > 130);
  });

  it("grows for a long line, and shrinks after it", () => {
    const { bytes } = linesOf(
      header,
      "1",
      lineOf(300_000),
      ...Array.from({ length: 100 }, () => lineOf(1000)),
    );
    const { decoding, lines } = decoder();
    for (let from = 0; from < 300_038; from += 10_000) {
      decoding.take(bytes.subarray(from, Math.min(from + 10_000, 300_038)));
    }
    decoding.flush();
    assert.deepEqual(
      lines.map(([document, , from, to]) => [String(document).length, from, to]),
      [
        [1, 27, 38],
        [300_000 - 12, 38, 300_038],
      ],
    );
    decoding.take(bytes.subarray(300_038, 300_038 + room));
    assert.equal(lines.length, 2 + 65);
  });

  it("may be limited: a longer line is refused as soon as that is known", () => {
    for (const longest of [room, 2 * room]) {
      assert.equal(errorOf(linesOf(header, lineOf(longest - 27)).bytes, longest), undefined);
      const { bytes } = linesOf(header, "1", lineOf(longest + 1), "2");
      const message = `the line is longer than ${longest} bytes`;
      assertBroken(errorOf(bytes, longest), message, 38);
      assertBroken(errorOf(bytes.subarray(0, 38 + longest), longest), message, 38);
    }
    assert.equal(errorOf(linesOf(header, "1", lineOf(room + 1)).bytes, room + 1), undefined);
  });
});

describe("the first line of a file", () => {
  /** Files that are read in pieces of a length, each overwritten by the next one, and how many pieces were read. */
  function files(bytes: Buffer, length: number): { files: Files; count(): number } {
    let count = 0;
    async function* readPieces(_: string, from = 0): AsyncGenerator<Uint8Array> {
      const piece = Buffer.alloc(length);
      for (let at = from; at < bytes.length; at += length) {
        count += 1;
        yield piece.subarray(0, bytes.copy(piece, 0, at));
      }
    }
    return { files: { ...nodeFiles, readPieces }, count: () => count };
  }

  it("is read without the rest of the file", async () => {
    const { bytes } = linesOf(header, "1", "2");
    for (const [length, pieces] of [
      [1, 27],
      [5, 6],
      [26, 2],
      [27, 1],
      [100, 1],
    ] as const) {
      const { files: some, count } = files(bytes, length);
      assert.equal(await readFirstLine(some, "/file"), header);
      assert.equal(count(), pieces);
    }
  });

  it("may lack its line feed, and is null in an empty file", async () => {
    const { bytes } = linesOf(header);
    assert.equal(await readFirstLine(files(bytes.subarray(0, -1), 5).files, "/file"), header);
    assert.equal(await readFirstLine(files(Buffer.alloc(0), 5).files, "/file"), "null");
  });

  it("is refused where it is damaged or incomplete", async () => {
    const { bytes } = linesOf(header, "1");
    const spoiled = Buffer.from(bytes);
    spoiled[12] = 0x20;
    const errorIn = (content: Buffer) =>
      readFirstLine(files(content, 10).files, "/file").then(assert.fail, (error: unknown) => error);
    assertBroken(await errorIn(spoiled), wrong, 0);
    assertBroken(await errorIn(bytes.subarray(0, 20)), "the line is incomplete", 0, true);
  });
});

describe("the encoder of lines", () => {
  const sizeOf = (piece: Uint8Array) => piece.buffer.byteLength;

  it("counts the bytes since the last piece, and chains lines to what it begins with", () => {
    const encoder = new LineEncoder(100);
    assert.equal(encoder.length, 0);
    const first = encodeLine("1", 7);
    const second = encodeLine('"ü€😀"', first.chain);
    encoder.begin(7);
    assert.equal(encoder.add("1"), first.chain);
    assert.equal(encoder.length, 11);
    assert.equal(encoder.add('"ü€😀"'), second.chain);
    assert.equal(encoder.length, 11 + 10 + 11);
    assert.equal(Buffer.from(encoder.piece()).toString(), first.line + second.line);
    assert.equal(encoder.length, 0);
    // What was added before is discarded.
    encoder.add("1");
    encoder.begin(7);
    assert.equal(encoder.length, 0);
    encoder.add("1");
    assert.equal(Buffer.from(encoder.piece()).toString(), first.line);
  });

  it("needs no larger buffer for a line that fits exactly, and one for a longer line", () => {
    const encoder = new LineEncoder(16);
    encoder.add("11");
    assert.equal(sizeOf(encoder.piece()), 16);
    encoder.add("111");
    assert.ok(sizeOf(encoder.piece()) > 16);
  });

  it("keeps a buffer of up to 1 MiB", () => {
    const encoder = new LineEncoder(1024 * 1024);
    encoder.add("1");
    const { buffer } = encoder.piece();
    encoder.begin(0);
    encoder.add("1");
    assert.equal(encoder.piece().buffer, buffer);
  });
});
