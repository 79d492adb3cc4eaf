/**
 * The form of a line in the service's files: a checksum, a space, one JSON document, a line feed.
 *
 *     5f0c1e9a {"sequence":7,"instant":1790000000000,"who":"operator", …}
 *
 * The checksum is the CRC-32 of the JSON's bytes, begun with the checksum of the line before (`chain`), as 8 hex
 * digits. So a line tells whether it is whole, and whether it follows the line that it was written after.
 * `cut -c10- <file> | jq .` reads such a file.
 */
import { crc32 } from "node:zlib";
import * as v from "valibot";
import { Failure } from "../errors.ts";

const checksumLength = 8;
const lineFeed = 0x0a;

/** A line that is not what was written. */
export class BrokenLine extends Error {
  override readonly name = "BrokenLine";
  /** Where the line begins in its file, in bytes. */
  readonly offset: number;
  /** Whether it is the last line and has no line feed: what a write that was cut off leaves. */
  readonly incomplete: boolean;

  constructor(message: string, offset: number, incomplete = false) {
    super(message);
    this.offset = offset;
    this.incomplete = incomplete;
  }
}

/** A line as it was read: its document, the checksum that the next line is chained to, its place in the file. */
export interface Line {
  readonly json: string;
  readonly chain: number;
  readonly offset: number;
  /** The offset behind its line feed. */
  readonly end: number;
  /** False where the document is whole and only the line feed behind it is missing, at the end of the file. */
  readonly terminated: boolean;
}

/** A file that a newer version of the service wrote: it is not damaged. */
export class NewerFormat extends Failure {
  readonly #versions: string;

  constructor(versions: string, file = "The data") {
    super("STORE_UNAVAILABLE", `${file} was written in ${versions}.`, {
      hint: "Use the newer version of the program that wrote it; nothing was changed.",
    });
    this.#versions = versions;
  }

  /** The same, with the name of the file. */
  in(file: string): NewerFormat {
    return new NewerFormat(this.#versions, file);
  }
}

/** The line for a JSON text, and the checksum that the next line is chained to. */
export function encodeLine(json: string, chain: number): { line: string; chain: number } {
  const next = crc32(json, chain);
  return { line: `${next.toString(16).padStart(checksumLength, "0")} ${json}\n`, chain: next };
}

/**
 * The lines of a file's bytes, in order.
 * @param chain the checksum that the first line is chained to.
 * @throws BrokenLine at the first line that is incomplete, or whose checksum is not that of its bytes.
 */
export function* decodeLines(bytes: Buffer, chain: number, start = 0): Generator<Line> {
  let offset = start;
  let previous = chain;
  while (offset < bytes.length) {
    const feed = bytes.indexOf(lineFeed, offset);
    const terminated = feed !== -1;
    const end = terminated ? feed : bytes.length;
    const line = decodeLine(bytes, offset, end, previous, terminated);
    yield line;
    previous = line.chain;
    offset = line.end;
  }
}

/**
 * The header of a file, from its first line.
 * @throws NewerFormat where a newer version of the service wrote the file
 * @throws BrokenLine where it is no header of this format
 */
export function readHeader<T>(json: string, schema: v.GenericSchema<T>, format: string, version: number): T {
  const document: unknown = JSON.parse(json);
  const written = v.safeParse(v.object({ format: v.literal(format), version: v.number() }), document);
  if (written.success && written.output.version > version) {
    const came = `version ${written.output.version} of ${format}`;
    throw new NewerFormat(`${came}; this program knows up to ${version}`);
  }
  const header = v.safeParse(schema, document);
  if (!header.success) throw new BrokenLine(`the header is not that of a ${format}`, 0);
  return header.output;
}

function decodeLine(bytes: Buffer, offset: number, end: number, chain: number, terminated: boolean): Line {
  const body = offset + checksumLength + 1;
  const written = bytes.toString("latin1", offset, Math.min(body, end));
  const actual = body < end ? crc32(bytes.subarray(body, end), chain) : Number.NaN;
  if (/^[0-9a-f]{8} $/.test(written) && Number.parseInt(written, 16) === actual) {
    const json = bytes.toString("utf8", body, end);
    return { json, chain: actual, offset, end: terminated ? end + 1 : end, terminated };
  }
  // A line feed that has turned into another byte must not pass for a write that was cut off.
  const feedLost =
    !terminated && end - 1 > body && crc32(bytes.subarray(body, end - 1), chain) === parse(written);
  if (terminated || feedLost) throw new BrokenLine("the checksum of the line is wrong", offset);
  throw new BrokenLine("the line is incomplete", offset, true);
}

function parse(written: string): number {
  return Number.parseInt(written.slice(0, checksumLength), 16);
}
