/**
 * Reading lines past damage. The store stops at the first line that is not what was written (`lines.ts`); here each
 * line is judged by itself. A line's checksum is chained to the checksum *written* before the line before it, so a
 * broken line does not condemn those after it:
 *
 *     11111111 {"sequence":7, …}     whole
 *     22222222 {"sequenXe":8, …}     broken: what it says is not what 22222222 stands for
 *     33333333 {"sequence":9, …}     whole: chained to 22222222
 *
 * Where it is the written checksum itself that is damaged, the line after it tells: it is chained to the right one.
 */
import { crc32 } from "node:zlib";
import { bodyOffset, lineFeed, writtenChecksum } from "../store/journal/lines.ts";

/** A line, and what is wrong with it. */
export interface ScannedLine {
  /** Where it begins in its file, in bytes. */
  readonly offset: number;
  /** The offset behind it. */
  readonly end: number;
  /** What stands behind the checksum. To be believed only where `readable`. */
  readonly json: string;
  /** Whether what it says is certainly what was written. */
  readonly readable: boolean;
  /** The checksum that the next line is chained to; only where `readable` certainly the right one. */
  readonly chain: number | undefined;
  /** Whether it is the last line and has no line feed: what a write that was cut off leaves. */
  readonly incomplete: boolean;
  /** What is wrong with it, or undefined. */
  readonly fault: string | undefined;
}

/** More chains than a few are not worth trying: only lines that fall apart leave that many. */
const manyChains = 12;

/** A line that is not whole, until the line after it has told more. */
interface Pending {
  readonly line: ScannedLine;
  /** What the checksum of the line would be, were only its written checksum damaged. */
  readonly actual: readonly number[];
}

/** Scans a file while its bytes come, and tells of its lines in order: of a broken one with the line after it. */
export class LineScanner {
  readonly #told: (line: ScannedLine) => void;
  #candidates: readonly number[];
  #pending: Pending | undefined;
  /** The beginning of a line that is not all there. */
  #rest = Buffer.alloc(0);
  /** Where that is in the file. */
  #offset: number;

  /**
   * @param chains what the first line may be chained to: nothing where that is not known
   * @param start where the first bytes are in the file
   */
  constructor(chains: readonly number[], told: (line: ScannedLine) => void, start = 0) {
    this.#candidates = chains;
    this.#told = told;
    this.#offset = start;
  }

  /** Takes the next bytes; they are free again when this returns. */
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
    this.#offset += this.#rest.length;
    this.#rest = Buffer.alloc(0);
    this.#release();
  }

  /** Scans lines that are all there, but for the last one of the file. */
  #scan(bytes: Buffer): void {
    const at = this.#offset;
    for (let offset = 0; offset < bytes.length; ) {
      const feed = bytes.indexOf(lineFeed, offset);
      const terminated = feed !== -1;
      const end = terminated ? feed : bytes.length;
      const next = terminated ? end + 1 : end;
      const written = writtenChecksum(bytes, offset, end);
      const matching = chainOf(bytes, offset, end, written, this.#candidates);
      if (matching !== undefined) {
        const fault = terminated ? undefined : "the line feed at the end of the line is missing";
        this.#whole(lineAt(bytes, at, offset, end, next, written, true, !terminated, fault), matching);
        offset = next;
        continue;
      }
      const lost = lostFeed(bytes, offset, end, terminated, written, this.#candidates);
      if (lost !== undefined) {
        const fault = "the line feed at the end of the line has become another byte";
        this.#whole(lineAt(bytes, at, offset, lost.at, lost.at + 1, written, true, false, fault), lost.chain);
        offset = lost.at + 1;
        continue;
      }
      const fault = terminated ? "the checksum of the line is wrong" : "the line is incomplete";
      const line = lineAt(bytes, at, offset, end, next, written, false, !terminated, fault);
      this.#broken(line, bytes.subarray(Math.min(offset + bodyOffset, end), end));
      offset = next;
    }
  }

  #whole(line: ScannedLine, chain: number): void {
    if (this.#pending?.actual.includes(chain) === true) {
      const { line: attested, actual } = this.#pending;
      const fault = "the checksum of the line is wrong; the line after it attests what it says";
      const whole = { ...attested, readable: true, chain, fault };
      if (attested.chain !== chain) this.#pending = { line: whole, actual };
    }
    this.#release();
    this.#told(line);
    this.#candidates = [line.chain as number];
  }

  #broken(line: ScannedLine, body: Buffer): void {
    this.#release();
    const actual = this.#candidates.map((chain) => crc32(body, chain));
    this.#pending = { line, actual };
    const own = line.chain === undefined ? [] : [line.chain];
    this.#candidates = [...new Set([...own, ...actual, ...this.#candidates])].slice(0, manyChains);
  }

  #release(): void {
    if (this.#pending !== undefined) this.#told(this.#pending.line);
    this.#pending = undefined;
  }
}

/** The lines of some bytes; see {@link LineScanner}. */
export function scanLines(bytes: Buffer, chains: readonly number[]): ScannedLine[] {
  const lines: ScannedLine[] = [];
  const scanner = new LineScanner(chains, (line) => lines.push(line));
  scanner.take(bytes);
  scanner.end();
  return lines;
}

function lineAt(
  bytes: Buffer,
  at: number,
  offset: number,
  textEnd: number,
  end: number,
  chain: number | undefined,
  readable: boolean,
  incomplete: boolean,
  fault: string | undefined,
): ScannedLine {
  const json = bytes.toString("utf8", Math.min(offset + bodyOffset, textEnd), textEnd);
  return { offset: at + offset, end: at + end, json, readable, chain, incomplete, fault };
}

/** The one of the chains with which the bytes have the written checksum. */
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

/** Where a line ends whose line feed has become another byte: before something that looks like the next line. */
function lostFeed(
  bytes: Buffer,
  offset: number,
  end: number,
  terminated: boolean,
  written: number | undefined,
  chains: readonly number[],
): { at: number; chain: number } | undefined {
  if (written === undefined) return undefined;
  const text = bytes.toString("latin1", offset, end);
  const places = [...text.matchAll(/.(?=[0-9a-f]{8} \{)/gs)].map(({ index }) => offset + index);
  if (!terminated) places.push(end - 1);
  for (const at of places) {
    const chain = chainOf(bytes, offset, at, written, chains);
    if (chain !== undefined) return { at, chain };
  }
  return undefined;
}
