/** Decodes lines from pieces of any length, and encodes lines. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { LineDecoder } from "../../src/store/journal/decoding.ts";
import { LineEncoder } from "../../src/store/journal/encoding.ts";
import { BrokenLine, encodeLine } from "../../src/store/journal/lines.ts";

/** The decoded lines, and how decoding ended. */
interface Decoded {
  readonly header: string | undefined;
  readonly documents: readonly unknown[];
  /** The offsets of the beginning and the end of each line. */
  readonly places: readonly (readonly [number, number])[];
  readonly rest: string;
  readonly unterminated: boolean;
  readonly error: string | undefined;
}

/** Takes bytes apart that come in pieces of these lengths, the last of them as often as there are bytes. */
function decode(bytes: Buffer, lengths: readonly number[] = [bytes.length]): Decoded {
  let header: string | undefined;
  const documents: unknown[] = [];
  const places: [number, number][] = [];
  const decoder = new LineDecoder({
    header(json, checksum) {
      header = json;
      return checksum;
    },
    line(document, _, offset, end) {
      documents.push(document);
      places.push([offset, end]);
    },
  });
  let error: string | undefined;
  try {
    for (let from = 0, index = 0; from < bytes.length; index += 1) {
      const length = lengths[Math.min(index, lengths.length - 1)] ?? 1;
      // A copy that is spoiled afterwards: a piece is gone when the next one comes.
      const piece = Buffer.from(bytes.subarray(from, from + length));
      decoder.take(piece);
      piece.fill(0);
      from += length;
    }
    decoder.flush();
    decoder.end();
  } catch (cause) {
    error = cause instanceof BrokenLine ? `${cause.offset} ${cause.message}` : String(cause);
  }
  const { unterminated } = decoder;
  return { header, documents, places, rest: decoder.rest.toString("latin1"), unterminated, error };
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
/** Documents of a few bytes, and some that are longer than what is decoded at once. */
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
        const bytes = linesOf([header, ...written.map((each) => JSON.stringify(each))]);
        const decoded = decode(bytes, pieces);
        assert.equal(decoded.error, undefined);
        assert.equal(decoded.header, header);
        assert.deepEqual(
          decoded.documents,
          written.map((each) => JSON.parse(JSON.stringify(each))),
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
        const whole = linesOf([header, ...written.map((each) => JSON.stringify(each))]);
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
        if (!isWhole) assert.match(decoded.error ?? "", new RegExp(`^${lineStart} the `));
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
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.nat({ max: 5 }), (written, every) => {
        const texts = written.map((each) => JSON.stringify(each));
        const encoder = new LineEncoder(16);
        const pieces: Buffer[] = [];
        for (const [index, text] of texts.entries()) {
          encoder.add(text);
          if (index % (every + 1) === 0) pieces.push(Buffer.from(encoder.piece()));
        }
        pieces.push(Buffer.from(encoder.piece()));
        assert.deepEqual(Buffer.concat(pieces), linesOf(texts));
      }),
    );
  });

  it("of a long change do not make the encoder keep their memory", () => {
    const encoder = new LineEncoder(1000);
    const sizeOf = (piece: Uint8Array) => piece.buffer.byteLength;
    encoder.add(JSON.stringify("x".repeat(2_000_000)));
    assert.ok(sizeOf(encoder.piece()) > 2_000_000);
    encoder.begin(0);
    encoder.add("1");
    assert.equal(sizeOf(encoder.piece()), 1000);
    // What a batch usually needs is kept: a new buffer for each would be garbage.
    encoder.add(JSON.stringify("x".repeat(10_000)));
    const usual = encoder.piece().buffer;
    encoder.begin(0);
    encoder.add("1");
    assert.equal(encoder.piece().buffer, usual);
  });
});
