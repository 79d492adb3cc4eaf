/**
 * Taking the lines of a file apart while its bytes come; `lines.ts` has their form. So no file is ever in memory as a
 * whole. The documents of many lines are parsed at once, which takes half the time of parsing each by itself: once
 * their checksums are verified, they are made into one array, in the place where they are.
 *
 *     5f0c1e9a {"sequence":7, …}⏎ae10b72d {"sequence":8, …}⏎
 *     [        {"sequence":7, …}⏎,        {"sequence":8, …}]
 */
import { crc32 } from "node:zlib";
import { BrokenLine, beginsWith, bodyOffset, lineFeed } from "./lines.ts";

/** How many bytes are decoded at once, where no line is longer. */
const room = 64 * 1024;

const [openingBracket, comma, space, closingBracket] = [0x5b, 0x2c, 0x20, 0x5d];

/** What is told of a file's lines, in order. What it throws ends the decoding. */
export interface LineListener {
  /** The first line. Gives the checksum that the second one is chained to. */
  header(json: string, checksum: number): number;
  /** Each further line: its document and checksum, where it begins, and the offset behind its line feed. */
  line(document: unknown, checksum: number, offset: number, end: number): void;
}

/** See the head of this file. Its bytes are given to {@link take}, then {@link flush} and {@link end} are called. */
export class LineDecoder {
  readonly #listener: LineListener;
  readonly #longest: number;
  /** What is not decoded yet, from the beginning of a line on. */
  #bytes = Buffer.allocUnsafeSlow(room);
  #length = 0;
  #offset = 0;
  #taken = 0;
  #chain: number | undefined;
  #unterminated = false;

  /** @param longest bytes that a line may have at least before it is refused; it has to be in memory as a whole */
  constructor(listener: LineListener, longest = Number.POSITIVE_INFINITY) {
    this.#listener = listener;
    this.#longest = longest;
  }

  /** The number of bytes that were given so far. */
  get taken(): number {
    return this.#taken;
  }

  /** The offset behind the last line that was told of. */
  get offset(): number {
    return this.#offset;
  }

  /** Whether the last line was whole, but had no line feed behind it. */
  get unterminated(): boolean {
    return this.#unterminated;
  }

  /** The bytes behind the last line that was told of. */
  get rest(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  /**
   * Takes the next bytes of the file; they are free again when this returns. Tells of lines as soon as there are many.
   * @throws BrokenLine at the first line whose checksum is not that of its bytes, or that is too long
   */
  take(piece: Uint8Array): void {
    this.#taken += piece.length;
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + this.#bytes.length - this.#length);
      this.#bytes.set(part, this.#length);
      this.#length += part.length;
      from += part.length;
      if (this.#length < this.#bytes.length) return;
      this.flush();
      // Nothing but the beginning of a long line.
      if (this.#length < this.#bytes.length) continue;
      if (this.#length >= this.#longest) {
        throw new BrokenLine(`the line is longer than ${this.#longest} bytes`, this.#offset);
      }
      this.#resize(2 * this.#length);
    }
  }

  /** Tells of all lines that have their line feed. @throws BrokenLine as {@link take} does */
  flush(): void {
    const bytes = this.#bytes.subarray(0, this.#length);
    let start = 0;
    if (this.#chain === undefined) {
      const feed = bytes.indexOf(lineFeed);
      if (feed === -1) return;
      const checksum = checksumOf(bytes, 0, feed, 0);
      if (checksum === undefined) throw wrong(this.#offset);
      this.#chain = this.#listener.header(bytes.toString("utf8", bodyOffset, feed), checksum);
      start = feed + 1;
    }
    const end = this.#lines(bytes, start, this.#chain);
    bytes.copyWithin(0, end);
    this.#length -= end;
    this.#offset += end;
    if (this.#bytes.length > room && this.#length < room) this.#resize(room);
  }

  /**
   * The end of the file: tells of the line that has no line feed behind it, where there is one.
   * @throws BrokenLine where it is incomplete; then it is the {@link rest}
   */
  end(): void {
    const bytes = this.#bytes.subarray(0, this.#length);
    if (bytes.length === 0) return;
    const { json, checksum } = decodeLast(bytes, this.#offset, this.#chain ?? 0);
    const end = this.#offset + bytes.length;
    if (this.#chain === undefined) this.#chain = this.#listener.header(json, checksum);
    else this.#listener.line(JSON.parse(json), checksum, this.#offset, end);
    this.#unterminated = true;
    this.#offset = end;
    this.#length = 0;
  }

  /** Tells of the whole lines from `start` on. Gives where the last one ends. */
  #lines(bytes: Buffer, start: number, chain: number): number {
    const ends: number[] = [];
    const checksums: number[] = [];
    let previous = chain;
    let end = start;
    let fault: BrokenLine | undefined;
    for (let feed = bytes.indexOf(lineFeed, end); feed !== -1; feed = bytes.indexOf(lineFeed, end)) {
      const checksum = checksumOf(bytes, end, feed, previous);
      if (checksum === undefined) {
        fault = wrong(this.#offset + end);
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
      // Where they are no array together, one of them is no document: those before it are told of first.
      const document: unknown =
        documents === undefined
          ? JSON.parse(bytes.toString("utf8", from + bodyOffset, to - 1))
          : documents[index];
      this.#listener.line(document, checksums[index] as number, this.#offset + from, this.#offset + to);
      from = to;
    }
    this.#chain = previous;
    if (fault !== undefined) throw fault;
    return end;
  }

  #resize(length: number): void {
    const bytes = Buffer.allocUnsafeSlow(length);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

/** The first line of a file, of which these are the first bytes. @throws BrokenLine where it is not what was written */
export function decodeFirst(bytes: Buffer): string {
  const feed = bytes.indexOf(lineFeed);
  if (feed === -1) return decodeLast(bytes, 0, 0).json;
  if (checksumOf(bytes, 0, feed, 0) === undefined) throw wrong(0);
  return bytes.toString("utf8", bodyOffset, feed);
}

/** A line that has no line feed behind it. @throws BrokenLine where it is incomplete, or damaged */
function decodeLast(bytes: Buffer, offset: number, chain: number): { json: string; checksum: number } {
  const checksum = checksumOf(bytes, 0, bytes.length, chain);
  if (checksum !== undefined) return { json: bytes.toString("utf8", bodyOffset), checksum };
  // A line feed that has turned into another byte must not pass for a write that was cut off.
  if (checksumOf(bytes, 0, bytes.length - 1, chain) !== undefined) throw wrong(offset);
  throw new BrokenLine("the line is incomplete", offset, true);
}

/** The checksum of a line, from `start` to before its line feed; undefined where it is not the one written there. */
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
 * The documents of lines; undefined where there are not as many as lines. Only on purpose could somebody write as
 * many into lines that have not one each. What stands around the documents is overwritten.
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
