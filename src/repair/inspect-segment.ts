/**
 * Inspects the changes of a segment past damage: which lines make up one, whether it can be read, and its faults.
 * A bulk change of several lines (`store/journal/record-lines.ts`) is one change, and is lost if one of its lines is: it
 * counts only with its last.
 */
import { recordFault } from "../backup/record.ts";
import type { JournalRecord } from "../store/change.ts";
import { addLine, closeRecord, hasMore, isFurtherLine, openRecord } from "../store/journal/record-lines.ts";
import type { ReadRecord } from "../store/journal/segment.ts";
import type { Report } from "./fault.ts";
import type { ScannedLine } from "./scan.ts";

/** A line and its document, undefined where it cannot be read. */
interface ParsedLine {
  readonly line: ScannedLine;
  readonly document: unknown;
}

/** The lines of one change. Of one that cannot be read, or several: bytes that became others can have been line feeds. */
export type Group = [ParsedLine, ...ParsedLine[]];

/** Groups the lines after the header into changes. A line that cannot be read belongs to a bulk change that has begun. */
export async function* groupLines(
  pieces: AsyncIterable<readonly ScannedLine[]>,
): AsyncGenerator<{ readonly group: Group; readonly isLast: boolean }> {
  let group: Group | undefined;
  /** Whether the last readable line says that another one of its change follows. */
  let isOpen = false;
  for await (const lines of pieces) {
    for (const line of lines) {
      const document: unknown = line.readable ? JSON.parse(line.json) : undefined;
      const isBroken = group?.some((parsed) => !parsed.line.readable) === true;
      const belongs = isFurtherLine(document) ? isOpen || isBroken : isOpen && !line.readable;
      if (group !== undefined && belongs) group.push({ line, document });
      else {
        if (group !== undefined) yield { group, isLast: false };
        group = [{ line, document }];
      }
      if (line.readable) isOpen = hasMore(document);
    }
  }
  if (group !== undefined) yield { group, isLast: true };
}

/** Returns where lines begin, and their length, in bytes. */
export function extentOf(group: Group) {
  const { offset } = group[0].line;
  return { offset, length: (group.at(-1) ?? group[0]).line.end - offset };
}

/** Returns the change that lines make up, or undefined where it cannot be read. Reports its faults, not those of its lines. */
export function toChange(group: Group, report: Report): ReadRecord | undefined {
  const [{ line: first }] = group;
  if (group.some(({ line }) => !line.readable)) return undefined;
  const record = toRecord(group);
  if (record === undefined) report(first.offset, "the line is not a record of the journal");
  for (const { collection, key, after } of record?.changes ?? []) {
    const fault = after === null ? undefined : recordFault(collection, after, key);
    if (fault !== undefined) report(first.offset, `change ${record?.sequence}: ${fault}`, "content");
  }
  return record && { record, chain: group.at(-1)?.line.chain ?? 0, offset: first.offset };
}

/** Returns what the last lines of a segment are if a torn write left them: whole if only the line feed is missing. */
export function tailOf(group: Group): "whole" | "torn" | undefined {
  const { line, document } = group.at(-1) ?? group[0];
  if (group.every((parsed) => parsed.line.readable) && hasMore(document)) return "torn";
  if (!line.incomplete) return undefined;
  return line.readable ? "whole" : "torn";
}

function toRecord([first, ...further]: Group): JournalRecord | undefined {
  const open = openRecord(first.document, first.line.offset);
  if (open === undefined || hasMore((further.at(-1) ?? first).document)) return undefined;
  return further.every(({ document }) => addLine(open, document)) ? closeRecord(open) : undefined;
}
