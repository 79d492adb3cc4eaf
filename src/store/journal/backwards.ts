/**
 * Reading the journal backwards, so that the newest changes are found without reading all of it. A segment is read in
 * blocks, the last one first. Each begins with a change, which is chained to the checksum written before it:
 *
 *     …k-1,"changes":[…]}⏎            in the block before
 *     11111111 {"sequence":7, …}⏎     in the block before, but its checksum is known
 *     22222222 {"sequence":8, …}⏎     begins the block: 22222222 is chained to 11111111
 *
 * So each change is verified as when reading forwards. Damage in older changes is noticed when they are read.
 */
import { join } from "node:path";
import type { JournalRecord } from "../change.ts";
import { type Files, isMissing, readBytes, sizeOf } from "../folder/files.ts";
import { segmentFile, segmentsIn } from "../folder/folder-names.ts";
import type { OnMissing } from "./history.ts";
import { BrokenLine, bodyOffset, lineFeed, writtenChecksum } from "./lines.ts";
import { headerLine, readSegment } from "./segment.ts";
import { toDamage } from "./segment-file.ts";

/** The bytes of a block, unless a change is longer. */
const blockLength = 256 * 1024;

export interface BackwardsOptions {
  /** Called for a gap between other changes. */
  readonly onMissing?: OnMissing;
  /** Whether to leave out a last change without its line feed: the service can still cut it back and write another. */
  readonly isWriting?: boolean;
}

/**
 * Yields every change of the journal, the newest first. Takes no lock.
 * @throws Failure `STORE_UNAVAILABLE` at the first damage, after all changes that follow it
 */
export async function* readBackwards(
  files: Files,
  folder: string,
  { onMissing = () => {}, isWriting = false }: BackwardsOptions = {},
): AsyncGenerator<JournalRecord> {
  /** The first sequence number after the segment. */
  let next: number | undefined;
  for (const first of segmentsIn(await files.readdir(folder)).toReversed()) {
    const path = join(folder, segmentFile(first));
    let isEmpty = true;
    try {
      for await (const record of readSegmentBackwards(files, path, isWriting)) {
        const { sequence } = record;
        if (isEmpty && next !== undefined && sequence + 1 < next) onMissing(sequence + 1, next - 1);
        isEmpty = false;
        yield record;
      }
    } catch (error) {
      // The running service has deleted it since: it is past its retention.
      if (!isMissing(error)) throw toDamage(path, error);
    }
    // A failed snapshot leaves an empty segment, and the segment before it goes on beyond its number.
    next = isEmpty ? (next ?? first) : first;
  }
}

async function* readSegmentBackwards(
  files: Files,
  path: string,
  isWriting: boolean,
): AsyncGenerator<JournalRecord> {
  let end = await sizeOf(files, path);
  let isNewest = true;
  for (let length = blockLength; ; ) {
    const offset = Math.max(0, end - length);
    const bytes = await readBytes(files, path, offset, end);
    const block = offset === 0 ? { start: 0, header: Buffer.alloc(0) } : findBlock(bytes);
    if (block === undefined) {
      // The whole block is within one change.
      length *= 2;
      continue;
    }
    const segment = decodeBlock(bytes.subarray(block.start), block.header, offset + block.start);
    const { records, torn, unterminated } = segment;
    if (torn > 0 && !isNewest) throw new BrokenLine("the change lacks its last line", end - torn);
    end = offset + block.start;
    const whole = isNewest && isWriting && unterminated ? records.slice(0, -1) : records;
    for (const { record } of whole.toReversed()) yield record;
    if (end === 0) return;
    isNewest = false;
    length = blockLength;
  }
}

/** Decodes lines as those of a segment with this header. @throws BrokenLine with the offset in the file */
function decodeBlock(lines: Buffer, header: Buffer, offset: number): ReturnType<typeof readSegment> {
  try {
    return readSegment(Buffer.concat([header, lines]));
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    throw new BrokenLine(error.message, offset + Math.max(0, error.offset - header.length), error.incomplete);
  }
}

/** How the first line of a change begins. */
const firstLine = /^\{"sequence":(\d{1,15}),"instant":/;

/** Finds the first change whose line before is known, and the header of a segment that would begin with it. */
function findBlock(bytes: Buffer): { start: number; header: Buffer } | undefined {
  let before = bytes.indexOf(lineFeed) + 1;
  for (;;) {
    const start = bytes.indexOf(lineFeed, before) + 1;
    if (start === 0) return undefined;
    const chain = writtenChecksum(bytes, before);
    const begins = bytes.toString("latin1", start + bodyOffset, start + bodyOffset + 64);
    const sequence = firstLine.exec(begins)?.[1];
    if (chain !== undefined && sequence !== undefined)
      return { start, header: headerLine(Number(sequence), chain, 0) };
    before = start;
  }
}
