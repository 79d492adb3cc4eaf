/** Encoding many lines (`lines.ts` has their form) into one buffer: it makes hardly any garbage, and each byte is made once. */
import { crc32 } from "node:zlib";
import { bodyOffset, lineFeed, writeChecksum } from "./lines.ts";

/** The most bytes that UTF-8 takes for a unit of a string. */
const bytesPerUnit = 3;

/** How much room is kept from one {@link LineEncoder.begin} to the next, in bytes. */
const mostKept = 1024 * 1024;

/** Encodes lines, each chained to the one before it, the first to nothing. */
export class LineEncoder {
  readonly #room: number;
  #bytes: Buffer;
  #length = 0;
  #chain = 0;

  /** @param room how many bytes are expected between two calls of {@link piece} */
  constructor(room: number) {
    this.#room = room;
    this.#bytes = Buffer.allocUnsafeSlow(room);
  }

  /** Begins anew: the next line is chained to another one. */
  begin(chain: number): void {
    this.#chain = chain;
    this.#length = 0;
    if (this.#bytes.length > mostKept) this.#bytes = Buffer.allocUnsafeSlow(this.#room);
  }

  /** How many bytes were added since the last {@link piece}. */
  get length(): number {
    return this.#length;
  }

  /** Adds the line for a JSON text. Gives its checksum, to which the next line is chained. */
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

  /** The bytes of the lines that were added since the last time. They are gone when another line is added. */
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
