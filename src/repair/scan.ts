/**
 * Scans lines past damage. The store stops at the first damaged line; here each line is examined alone. A line is chained
 * to the checksum *written* in the line before it, so a broken line does not affect those after it:
 *
 *     11111111 {"sequence":7, …}     whole
 *     22222222 {"sequenXe":8, …}     broken: 22222222 is not the checksum of this document
 *     33333333 {"sequence":9, …}     whole: chained to 22222222
 *
 * If the written checksum itself is damaged, the next line shows it: that one is chained to the right checksum.
 */
import { crc32 } from "node:zlib";
import type { Pieces } from "../store/folder/files.ts";
import { bodyOffset, lineFeed, writtenChecksum } from "../store/journal/lines.ts";

/** A line and its fault. */
export interface ScannedLine {
  /** Its offset in the file, in bytes. */
  readonly offset: number;
  /** The offset after it. */
  readonly end: number;
  /** The text after the checksum. Reliable only if `readable`. */
  readonly json: string;
  /** Whether the text is certainly what was written. */
  readonly readable: boolean;
  /** The checksum to which the next line is chained. Reliable only if `readable`. */
  readonly chain: number | undefined;
  /** Whether it is the last line and has no line feed: a torn write. */
  readonly incomplete: boolean;
  /** Its fault, or undefined. */
  readonly fault: string | undefined;
}

/** The chains that are tried, at most: only nonsense leaves that many. */
const manyChains = 12;

/** A broken line, until the next line is scanned. */
interface Pending {
  readonly line: ScannedLine;
  /** The possible checksums of its text. */
  readonly actual: readonly number[];
}

/**
 * Yields the lines of a file in order, those of one piece at a time, and a broken one together with the next.
 * @param chains what the first line may be chained to; empty where that is unknown
 * @param start the offset of the first piece in the file
 */
export async function* scanLines(
  pieces: Pieces,
  chains: readonly number[],
  start = 0,
): AsyncGenerator<readonly ScannedLine[]> {
  const scanner = new LineScanner(chains);
  let offset = start;
  /** The beginning of an incomplete line. */
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    const end = piece.includes(lineFeed) ? bytes.lastIndexOf(lineFeed) + 1 : 0;
    scanner.scan(bytes.subarray(0, end), offset);
    yield scanner.lines.splice(0);
    rest = Buffer.from(bytes.subarray(end));
    offset += end;
  }
  scanner.scan(rest, offset);
  scanner.release();
  yield scanner.lines;
}

class LineScanner {
  /** The lines that are yet to be passed on. */
  readonly lines: ScannedLine[] = [];
  #candidates: readonly number[];
  #pending: Pending | undefined;

  constructor(chains: readonly number[]) {
    this.#candidates = chains;
  }

  /** Scans whole lines; only the last line of the file may be incomplete. @param start their offset in the file */
  scan(bytes: Buffer, start: number): void {
    for (let offset = 0, next = 0; offset < bytes.length; offset = next) {
      const feed = bytes.indexOf(lineFeed, offset);
      const isLast = feed === -1;
      const last = isLast ? bytes.length : feed;
      const written = writtenChecksum(bytes, offset, last);
      const { end, chain } = this.#endOf(bytes, offset, last, written);
      const hasOtherFeed = end < last;
      const incomplete = isLast && !hasOtherFeed;
      next = incomplete ? end : end + 1;
      const body = Math.min(offset + bodyOffset, end);
      const readable = chain !== undefined;
      const line: ScannedLine = {
        offset: start + offset,
        end: start + next,
        json: bytes.toString("utf8", body, end),
        readable,
        chain: written,
        incomplete,
        fault: faultOf(readable, incomplete, hasOtherFeed),
      };
      if (readable) this.#whole(line, chain);
      else this.#broken(line, bytes.subarray(body, end));
    }
  }

  /**
   * Finds where the text of a line ends, and what it is chained to: at its line feed, or at a line feed that has become
   * another byte, where what follows looks like the next line.
   * @param last where it ends at the latest, and where one ends that cannot be read
   */
  #endOf(bytes: Buffer, offset: number, last: number, written: number | undefined) {
    const body = offset + bodyOffset;
    const chainAt = (end: number) => {
      if (written === undefined || end <= body) return undefined;
      const text = bytes.subarray(body, end);
      return this.#candidates.find((candidate) => crc32(text, candidate) === written);
    };
    const usual = { end: last, chain: chainAt(last) };
    if (usual.chain !== undefined || written === undefined) return usual;
    const text = bytes.toString("latin1", offset, last);
    const others = Array.from(text.matchAll(/.(?=[0-9a-f]{8} \{)/gs), ({ index }) => offset + index);
    if (last === bytes.length) others.push(last - 1);
    for (const end of others) {
      const chain = chainAt(end);
      if (chain !== undefined) return { end, chain };
    }
    return usual;
  }

  #whole(line: ScannedLine, chain: number): void {
    if (this.#pending?.actual.includes(chain) === true) {
      const { line: confirmed, actual } = this.#pending;
      const fault = "the checksum of the line is wrong; the next line confirms its text";
      this.#pending = { line: { ...confirmed, readable: true, chain, fault }, actual };
    }
    this.release();
    this.lines.push(line);
    this.#candidates = line.chain === undefined ? [] : [line.chain];
  }

  #broken(line: ScannedLine, body: Buffer): void {
    this.release();
    // The checksum of no text is the one before it: the next line would confirm a line without text.
    const actual = body.length === 0 ? [] : this.#candidates.map((chain) => crc32(body, chain));
    this.#pending = { line, actual };
    const own = line.chain === undefined ? [] : [line.chain];
    this.#candidates = [...new Set([...own, ...actual, ...this.#candidates])].slice(0, manyChains);
  }

  /** Passes on a broken line that no next line can confirm. */
  release(): void {
    if (this.#pending !== undefined) this.lines.push(this.#pending.line);
    this.#pending = undefined;
  }
}

function faultOf(readable: boolean, incomplete: boolean, hasOtherFeed: boolean): string | undefined {
  if (!readable) return incomplete ? "the line is incomplete" : "the checksum of the line is wrong";
  if (hasOtherFeed) return "the line feed at the end of the line has become another byte";
  return incomplete ? "the line feed at the end of the line is missing" : undefined;
}
