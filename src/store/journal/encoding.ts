/** Encodes many lines (`lines.ts`) into one buffer, without a string and a buffer for each. */
import { crc32 } from "node:zlib";
import { bodyOffset, lineFeed, writeChecksum } from "./lines.ts";

/** The bytes that UTF-8 needs for a unit of a string, at most. */
const bytesPerUnit = 3;

/** The size of the buffer that {@link LineEncoder.begin} keeps, in bytes, at most. */
const mostRetained = 1024 * 1024;

/** Encodes lines, each chained to the one before it, the first to nothing. */
export class LineEncoder {
  readonly #room: number;
  #bytes: Buffer;
  #length = 0;
  #chain = 0;

  /** @param room the bytes expected between two calls of {@link piece} */
  constructor(room: number) {
    this.#room = room;
    this.#bytes = Buffer.allocUnsafeSlow(room);
  }

  /** Discards all lines; the next one is chained to `chain`. */
  begin(chain: number): void {
    this.#chain = chain;
    this.#length = 0;
    if (this.#bytes.length > mostRetained) this.#bytes = Buffer.allocUnsafeSlow(this.#room);
  }

  /** The checksum of the last line, to which the next one is chained. */
  get chain(): number {
    return this.#chain;
  }

  /** The bytes added since the last {@link piece}. */
  get length(): number {
    return this.#length;
  }

  /** Adds the line for a JSON text. Returns its checksum, to which the next line is chained. */
  add(json: string): number {
    this.#require(bodyOffset + json.length * bytesPerUnit + 1);
    const start = this.#length;
    const body = start + bodyOffset;
    const feed = body + this.#bytes.write(json, body);
    this.#chain = crc32(this.#bytes.subarray(body, feed), this.#chain);
    writeChecksum(this.#chain, this.#bytes, start);
    this.#bytes[feed] = lineFeed;
    this.#length = feed + 1;
    return this.#chain;
  }

  /** Returns the lines added since the last call. The bytes are overwritten when another line is added. */
  piece(): Uint8Array {
    const piece = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return piece;
  }

  #require(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(2 * (this.#length + length));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}
