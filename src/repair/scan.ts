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

type LineState = Pick<ScannedLine, "chain" | "readable" | "incomplete" | "fault">;

/** The chains that are tried, at most: only nonsense leaves that many. */
const manyChains = 12;

/** A broken line, until the next line is scanned. */
interface Pending {
  readonly line: ScannedLine;
  /** The possible checksums of its text. */
  readonly actual: readonly number[];
}

/** Scans a file piece by piece and passes on its lines in order, a broken one together with the next. */
export class LineScanner {
  readonly #onLine: (line: ScannedLine) => void;
  #candidates: readonly number[];
  #pending: Pending | undefined;
  /** The beginning of an incomplete line. */
  #rest = Buffer.alloc(0);
  /** Its offset in the file. */
  #offset: number;

  /**
   * @param chains what the first line may be chained to; empty where that is unknown
   * @param start the offset of the first bytes in the file
   */
  constructor(chains: readonly number[], onLine: (line: ScannedLine) => void, start = 0) {
    this.#candidates = chains;
    this.#onLine = onLine;
    this.#offset = start;
  }

  /** Takes the next bytes, which the caller may overwrite when this returns. */
  take(piece: Uint8Array): void {
    const bytes = Buffer.concat([this.#rest, piece]);
    const end = piece.includes(lineFeed) ? bytes.lastIndexOf(lineFeed) + 1 : 0;
    this.#scan(bytes.subarray(0, end));
    this.#rest = Buffer.from(bytes.subarray(end));
    this.#offset += end;
  }

  /** Takes the end of the file. */
  end(): void {
    this.#scan(this.#rest);
    this.#release();
  }

  /** Scans whole lines; only the last line of the file may be incomplete. */
  #scan(bytes: Buffer): void {
    const lineAt = (start: number, textEnd: number, end: number, state: LineState): ScannedLine => {
      const json = bytes.toString("utf8", Math.min(start + bodyOffset, textEnd), textEnd);
      return { offset: this.#offset + start, end: this.#offset + end, json, ...state };
    };
    for (let offset = 0; offset < bytes.length; ) {
      const feed = bytes.indexOf(lineFeed, offset);
      const incomplete = feed === -1;
      const end = incomplete ? bytes.length : feed;
      const next = incomplete ? end : end + 1;
      const chain = writtenChecksum(bytes, offset, end);
      const matching = chainOf(bytes, offset, end, chain, this.#candidates);
      if (matching !== undefined) {
        const fault = incomplete ? "the line feed at the end of the line is missing" : undefined;
        this.#whole(lineAt(offset, end, next, { chain, readable: true, incomplete, fault }), matching);
        offset = next;
        continue;
      }
      const lost = lostFeed(bytes, offset, end, incomplete, chain, this.#candidates);
      if (lost !== undefined) {
        const fault = "the line feed at the end of the line has become another byte";
        const state = { chain, readable: true, incomplete: false, fault };
        this.#whole(lineAt(offset, lost.at, lost.at + 1, state), lost.chain);
        offset = lost.at + 1;
        continue;
      }
      const fault = incomplete ? "the line is incomplete" : "the checksum of the line is wrong";
      const line = lineAt(offset, end, next, { chain, readable: false, incomplete, fault });
      this.#broken(line, bytes.subarray(Math.min(offset + bodyOffset, end), end));
      offset = next;
    }
  }

  #whole(line: ScannedLine, chain: number): void {
    if (this.#pending?.actual.includes(chain) === true) {
      const { line: confirmed, actual } = this.#pending;
      const fault = "the checksum of the line is wrong; the next line confirms its text";
      this.#pending = { line: { ...confirmed, readable: true, chain, fault }, actual };
    }
    this.#release();
    this.#onLine(line);
    this.#candidates = line.chain === undefined ? [] : [line.chain];
  }

  #broken(line: ScannedLine, body: Buffer): void {
    this.#release();
    // The checksum of no text is the one before it: the next line would confirm a line without text.
    const actual = body.length === 0 ? [] : this.#candidates.map((chain) => crc32(body, chain));
    this.#pending = { line, actual };
    const own = line.chain === undefined ? [] : [line.chain];
    this.#candidates = [...new Set([...own, ...actual, ...this.#candidates])].slice(0, manyChains);
  }

  #release(): void {
    if (this.#pending !== undefined) this.#onLine(this.#pending.line);
    this.#pending = undefined;
  }
}

/** Scans the lines of some bytes; see {@link LineScanner}. */
export function scanLines(bytes: Buffer, chains: readonly number[]): ScannedLine[] {
  const lines: ScannedLine[] = [];
  const scanner = new LineScanner(chains, (line) => lines.push(line));
  scanner.take(bytes);
  scanner.end();
  return lines;
}

/** Returns the one of the chains with which a line has the written checksum, or undefined. */
function chainOf(
  bytes: Buffer,
  offset: number,
  end: number,
  written: number | undefined,
  chains: readonly number[],
): number | undefined {
  if (written === undefined || end <= offset + bodyOffset) return undefined;
  const body = bytes.subarray(offset + bodyOffset, end);
  return chains.find((chain) => crc32(body, chain) === written);
}

/** Finds the end of a line whose line feed has become another byte: what follows looks like the next line. */
function lostFeed(
  bytes: Buffer,
  offset: number,
  end: number,
  incomplete: boolean,
  written: number | undefined,
  chains: readonly number[],
): { at: number; chain: number } | undefined {
  if (written === undefined) return undefined;
  const text = bytes.toString("latin1", offset, end);
  const places = [...text.matchAll(/.(?=[0-9a-f]{8} \{)/gs)].map(({ index }) => offset + index);
  if (incomplete) places.push(end - 1);
  for (const at of places) {
    const chain = chainOf(bytes, offset, at, written, chains);
    if (chain !== undefined) return { at, chain };
  }
  return undefined;
}
