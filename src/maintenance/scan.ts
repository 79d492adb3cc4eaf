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
import { bodyOffset, lineFeed, writtenChecksum } from "../store/lines.ts";

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

interface Pending {
  readonly index: number;
  /** What the checksum of the line would be, were only its written checksum damaged. */
  readonly actual: readonly number[];
}

/**
 * The lines of a file's bytes from `start` on.
 * @param chains what the first line may be chained to: nothing where that is not known
 */
export function scanLines(bytes: Buffer, chains: readonly number[], start = 0): ScannedLine[] {
  const lines: ScannedLine[] = [];
  let candidates = chains;
  let pending: Pending | undefined;

  const add = (line: ScannedLine, chain: number) => {
    if (pending?.actual.includes(chain) === true) {
      const attested = lines[pending.index] as ScannedLine;
      const fault = "the checksum of the line is wrong; the line after it attests what it says";
      if (attested.chain !== chain) lines[pending.index] = { ...attested, readable: true, chain, fault };
    }
    lines.push(line);
    pending = undefined;
    candidates = [line.chain as number];
  };

  let offset = start;
  while (offset < bytes.length) {
    const feed = bytes.indexOf(lineFeed, offset);
    const terminated = feed !== -1;
    const end = terminated ? feed : bytes.length;
    const next = terminated ? end + 1 : end;
    const written = writtenChecksum(bytes, offset, end);
    const matching = chainOf(bytes, offset, end, written, candidates);
    if (matching !== undefined) {
      const fault = terminated ? undefined : "the line feed at the end of the line is missing";
      add(lineAt(bytes, offset, end, next, written, true, !terminated, fault), matching);
      offset = next;
      continue;
    }
    const lost = lostFeed(bytes, offset, end, terminated, written, candidates);
    if (lost !== undefined) {
      const fault = "the line feed at the end of the line has become another byte";
      add(lineAt(bytes, offset, lost.at, lost.at + 1, written, true, false, fault), lost.chain);
      offset = lost.at + 1;
      continue;
    }
    const fault = terminated ? "the checksum of the line is wrong" : "the line is incomplete";
    lines.push(lineAt(bytes, offset, end, next, written, false, !terminated, fault));
    const body = bytes.subarray(Math.min(offset + bodyOffset, end), end);
    const actual = candidates.map((chain) => crc32(body, chain));
    pending = { index: lines.length - 1, actual };
    const own = written === undefined ? [] : [written];
    candidates = [...new Set([...own, ...actual, ...candidates])].slice(0, manyChains);
    offset = next;
  }
  return lines;
}

function lineAt(
  bytes: Buffer,
  offset: number,
  textEnd: number,
  end: number,
  chain: number | undefined,
  readable: boolean,
  incomplete: boolean,
  fault: string | undefined,
): ScannedLine {
  const json = bytes.toString("utf8", Math.min(offset + bodyOffset, textEnd), textEnd);
  return { offset, end, json, readable, chain, incomplete, fault };
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
