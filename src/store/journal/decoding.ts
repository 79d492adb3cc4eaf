/**
 * Decodes the lines of a file piece by piece, so that no file is ever in memory as a whole; `lines.ts` describes the form
 * of a line. The documents of many lines are parsed together, which takes half the time of parsing each: once their
 * checksums are verified, their bytes are turned into one array, in place.
 *
 *     5f0c1e9a {"sequence":7, …}⏎ae10b72d {"sequence":8, …}⏎
 *     [        {"sequence":7, …}⏎,        {"sequence":8, …}]
 */
import { crc32 } from "node:zlib";
import { type Files, piecesOf } from "../folder/files.ts";
import { BrokenLine, beginsWith, bodyOffset, lineFeed } from "./lines.ts";
import { isObject } from "./record-lines.ts";

const [openingBracket, comma, space, closingBracket] = [0x5b, 0x2c, 0x20, 0x5d];

/** Is called with the lines of a file, in order. What it throws ends the decoding. */
export interface LineListener {
  /** Is called with the first line. Returns the checksum to which the second one is chained. */
  header(json: string, checksum: number): number;
  /** Is called with each further line: its document, its checksum, its offset, and the offset after its line feed. */
  line(document: unknown, checksum: number, offset: number, end: number): void;
}

/** Usage: {@link take} each piece, then {@link end}. */
export class LineDecoder {
  readonly #listener: LineListener;
  readonly #longest: number;
  /** The beginning of a line whose end was not taken yet, in pieces. */
  #rest: Buffer[] = [];
  #chain: number | undefined;
  /** The number of bytes taken so far. */
  taken = 0;
  /** The offset after the last decoded line. */
  offset = 0;
  /** Whether the last line is whole, but lacks its line feed. */
  unterminated = false;

  /** @param longest a line of more bytes may be refused, since it has to be in memory as a whole */
  constructor(listener: LineListener, longest = Number.POSITIVE_INFINITY) {
    this.#listener = listener;
    this.#longest = longest;
  }

