/** Reading a segment from its file, in pieces. */
import { join } from "node:path";
import { type Files, piecesOf } from "../folder/files.ts";
import { segmentFile } from "../folder/folder-names.ts";
import { damaged } from "../folder/refusals.ts";
import { BrokenLine, NewerFormat } from "./lines.ts";
import { type ReadRecord, type ReadSegment, type SegmentHeader, SegmentReader } from "./segment.ts";

/** Changes of a segment, and its header. */
export interface SegmentPart {
  readonly header: SegmentHeader;
  readonly records: readonly ReadRecord[];
  /** Of the last part, which is there even if the segment has no changes: how the segment ends. */
  readonly end: ReadSegment | undefined;
}

/**
 * Yields the changes of a segment in order, those of one piece of the file at a time. An incomplete last line is not
 * damage.
 * @throws Failure `STORE_UNAVAILABLE` where the segment is damaged, after all changes before the damage
 */
export async function* readSegmentFile(
  files: Files,
  folder: string,
  first: number,
): AsyncGenerator<SegmentPart> {
  const path = join(folder, segmentFile(first));
  const reader = new SegmentReader();
  const parts = function* (end?: ReadSegment): Generator<SegmentPart> {
    const { header } = reader;
    const records = reader.records.splice(0);
    if (header === undefined || (records.length === 0 && end === undefined)) return;
    if (header.first !== first) throw damaged(path, 0, `the header says that it begins with ${header.first}`);
    yield { header, records, end };
  };
  try {
    for await (const piece of piecesOf(files, path)) {
      reader.take(piece);
      yield* parts();
    }
    yield* parts(reader.finish());
  } catch (error) {
    yield* parts();
    throw toDamage(path, error);
  }
}

/** Returns the refusal of a damaged line, which names its file; any other error as it is. */
export function toDamage(path: string, error: unknown): unknown {
  if (error instanceof NewerFormat) return error.in(path);
  return error instanceof BrokenLine ? damaged(path, error.offset, error.message) : error;
}
