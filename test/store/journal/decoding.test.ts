/** Decodes lines from pieces of any length, with damage and limits, and encodes lines. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { type Files, nodeFiles } from "../../../src/store/folder/files.ts";
import { LineDecoder, numberInHeader } from "../../../src/store/journal/decoding.ts";
import { BrokenLine, encodeLine, LineEncoder } from "../../../src/store/journal/lines.ts";
import { character } from "../../_character.ts";

/** The decoded lines, and how decoding ended. */
interface Decoded {
  readonly header: string | undefined;
  readonly documents: readonly unknown[];
  /** The offsets of the beginning and the end of each line. */
  readonly places: readonly (readonly [number, number])[];
  readonly rest: string;
  readonly unterminated: boolean;
  readonly error: string | undefined;
  /** Whether that is a line that lacks its line feed, which a torn write may have left. */
  readonly isIncomplete: boolean;
}

/**
 * Takes bytes apart that come in pieces of these lengths, the last of them as often as there are bytes.
 * @param longest the longest line that is accepted
 */
function decode(bytes: Buffer, lengths: readonly number[] = [bytes.length], longest?: number): Decoded {
  let header: string | undefined;
  const documents: unknown[] = [];
  const places: [number, number][] = [];
  const decoder = new LineDecoder(
    {
      header(json, checksum) {
        header = json;
        return checksum;
      },
      line(document, _, offset, end) {
        documents.push(document);
        places.push([offset, end]);
      },
    },
    longest,
  );
  let error: string | undefined;
  let isIncomplete = false;
  try {
    for (let from = 0, index = 0; from < bytes.length; index += 1) {
      const length = lengths[Math.min(index, lengths.length - 1)] ?? 1;
      // A copy that is spoiled afterwards: a piece is gone when the next one comes.
      const piece = Buffer.from(bytes.subarray(from, from + length));
      decoder.take(piece);
      piece.fill(0);
      from += length;
    }
    decoder.end();
  } catch (cause) {
    isIncomplete = cause instanceof BrokenLine && cause.incomplete;
    error = cause instanceof BrokenLine ? `${cause.offset} ${cause.message}` : String(cause);
  }
  const { unterminated } = decoder;
  return {
    header,
    documents,
    places,
    rest: bytes.toString("latin1", decoder.offset, decoder.taken),
    unterminated,
    error,
    isIncomplete,
  };
}

/** The lines of JSON texts, chained. */
function linesOf(texts: readonly string[]): Buffer {
  let chain = 0;
  let lines = "";
  for (const text of texts) {
    const encoded = encodeLine(text, chain);
    lines += encoded.line;
    chain = encoded.chain;
  }
  return Buffer.from(lines);
}

const header = '{"format":"test"}';
const lengths = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 6 });
/** Documents of a few bytes, and some that are longer than a piece. */
const documents = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.jsonValue() },
    {
      weight: 1,
      arbitrary: fc.record({ long: fc.integer({ min: 1, max: 300_000 }).map((n) => "ü".repeat(n)) }),
    },
  ),
  { maxLength: 40 },
);

