/** Snapshots and segments taken apart as far as they can be read: what they hold, and every fault with its place. */
import * as v from "valibot";
import {
  incompleteHeader,
  type JournalRecord,
  journalFormat,
  journalVersion,
  segmentFile,
} from "../store/journal.ts";
import { BrokenLine, readHeader } from "../store/lines.ts";
import { snapshotFile, snapshotFormat, snapshotVersion } from "../store/snapshot.ts";
import { toEntries } from "./changes.ts";
import { recordFault } from "./record.ts";
import { type ScannedLine, scanLines } from "./scan.ts";

/**
 * Something that is not as it should be. `damage` is what can not be read or does not hang together; `content` is
 * what was written whole and says something that can not be.
 */
export interface Fault {
  readonly file: string;
  /** In bytes. */
  readonly offset: number;
  readonly what: string;
  readonly kind: "damage" | "content";
}

/** A record of a snapshot, and where it stands. */
export interface PlacedRecord {
  readonly collection: string;
  readonly record: unknown;
  readonly offset: number;
}

export interface InspectedSnapshot {
  readonly file: string;
  /** The number of the last change that it contains, by its name. */
  readonly sequence: number;
  /** The checksum of that change; undefined where the header can not be read. */
  readonly chain: number | undefined;
  /** When it was begun. */
  readonly instant: number | undefined;
  /** What can be read. */
  readonly records: readonly PlacedRecord[];
  /** The lines that can not be read. */
  readonly unreadable: readonly ScannedLine[];
  /** Whether all records are there. */
  readonly complete: boolean;
  readonly faults: readonly Fault[];
}

/** A change of a segment, or one of which a line can not be read. `offset` is where the change begins. */
export type SegmentEntry =
  | { readonly record: JournalRecord; readonly chain: number; readonly offset: number }
  | { readonly record: undefined; readonly line: ScannedLine; readonly offset: number };

export interface InspectedSegment {
  readonly file: string;
  /** The number of its first change, by its name. */
  readonly first: number;
  /** What its first change is chained to; undefined where the header can not be read. */
  readonly chain: number | undefined;
  /** When it was begun. */
  readonly instant: number | undefined;
  /** Whether it ends within its header: nothing is left of the changes that it may have had. */
  readonly headless: boolean;
  readonly entries: readonly SegmentEntry[];
  /** The bytes at its end that a write which was cut off has left; 0 where there are none. */
  readonly tail: { readonly offset: number; readonly length: number; readonly readable: boolean } | undefined;
  /** Without what `tail` says. */
  readonly faults: readonly Fault[];
}

const headerBasis = { chain: v.number(), instant: v.number(), version: v.number() };
const snapshotHeader = v.object({
  format: v.literal(snapshotFormat),
  ...headerBasis,
  sequence: v.pipe(v.number(), v.safeInteger()),
});
const segmentHeader = v.object({
  format: v.literal(journalFormat),
  ...headerBasis,
  first: v.pipe(v.number(), v.safeInteger()),
});

const snapshotRecord = v.object({ collection: v.string(), record: v.unknown() });
const snapshotEnd = v.object({ end: v.number() });

/**
 * Takes a snapshot apart.
 * @param file how the faults name it
 * @param number what its name says; undefined where its name says nothing
 * @throws Failure where a newer version of the program wrote it
 */
export function inspectSnapshot(bytes: Buffer, number?: number, file?: string): InspectedSnapshot {
  const name = file ?? snapshotFile(number ?? 0);
  const faults: Fault[] = [];
  const fault = (offset: number, what: string, kind: Fault["kind"] = "damage") =>
    void faults.push({ file: name, offset, what, kind });
  const [first, ...lines] = scanLines(bytes, [0]);
  const header = headerOf(first, snapshotHeader, snapshotFormat, snapshotVersion, fault);
  const misnamed = header !== undefined && number !== undefined && header.sequence !== number;
  if (misnamed) fault(0, `the header says that it contains the changes up to ${header.sequence}`);
  const records: PlacedRecord[] = [];
  const unreadable: ScannedLine[] = [];
  let ended = false;
  let counted = true;
  for (const line of lines) {
    if (line.fault !== undefined) fault(line.offset, line.fault);
    if (!line.readable) {
      unreadable.push(line);
      continue;
    }
    if (ended) fault(line.offset, "a line stands behind the last one");
    const document: unknown = JSON.parse(line.json);
    const end = v.safeParse(snapshotEnd, document);
    const record = v.safeParse(snapshotRecord, document);
    if (end.success) {
      ended = true;
      counted = end.output.end === records.length;
      if (!counted && unreadable.length === 0) {
        fault(line.offset, `${end.output.end} records were written, ${records.length} are there`);
      }
    } else if (record.success) {
      const { collection, record: value } = record.output;
      records.push({ collection, record: value, offset: line.offset });
      const wrong = recordFault(collection, value);
      if (wrong !== undefined) fault(line.offset, wrong, "content");
    } else {
      fault(line.offset, "the line is neither a record nor the last line", "content");
    }
  }
  if (!ended && unreadable.length === 0) fault(bytes.length, "the last line is missing");
  return {
    file: name,
    sequence: number ?? header?.sequence ?? 0,
    chain: header?.chain,
    instant: header?.instant,
    records,
    unreadable,
    complete: ended && counted && unreadable.length === 0 && !misnamed,
    faults,
  };
}

/**
 * Takes a segment apart.
 * @param linked what its first change may be chained to, for the case that its header can not be read
 * @throws Failure where a newer version of the program wrote it
 */
export function inspectSegment(bytes: Buffer, first: number, linked: readonly number[]): InspectedSegment {
  const file = segmentFile(first);
  const faults: Fault[] = [];
  const fault = (offset: number, what: string, kind: Fault["kind"] = "damage") =>
    void faults.push({ file, offset, what, kind });
  const [head] = scanLines(bytes.subarray(0, bytes.indexOf("\n") + 1 || bytes.length), [0]);
  if (head === undefined || (head.incomplete && head.end === bytes.length)) {
    fault(0, incompleteHeader(bytes.length));
    return {
      file,
      first,
      chain: undefined,
      instant: undefined,
      headless: true,
      entries: [],
      tail: undefined,
      faults,
    };
  }
  const header = headerOf(head, segmentHeader, journalFormat, journalVersion, fault);
  if (header !== undefined && header.first !== first) {
    fault(0, `the header says that it begins with ${header.first}`);
  }
  const lines = scanLines(bytes, header === undefined ? linked : [header.chain], head.end);
  const { entries, tail } = toEntries(lines, first, fault);
  return {
    file,
    first,
    chain: header?.chain,
    instant: header?.instant,
    headless: false,
    entries,
    tail,
    faults,
  };
}

function headerOf<T>(
  line: ScannedLine | undefined,
  schema: v.GenericSchema<T>,
  format: string,
  version: number,
  fault: (offset: number, what: string) => void,
): T | undefined {
  if (line?.fault !== undefined) fault(0, `the header: ${line.fault}`);
  if (line === undefined) fault(0, "the file is empty");
  if (line?.readable !== true) return undefined;
  try {
    return readHeader(line.json, schema, format, version);
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    fault(0, error.message);
    return undefined;
  }
}
