/**
 * The changes that the scanned lines of a segment hold (`journal.ts` has their form). A bulk change of several lines is
 * one entry, and is lost as a whole where one of its lines is: it counts only with its last.
 */
import * as v from "valibot";
import type { RecordChange } from "../store/draft.ts";
import { hasMore, type JournalRecord } from "../store/journal.ts";
import type { Fault, InspectedSegment, SegmentEntry } from "./inspect.ts";
import { recordFault } from "./record.ts";
import type { ScannedLine } from "./scan.ts";

const absent = v.optional(v.nullable(v.string()), null);
const changes = v.array(
  v.object({ collection: v.string(), key: v.string(), before: v.unknown(), after: v.unknown() }),
);
const sequence = v.pipe(v.number(), v.safeInteger());
const firstLine = v.object({
  sequence,
  instant: v.number(),
  who: v.string(),
  token: v.optional(v.string()),
  operation: v.string(),
  request: absent,
  table: absent,
  undoes: v.optional(v.nullable(v.number()), null),
  changes,
});
const furtherLine = v.strictObject({ sequence, changes, more: v.optional(v.literal(true)) });

/** The lines of one change, as far as that can be told. */
type Group = [ScannedLine, ...ScannedLine[]];

/**
 * Makes entries of lines.
 * @param first the number that the first change should have
 * @param fault is told of every fault, but for those that the tail says
 */
export function toEntries(
  lines: readonly ScannedLine[],
  first: number,
  fault: (offset: number, what: string, kind?: Fault["kind"]) => void,
): Pick<InspectedSegment, "entries" | "tail"> {
  const entries: SegmentEntry[] = [];
  let expected = first;
  let gap = false;
  for (const line of lines) if (line.fault !== undefined && !line.incomplete) fault(line.offset, line.fault);
  const groups = [...toGroups(lines)];
  const last = groups.pop();
  const tail = last === undefined ? undefined : tailOf(last);
  const whole = last === undefined || (tail !== undefined && !tail.readable) ? groups : [...groups, last];
  for (const group of whole) {
    const [{ offset }] = group;
    const broken = group.find(({ readable }) => !readable);
    const record = broken === undefined ? toRecord(group) : undefined;
    if (record === undefined) {
      if (broken === undefined) fault(offset, "the line is not a record of the journal");
      entries.push({ record, line: broken ?? group[0], offset });
      gap = true;
      continue;
    }
    if (record.sequence !== expected && !(gap && record.sequence >= expected)) {
      fault(offset, `number ${expected} was expected, ${record.sequence} came`);
    }
    for (const { collection, key, after } of record.changes) {
      const wrong = after === null ? undefined : recordFault(collection, after, key);
      if (wrong !== undefined) fault(offset, `change ${record.sequence}: ${wrong}`, "content");
    }
    entries.push({ record, chain: group.at(-1)?.chain as number, offset });
    expected = record.sequence + 1;
    gap = false;
  }
  return { entries, tail };
}

/** Puts the lines of each change together. A line that can not be read belongs to a bulk change that has begun. */
function* toGroups(lines: readonly ScannedLine[]): Generator<Group> {
  let group: Group | undefined;
  /** Whether the last line that can be read says that another one follows. */
  let open = false;
  for (const line of lines) {
    const document: unknown = line.readable ? JSON.parse(line.json) : undefined;
    const isFurther = v.is(furtherLine, document);
    const isBroken = group?.some(({ readable }) => !readable) === true;
    if (group !== undefined && (isFurther ? open || isBroken : open && !line.readable)) group.push(line);
    else {
      if (group !== undefined) yield group;
      group = [line];
    }
    if (line.readable) open = hasMore(document);
  }
  if (group !== undefined) yield group;
}

/** What a write that was cut off has left, where these are the last lines of a segment. */
function tailOf(group: Group): InspectedSegment["tail"] {
  const [{ offset }] = group;
  const last = group.at(-1) ?? group[0];
  const isUnfinished = group.every(({ readable }) => readable) && hasMore(JSON.parse(last.json));
  if (!isUnfinished && !last.incomplete) return undefined;
  return { offset, length: last.end - offset, readable: last.readable && !isUnfinished };
}

function toRecord(group: Group): JournalRecord | undefined {
  const [head, ...further] = group.map(({ json }): unknown => JSON.parse(json));
  const record = v.safeParse(firstLine, head);
  if (!record.success || hasMore(further.at(-1) ?? head)) return undefined;
  const all: RecordChange[] = [...record.output.changes];
  for (const document of further) {
    const line = v.safeParse(furtherLine, document);
    if (!line.success || line.output.sequence !== record.output.sequence) return undefined;
    for (const change of line.output.changes) all.push(change);
  }
  const { token, ...known } = record.output;
  return { ...known, ...(token === undefined ? {} : { token }), changes: all };
}