describe("lines", () => {
  it("are decoded alike from pieces of any length", () => {
    fc.assert(
      fc.property(documents, lengths, (written, pieces) => {
        const bytes = linesOf([header, ...written.map((record) => JSON.stringify(record))]);
        const decoded = decode(bytes, pieces);
        assert.equal(decoded.error, undefined);
        assert.equal(decoded.header, header);
        assert.deepEqual(
          decoded.documents,
          written.map((record) => JSON.parse(JSON.stringify(record))),
        );
        let offset = bytes.indexOf("\n") + 1;
        for (const [from, to] of decoded.places) {
          assert.equal(from, offset);
          offset = bytes.indexOf("\n", from) + 1;
          assert.equal(to, offset);
        }
        assert.equal(offset, bytes.length);
      }),
    );
  });

  it("are decoded up to damage or a cut, from pieces of any length", () => {
    fc.assert(
      fc.property(documents, lengths, fc.nat(), fc.boolean(), (written, pieces, place, cuts) => {
        const whole = linesOf([header, ...written.map((record) => JSON.stringify(record))]);
        const at = place % whole.length;
        const bytes = cuts ? whole.subarray(0, at) : Buffer.from(whole);
        if (!cuts) bytes[at] = (bytes[at] ?? 0) ^ 1;
        const decoded = decode(bytes, pieces);
        const { rest: _, ...atOnce } = decode(bytes);
        const { rest, ...inPieces } = decoded;
        assert.deepEqual(inPieces, atOnce);
        const lineStart = at === 0 ? 0 : whole.lastIndexOf("\n", at - 1) + 1;
        // Cut off at the end of a line, nothing is missing; before a line feed, only that.
        const isWhole = cuts && (at === lineStart || whole[at] === 0x0a);
        assert.equal(decoded.error === undefined, isWhole, `${decoded.error}`);
        // Only a line that lacks its line feed may be a torn write.
        const what = cuts ? "the line is incomplete" : "the checksum of the line is wrong";
        if (!isWhole) assert.equal(decoded.error, `${lineStart} ${what}`);
        assert.equal(decoded.isIncomplete, cuts && !isWhole);
        if (cuts && !isWhole) assert.equal(rest, bytes.subarray(lineStart).toString("latin1"));
        assert.equal(decoded.unterminated, cuts && whole[at] === 0x0a);
      }),
    );
  });

  it("with right checksums but without a document are refused, after those before them", () => {
    for (const [line, ...more] of [["not json"], ["1,2"], ["[3", "4]"]]) {
      const decoded = decode(linesOf([header, "1", String(line), ...more, "7"]));
      assert.deepEqual(decoded.documents, [1], line);
      assert.match(decoded.error ?? "", /^SyntaxError/);
    }
  });

  it("are encoded in pieces as they are one by one", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: character })), fc.nat({ max: 5 }), (written, every) => {
        const texts = written.map((record) => JSON.stringify(record));
        const encoder = new LineEncoder();
        const pieces: Buffer[] = [];
        for (const [index, text] of texts.entries()) {
          encoder.add(text);
          if (index % (every + 1) === 0) pieces.push(encoder.piece());
        }
        pieces.push(encoder.piece());
        assert.deepEqual(Buffer.concat(pieces), linesOf(texts));
      }),
    );
  });
});

describe("a file without lines", () => {
  it("has neither a header nor an error, and a line without a document is damaged", () => {
    const { header: none, error } = decode(Buffer.alloc(0));
    assert.deepEqual([none, error], [undefined, undefined]);
    const { error: wrong } = decode(linesOf([header, ""]));
    assert.equal(wrong, `${header.length + 10} the checksum of the line is wrong`);
  });
});

describe("the memory of a decoder", () => {
  /** A document whose line has this length. */
  const lineOf = (length: number): string => `"${"x".repeat(length - 12)}"`;

  it("has no more than the beginning of a line", () => {
    const lines: unknown[] = [];
    const decoder = new LineDecoder({ header: (_, checksum) => checksum, line: (line) => lines.push(line) });
    const bytes = linesOf([header, lineOf(300_000), lineOf(1000)]);
    const long = header.length + 10 + 300_000;
    for (const [end, count, offset] of [
      [10_000, 0, header.length + 10],
      [long, 1, long],
      [long + 999, 1, long],
      [long + 1000, 2, long + 1000],
    ] as const) {
      decoder.take(bytes.subarray(decoder.taken, end));
      assert.deepEqual([lines.length, decoder.offset], [count, offset]);
    }
  });

  it("may be limited: a longer line is refused as soon as that is known", () => {
    const longest = 100_000;
    const pieces = [1000];
    assert.equal(decode(linesOf([header, lineOf(longest)]), pieces, longest).error, undefined);
    const bytes = linesOf([header, "1", lineOf(longest + 1000), "2"]);
    const error = `38 the line is longer than ${longest} bytes`;
    for (const given of [bytes, bytes.subarray(0, 38 + longest)]) {
      const decoded = decode(given, pieces, longest);
      assert.deepEqual([decoded.error, decoded.isIncomplete], [error, false]);
    }
  });
});

describe("the instant of a file, in its header,", () => {
  const header = '{"instant":12345}';

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
    const bytes = linesOf([header, "1", "2"]);
    for (const [length, pieces] of [
      [1, 27],
      [5, 6],
      [26, 2],
      [27, 1],
      [100, 1],
    ] as const) {
      const { files: some, count } = files(bytes, length);
      assert.equal(await numberInHeader(some, "/file"), 12345);
      assert.equal(count(), pieces);
    }
  });

  it("may lack its line feed", async () => {
    const bytes = linesOf([header]);
    assert.equal(await numberInHeader(files(bytes.subarray(0, -1), 5).files, "/file"), 12345);
  });

  it("is unknown where the header is damaged, incomplete or missing", async () => {
    const bytes = linesOf([header, "1"]);
    const spoiled = Buffer.from(bytes);
    spoiled[12] = 0x20;
    for (const content of [spoiled, bytes.subarray(0, 20), Buffer.alloc(0), linesOf(['{"instant":"1"}'])]) {
      assert.equal(await numberInHeader(files(content, 10).files, "/file"), undefined);
    }
  });
});
