/**
 * Reading the journal from its end, so that the newest changes are found without reading all of it. A segment is read
 * in blocks, the last one first. Each begins with a change, which is chained to the checksum written before it:
 *
 *     …k-1,"changes":[…]}⏎            in the block before
 *     11111111 {"sequence":7, …}⏎     in the block before, but its checksum is known
 *     22222222 {"sequence":8, …}⏎     begins the block: 22222222 is chained to 11111111
 *
 * So each change is verified as when reading forwards. Damage in older changes is not noticed before they are read.
 */
import { join } from "node:path";
import { type Files, readRange, sizeOf } from "../folder/files.ts";
import { headerLine, type JournalRecord, readSegment, segmentFile, segmentsIn } from "./segment.ts";
import { BrokenLine, bodyOffset, lineFeed, writtenChecksum } from "./lines.ts";
import { type OnMissing, toDamage } from "../reading.ts";

/** The bytes of a block, where no change is longer. */
const blockLength = 256 * 1024;

/**
 * Every change that the journal has, the newest first. Takes no lock.
 * @param onMissing told of changes that are missing between others
 * @throws Failure `STORE_UNAVAILABLE` at the first damage; what stands behind it has been given by then
 */
export async function* readBackwards(
  files: Files,
  folder: string,
  onMissing: OnMissing = () => {},
): AsyncGenerator<JournalRecord> {
  /** The number that the segment before has to lead to. */
  let next: number | undefined;
  for (const first of segmentsIn(await files.readdir(folder)).toReversed()) {
    const path = join(folder, segmentFile(first));
    let isEmpty = true;
    try {
      for await (const record of readSegmentBackwards(files, path)) {
        const { sequence } = record;
        if (isEmpty && next !== undefined && sequence + 1 < next) onMissing(sequence + 1, next - 1);
        isEmpty = false;
        yield record;
      }
    } catch (error) {
      // Dropped meanwhile, since its retention is over.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw toDamage(path, error);
    }
    // One that a failed snapshot has begun is empty, and the segment before it goes on beyond its number.
    next = isEmpty ? (next ?? first) : first;
  }
}

async function* readSegmentBackwards(files: Files, path: string): AsyncGenerator<JournalRecord> {
  let end = await sizeOf(files, path);
  let isNewest = true;
  for (let length = blockLength; ; ) {
    const offset = Math.max(0, end - length);
    const bytes = await readRange(files, path, offset, end);
    const block = offset === 0 ? { start: 0, header: Buffer.alloc(0) } : findBlock(bytes);
    if (block === undefined) {
      // The whole block is within one change.
      length *= 2;
      continue;
    }
    const { records, torn } = decodeBlock(bytes.subarray(block.start), block.header, offset + block.start);
    end = offset + block.start;
    if (torn > 0 && !isNewest) throw new BrokenLine("the change lacks its last line", end);
    for (const { record } of records.toReversed()) yield record;
    if (end === 0) return;
    isNewest = false;
    length = blockLength;
  }
}

/** Decodes lines as if a segment began with them. @throws BrokenLine with the offset in the file */
function decodeBlock(lines: Buffer, header: Buffer, offset: number): ReturnType<typeof readSegment> {
  try {
    return readSegment(Buffer.concat([header, lines]));
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    throw new BrokenLine(error.message, offset + Math.max(0, error.offset - header.length), error.incomplete);
  }
}

/**
 * Finds where the first change begins whose line before is known, and the header that would stand before it.
 * Undefined where there is none, or its line is not whole.
 */
function findBlock(bytes: Buffer): { start: number; header: Buffer } | undefined {
  let before = bytes.indexOf(lineFeed) + 1;
  if (before === 0) return undefined;
  for (;;) {
    const start = bytes.indexOf(lineFeed, before) + 1;
    const end = bytes.indexOf(lineFeed, start);
    if (start === 0 || end === -1) return undefined;
    const chain = writtenChecksum(bytes, before);
    const sequence = sequenceOf(bytes.toString("utf8", start + bodyOffset, end));
    if (chain !== undefined && sequence !== undefined)
      return { start, header: headerLine(sequence, chain, 0) };
    before = start;
  }
}

/** The number of the change that a document begins; undefined where it is not the first line of one. */
function sequenceOf(json: string): number | undefined {
  try {
    const document: unknown = JSON.parse(json);
    if (typeof document !== "object" || document === null || !("who" in document)) return undefined;
    return "sequence" in document && typeof document.sequence === "number" ? document.sequence : undefined;
  } catch {
    // Damaged: the block before ends with it, and is refused if it is read.
    return undefined;
  }
}
