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
): AsyncGenerator<SegmentPart, ReadSegment> {
  const path = join(folder, segmentFile(first));
  let records: ReadRecord[] = [];
  const reader = new SegmentReader((read) => records.push(read));
  const parts = function* (): Generator<SegmentPart> {
    const { header } = reader;
    if (header !== undefined && records.length > 0) yield { header, records };
    records = [];
  };
  let segment: ReadSegment;
  try {
    for await (const piece of piecesOf(files, path)) {
      reader.take(piece);
      yield* parts();
    }
    segment = reader.finish();
  } catch (error) {
    yield* parts();
    throw toDamage(path, error);
  }
  yield* parts();
  if (segment.first === first) return segment;
  throw damaged(path, 0, `the header says that it begins with ${segment.first}`);
}

/** Returns the refusal of a damaged line, which names its file; any other error as it is. */
export function toDamage(path: string, error: unknown): unknown {
  if (error instanceof NewerFormat) return error.in(path);
  return error instanceof BrokenLine ? damaged(path, error.offset, error.message) : error;
}
