/**
 * The changes that the scanned lines of a segment hold (`journal.ts` has their form). A bulk change of several lines is
 * one entry, and is lost as a whole where one of its lines is: it counts only with its last.
 */
import * as v from "valibot";
import { recordFault } from "../backup/record.ts";
import type { RecordChange } from "../store/draft.ts";
import { hasMore, type JournalRecord } from "../store/journal/segment.ts";
import type { Fault, InspectedSegment, SegmentEntry } from "./inspect.ts";
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

/** A line, and what it says where it can be read. */
interface ParsedLine {
  readonly line: ScannedLine;
  readonly document: unknown;
}

/** The lines of one change, as far as that can be told. */
type Group = [ParsedLine, ...ParsedLine[]];

/** Makes entries of lines while they come. */
export class EntryReader {
  readonly #fault: (offset: number, what: string, kind?: Fault["kind"]) => void;
  readonly #told: (entry: SegmentEntry) => void;
  #expected: number;
  #gap = false;
  /** The change under way, and whether the last of its lines that can be read says that another one follows. */
  #group: Group | undefined;
  #isOpen = false;
  /** The change before that one: only at the end it is known which change is the last. */
  #last: Group | undefined;

  /**
   * @param first the number that the first change should have
   * @param fault is told of every fault, but for those of the lines themselves and those that the tail says
   */
  constructor(
    first: number,
    fault: (offset: number, what: string, kind?: Fault["kind"]) => void,
    told: (entry: SegmentEntry) => void,
  ) {
    this.#expected = first;
    this.#fault = fault;
    this.#told = told;
  }

  /** Takes the next line. One that can not be read belongs to a bulk change that has begun. */
  take(line: ScannedLine): void {
    const document: unknown = line.readable ? JSON.parse(line.json) : undefined;
    const isFurther = v.is(furtherLine, document);
    const isBroken = this.#group?.some((each) => !each.line.readable) === true;
    const belongs = isFurther ? this.#isOpen || isBroken : this.#isOpen && !line.readable;
    if (this.#group !== undefined && belongs) this.#group.push({ line, document });
    else {
      this.#close();
      this.#group = [{ line, document }];
    }
    if (line.readable) this.#isOpen = hasMore(document);
  }

  /** Takes the end of the segment. Gives what a write that was cut off has left there. */
  end(): InspectedSegment["tail"] {
    this.#close();
    const last = this.#last;
    const tail = last === undefined ? undefined : tailOf(last);
    if (last !== undefined && (tail === undefined || tail.readable)) this.#enter(last);
    return tail;
  }

  #close(): void {
    if (this.#group === undefined) return;
    if (this.#last !== undefined) this.#enter(this.#last);
    this.#last = this.#group;
  }

  #enter(group: Group): void {
    const [{ line: first }] = group;
    const { offset } = first;
    const broken = group.find(({ line }) => !line.readable)?.line;
    const record = broken === undefined ? toRecord(group) : undefined;
    if (record === undefined) {
      if (broken === undefined) this.#fault(offset, "the line is not a record of the journal");
      this.#gap = true;
      this.#told({ record, line: broken ?? first, offset });
      return;
    }
    const expected = this.#expected;
    if (record.sequence !== expected && !(this.#gap && record.sequence >= expected)) {
      this.#fault(offset, `number ${expected} was expected, ${record.sequence} came`);
    }
    for (const { collection, key, after } of record.changes) {
      const wrong = after === null ? undefined : recordFault(collection, after, key);
      if (wrong !== undefined) this.#fault(offset, `change ${record.sequence}: ${wrong}`, "content");
    }
    this.#expected = record.sequence + 1;
    this.#gap = false;
    this.#told({ record, chain: group.at(-1)?.line.chain as number, offset });
  }
}

/** What a write that was cut off has left, where these are the last lines of a segment. */
function tailOf(group: Group): InspectedSegment["tail"] {
  const [{ line: first }] = group;
  const { line, document } = group.at(-1) ?? group[0];
  const isUnfinished = group.every((each) => each.line.readable) && hasMore(document);
  if (!isUnfinished && !line.incomplete) return undefined;
  return { offset: first.offset, length: line.end - first.offset, readable: line.readable && !isUnfinished };
}

function toRecord(group: Group): JournalRecord | undefined {
  const [head, ...further] = group.map(({ document }) => document);
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
