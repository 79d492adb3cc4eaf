/**
 * Inspects a snapshot past damage: its readable records, every fault with its position, and where its records differ from
 * those of the journal up to its change.
 */
import { recordFault } from "../backup/record.ts";
import { definitionOf } from "../domain/model.ts";
import {
  miscounted,
  neitherRecordNorEnd,
  readSnapshotHeader,
  type SnapshotHeader,
  toSnapshotLine,
} from "../store/snapshot.ts";
import { type Fault, inspectHeader, legibleIn, quote, type Report } from "./fault.ts";
import { type Findings, type Loss, unindexed } from "./findings.ts";
import { type ScannedLine, scanLines } from "./scan.ts";

/** A snapshot, the number in its name, and that of the last change that it contains. */
export interface PlacedSnapshot {
  readonly file: string;
  readonly name: number;
  readonly sequence: number;
}

/**
 * Inspects a snapshot.
 * @param findings what was found before it; takes its faults and its records
 * @returns the number of readable records
 * @throws Failure where a newer version of the program wrote it
 */
export async function inspectSnapshot(
  pieces: AsyncIterable<Uint8Array>,
  { file, name, sequence }: PlacedSnapshot,
  findings: Findings,
): Promise<number> {
  /** Records are not compared with an earlier state, nor after damage. */
  const isReached = findings.sequence === sequence;
  const isCompared = isReached && findings.isComplete;
  const differing: Pick<Fault, "offset" | "what">[] = [];
  const records = unindexed();
  const lost: Loss[] = [];
  let isSound = true;
  let hasAllLines = true;
  let header: SnapshotHeader | undefined;
  let count = 0;
  /** Whether there were as many records as the last line says. */
  let isCounted: boolean | undefined;

  const report: Report = (offset, what, kind) => {
    if (kind === "content") isSound = false;
    findings.report(file, offset, what, kind);
  };
  const take = (collection: string, record: unknown, offset: number) => {
    const fault = recordFault(collection, record);
    if (fault !== undefined) report(offset, fault, "content");
    const key = keyOf(collection, record);
    if (key === undefined) {
      lost.push({ file, offset, what: `a record: ${fault}`, known: quote(record) });
      return;
    }
    const difference = isCompared ? findings.differing(collection, key, record) : undefined;
    const isEqual = isCompared && difference === undefined;
    // Equal records share their memory.
    const own = isEqual ? findings.records.collection(collection).get(key) : record;
    records.collection(collection).set(key, own);
    if (difference === undefined) return;
    const expected = quote(difference.known);
    const what = `${collection} ${key} is ${quote(record)} in the snapshot, but ${expected} in the journal`;
    differing.push({ offset, what });
  };
  const read = (line: ScannedLine) => {
    const { offset } = line;
    if (line.fault !== undefined) report(offset, line.fault);
    if (!line.readable) {
      hasAllLines = false;
      lost.push({ file, offset, what: "a record", known: legibleIn(line.json) });
      return;
    }
    if (isCounted !== undefined) report(offset, "there is a line after the last one");
    const parsed = toSnapshotLine(JSON.parse(line.json));
    if (parsed === undefined) report(offset, neitherRecordNorEnd, "content");
    else if (parsed.end === undefined) {
      count += 1;
      take(parsed.collection, parsed.record, offset);
    } else {
      isCounted = parsed.end === count;
      if (!isCounted && hasAllLines) report(offset, miscounted(parsed.end, count));
    }
  };
  const begin = (line: ScannedLine) => {
    header = inspectHeader(line, readSnapshotHeader, report);
    if (header !== undefined && header.sequence !== name)
      report(0, `the header says that it contains the changes up to ${header.sequence}`);
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
  if (isCounted === undefined && hasAllLines) report(last?.end ?? 0, "the last line is missing");
  const complete = isCounted === true && hasAllLines && (header?.sequence ?? sequence) === sequence;
  if (!complete && hasAllLines)
    lost.push({ file, offset: 0, what: "the end of the file, with unknown records", known: null });
  const chain = header?.chain;
  if (complete && isSound && isReached) {
    if ((chain ?? findings.chain) !== (findings.chain ?? chain))
      report(0, `its change ${sequence} differs from that of the journal`);
    else if (isCompared) {
      for (const { offset, what } of differing) report(offset, what, "content");
      for (const [collection, rows] of findings.records.collections) {
        for (const record of rows.values()) {
          const key = keyOf(collection, record);
          if (key === undefined || records.collection(collection).has(key)) continue;
          report(0, `${collection} ${key} is absent in the snapshot, but not in the journal`, "content");
        }
      }
    }
  }
  findings.take({ file, sequence, chain, records, complete, lost });
  return count;
}

function keyOf(collection: string, record: unknown): string | undefined {
  try {
    return definitionOf(collection)?.key(record);
  } catch {
    // The record lacks a field of the key.
    return undefined;
  }
}
