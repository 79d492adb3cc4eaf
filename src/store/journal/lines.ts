/**
 * The form of a line in the service's data files: a checksum, a space, one JSON document, a line feed.
 *
 *     5f0c1e9a {"sequence":7,"instant":1790000000000,"who":"operator", …}
 *
 * The checksum is the CRC-32 of the JSON, begun with the checksum of the line before (`chain`), as 8 hex digits. So it
 * shows whether a line is whole, and whether it follows the line that it was written after. `cut -c10- <file> | jq .`
 * reads such a file.
 */
import { crc32 } from "node:zlib";
import * as v from "valibot";
import { Failure } from "../../domain/errors.ts";

const checksumLength = 8;
/** Where in a line its document begins. */
export const bodyOffset = checksumLength + 1;
/** The byte at the end of a line. */
export const lineFeed = 0x0a;
const space = 0x20;
const hexDigits = Buffer.from("0123456789abcdef");

/** A damaged line. */
export class BrokenLine extends Error {
  override readonly name = "BrokenLine";
  /** The offset of the line in its file, in bytes. */
  readonly offset: number;
  /** Whether it is the last line and has no line feed: a torn write. */
  readonly incomplete: boolean;

  constructor(message: string, offset: number, incomplete = false) {
    super(message);
    this.offset = offset;
    this.incomplete = incomplete;
  }
}

/** A file of a newer version of the service: it is not damaged. */
export class NewerFormat extends Failure {
  readonly #versions: string;

  constructor(versions: string, file = "The data") {
    super("STORE_UNAVAILABLE", `${file} was written in ${versions}.`, {
      hint: "Use the newer version of the program that wrote it; nothing was changed.",
    });
    this.#versions = versions;
  }

  /** Returns the same failure with the name of the file. */
  in(file: string): NewerFormat {
    return new NewerFormat(this.#versions, file);
  }
}

/** Returns the line for a JSON text, and the checksum to which the next line is chained. */
export function encodeLine(json: string, chain: number): { line: string; chain: number } {
  const next = crc32(json, chain);
  return { line: `${next.toString(16).padStart(checksumLength, "0")} ${json}\n`, chain: next };
}

/** Encodes lines, each chained to the one before it. */
export class LineEncoder {
  /** The checksum of the last line, to which the next one is chained. */
  chain: number;
  #text = "";

  constructor(chain = 0) {
    this.chain = chain;
  }

  /** The characters added since the last {@link piece}. */
  get length(): number {
    return this.#text.length;
  }

  /** Adds the line for a JSON text. */
  add(json: string): void {
    const { line, chain } = encodeLine(json, this.chain);
    this.#text += line;
    this.chain = chain;
  }

  /** Returns the lines added since the last call. */
  piece(): Buffer {
    const piece = Buffer.from(this.#text);
    this.#text = "";
    return piece;
  }
}

/**
 * Reads the header of a file.
 * @param json the document of the first line
 * @throws NewerFormat where a newer version of the service wrote the file
 * @throws BrokenLine where it is not a header of this format
 */
export function readHeader<T>(json: string, schema: v.GenericSchema<T>, format: string, version: number): T {
  const document: unknown = JSON.parse(json);
  const written = v.safeParse(v.object({ format: v.literal(format), version: v.number() }), document);
  if (written.success && written.output.version > version) {
    throw new NewerFormat(
      `version ${written.output.version} of ${format}; this program reads versions up to ${version}`,
    );
  }
  const header = v.safeParse(schema, document);
  if (!header.success) throw new BrokenLine(`the header is not that of a ${format}`, 0);
  return header.output;
}

/** Returns whether the line at `start` begins with this checksum. */
export function beginsWith(checksum: number, bytes: Uint8Array, start: number): boolean {
  for (let at = start + checksumLength - 1, left = checksum; at >= start; at -= 1, left >>>= 4) {
    if (bytes[at] !== hexDigits[left & 0xf]) return false;
  }
  return bytes[start + checksumLength] === space;
}

/** Returns the checksum that the line at `start` begins with, or undefined where it has none. */
export function writtenChecksum(bytes: Buffer, start: number, end = bytes.length): number | undefined {
  const text = bytes.toString("latin1", start, Math.min(start + bodyOffset, end));
  return /^[0-9a-f]{8} $/.test(text) ? Number.parseInt(text, 16) : undefined;
}

/** Returns what follows the line with a checksum; everything where there is no such line. */
export function linesAfter(bytes: Buffer, checksum: number): Buffer {
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = bytes.indexOf(lineFeed, start) + 1;
    if (end === 0) break;
    if (beginsWith(checksum, bytes, start)) return bytes.subarray(end);
  }
  return bytes;
}