  /**
   * Takes the next bytes of the file, which the caller may overwrite when this returns, and decodes all lines that have
   * their line feed.
   * @throws BrokenLine at the first line whose checksum is not that of its bytes, or that is too long
   */
  take(piece: Uint8Array): void {
    this.taken += piece.length;
    if (piece.includes(lineFeed)) this.#decode(Buffer.concat([...this.#rest, piece]));
    else this.#rest.push(Buffer.from(piece));
    if (this.taken - this.offset >= this.#longest)
      throw new BrokenLine(`the line is longer than ${this.#longest} bytes`, this.offset);
  }

  /**
   * Decodes the last line of the file if it lacks its line feed.
   * @throws BrokenLine where it is incomplete
   */
  end(): void {
    const bytes = Buffer.concat(this.#rest);
    if (bytes.length === 0) return;
    const { json, checksum } = decodeLast(bytes, this.offset, this.#chain ?? 0);
    if (this.#chain === undefined) this.#chain = this.#listener.header(json, checksum);
    else this.#listener.line(JSON.parse(json), checksum, this.offset, this.taken);
    this.unterminated = true;
    this.offset = this.taken;
  }

  /** Decodes the lines that have their line feed: at least one. */
  #decode(bytes: Buffer): void {
    let start = 0;
    if (this.#chain === undefined) {
      const feed = bytes.indexOf(lineFeed);
      const checksum = checksumOf(bytes, 0, feed, 0);
      if (checksum === undefined) throw wrong(this.offset);
      this.#chain = this.#listener.header(bytes.toString("utf8", bodyOffset, feed), checksum);
      start = feed + 1;
    }
    const end = this.#lines(bytes, start, this.#chain);
    this.#rest = [bytes.subarray(end)];
    this.offset += end;
  }

  /** Decodes the whole lines from `start` on. Returns where the last one ends. */
  #lines(bytes: Buffer, start: number, chain: number): number {
    const ends: number[] = [];
    const checksums: number[] = [];
    let previous = chain;
    let end = start;
    let fault: BrokenLine | undefined;
    for (let feed = bytes.indexOf(lineFeed, end); feed !== -1; feed = bytes.indexOf(lineFeed, end)) {
      const checksum = checksumOf(bytes, end, feed, previous);
      if (checksum === undefined) {
        fault = wrong(this.offset + end);
        break;
      }
      previous = checksum;
      end = feed + 1;
      checksums.push(checksum);
      ends.push(end);
    }
    const documents = parseTogether(bytes, start, ends);
    let from = start;
    for (const [index, to] of ends.entries()) {
      // Where they are not an array together, one of them is not a document: those before it are decoded first.
      const document: unknown =
        documents === undefined
          ? JSON.parse(bytes.toString("utf8", from + bodyOffset, to - 1))
          : documents[index];
      this.#listener.line(document, checksums[index] as number, this.offset + from, this.offset + to);
      from = to;
    }
    this.#chain = previous;
    if (fault !== undefined) throw fault;
    return end;
  }
}

/** Returns a file's bytes up to its first line feed. */
export async function readHead(files: Files, path: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(files, path)) {
    const feed = piece.indexOf(lineFeed);
    pieces.push(Buffer.from(feed === -1 ? piece : piece.subarray(0, feed + 1)));
    if (feed !== -1) break;
  }
  return Buffer.concat(pieces);
}

/**
 * Returns when a data file was begun, in milliseconds since 1970, or the last change that a snapshot contains; undefined where
 * its header is damaged.
 */
export async function numberInHeader(
  files: Files,
  path: string,
  name: "instant" | "sequence" = "instant",
): Promise<number | undefined> {
  const head = await readHead(files, path);
  const end = head.at(-1) === lineFeed ? head.length - 1 : head.length;
  if (checksumOf(head, 0, end, 0) === undefined) return undefined;
  const header: unknown = JSON.parse(head.toString("utf8", bodyOffset, end));
  return isObject(header) && typeof header[name] === "number" ? header[name] : undefined;
}

/** Decodes a line without a line feed. @throws BrokenLine where it is incomplete or damaged */
function decodeLast(bytes: Buffer, offset: number, chain: number): { json: string; checksum: number } {
  const checksum = checksumOf(bytes, 0, bytes.length, chain);
  if (checksum !== undefined) return { json: bytes.toString("utf8", bodyOffset), checksum };
  // A line feed that has become another byte must not pass for a torn write.
  if (checksumOf(bytes, 0, bytes.length - 1, chain) !== undefined) throw wrong(offset);
  throw new BrokenLine("the line is incomplete", offset, true);
}

/** Returns the checksum of the line from `start` to `feed`, or undefined where it differs from the written one. */
function checksumOf(bytes: Buffer, start: number, feed: number, chain: number): number | undefined {
  const body = start + bodyOffset;
  if (body >= feed) return undefined;
  const checksum = crc32(bytes.subarray(body, feed), chain);
  return beginsWith(checksum, bytes, start) ? checksum : undefined;
}

function wrong(offset: number): BrokenLine {
  return new BrokenLine("the checksum of the line is wrong", offset);
}

/**
 * Parses the documents of lines; undefined where their number differs from that of the lines. Only a forged
 * file can have as many in lines that do not have one each. The bytes around the documents are overwritten.
 */
function parseTogether(bytes: Buffer, start: number, ends: readonly number[]): unknown[] | undefined {
  let from = start;
  for (const end of ends) {
    bytes[from] = from === start ? openingBracket : comma;
    for (let at = from + 1; at < from + bodyOffset; at += 1) bytes[at] = space;
    from = end;
  }
  if (from === start) return [];
  bytes[from - 1] = closingBracket;
  try {
    const documents: unknown = JSON.parse(bytes.toString("utf8", start, from));
    return Array.isArray(documents) && documents.length === ends.length ? documents : undefined;
  } catch {
    return undefined;
  }
}
