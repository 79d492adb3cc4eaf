/** Inspects a snapshot past damage: its readable records, and every fault with its position. */
import { recordFault } from "../backup/record.ts";
import { definitionOf } from "../domain/model.ts";
import { snapshotFile } from "../store/folder/folder-names.ts";
import {
  miscounted,
  neitherRecordNorEnd,
  readSnapshotHeader,
  type SnapshotHeader,
  toSnapshotLine,
} from "../store/snapshot.ts";
import { type Fault, inspectHeader, type Report } from "./fault.ts";
import { type ScannedLine, scanLines } from "./scan.ts";

/** A record of a snapshot, and its position. */
export interface PlacedRecord {
  readonly collection: string;
  /** Undefined where there is no such collection, or the record has no key. */
  readonly key: string | undefined;
  readonly record: unknown;
  readonly offset: number;
  /** Why it does not fit the model. */
  readonly fault: string | undefined;
}

/** The result of an inspection. */
export interface InspectedSnapshot {
  readonly file: string;
  /** The number of the last change that it contains, from its name. */
  readonly sequence: number;
  /** The checksum of that change; undefined where the header cannot be read. */
  readonly chain: number | undefined;
  /** The number of readable records. */
  readonly count: number;
  /** The lines that cannot be read. */
  readonly unreadable: readonly ScannedLine[];
  /** Whether all records are readable. */
  readonly complete: boolean;
  readonly faults: readonly Fault[];
}

/**
 * Inspects a snapshot.
 * @param sequence from its name
 * @param onRecord is called with each readable record
 * @throws Failure where a newer version of the program wrote it
 */
export async function inspectSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  sequence: number,
  onRecord: (record: PlacedRecord) => void,
): Promise<InspectedSnapshot> {
  const file = snapshotFile(sequence);
  const faults: Fault[] = [];
  const report: Report = (offset, what, kind = "damage") => void faults.push({ file, offset, what, kind });
  const unreadable: ScannedLine[] = [];
  let header: SnapshotHeader | undefined;
  let count = 0;
  /** Whether there were as many records as the last line says. */
  let isCounted: boolean | undefined;

  const begin = (line: ScannedLine) => {
    header = inspectHeader(line, readSnapshotHeader, report);
    if (header !== undefined && header.sequence !== sequence) {
      report(0, `the header says that it contains the changes up to ${header.sequence}`);
    }
  };
  const read = (line: ScannedLine) => {
    if (line.fault !== undefined) report(line.offset, line.fault);
    if (!line.readable) {
      unreadable.push(line);
      return;
    }
    if (isCounted !== undefined) report(line.offset, "there is a line after the last one");
    const parsed = toSnapshotLine(JSON.parse(line.json));
    if (parsed === undefined) {
      report(line.offset, neitherRecordNorEnd, "content");
    } else if (parsed.end !== undefined) {
      isCounted = parsed.end === count;
      if (!isCounted && unreadable.length === 0) report(line.offset, miscounted(parsed.end, count));
    } else {
      count += 1;
      const { collection, record } = parsed;
      const fault = recordFault(collection, record);
      if (fault !== undefined) report(line.offset, fault, "content");
      onRecord({ collection, key: keyOf(collection, record), record, offset: line.offset, fault });
    }
  };

  let last: ScannedLine | undefined;
  for await (const lines of scanLines(pieces, [0])) {
    for (const line of lines) {
      if (last === undefined) begin(line);
      else read(line);
      last = line;
    }
  }
  if (last === undefined) report(0, "the file is empty");
  const isOfItsName = header === undefined || header.sequence === sequence;
  if (isCounted === undefined && unreadable.length === 0) report(last?.end ?? 0, "the last line is missing");
  const complete = isCounted === true && unreadable.length === 0 && isOfItsName;
  return { file, sequence, chain: header?.chain, count, unreadable, complete, faults };
}

function keyOf(collection: string, record: unknown): string | undefined {
  try {
    return definitionOf(collection)?.key(record);
  } catch {
    // The record lacks a field of the key.
    return undefined;
  }
}
