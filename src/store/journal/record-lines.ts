/**
 * The documents of the journal's lines, and the change that one or several of them make up. A change is one line:
 *
 *     {"sequence":7,"instant":1790000000000,"who":"operator","operation":"player.add","request":null,"table":null,
 *      "undoes":null,"changes":[{"collection":"players","key":"…","before":null,"after":{…}}]}
 *
 * A bulk change, such as a restore, takes several lines of about 1 MiB at most. All have its number; each but the last
 * says that more follow, and only the first says who made it. It counts only with its last line: without that line, none
 * of the change has happened.
 *
 *     {"sequence":8,"instant":…,"who":"operator","operation":"data.restore", …,"changes":[…],"more":true}
 *     {"sequence":8,"changes":[…],"more":true}
 *     {"sequence":8,"changes":[…]}
 *
 * `request` is the id of the HTTP request, `table` the revision of the route table that allowed it, `undoes` the number
 * of the change that this one undoes; version 1 had none of the three, version 2 had no bulk changes; up to version 3 four lists were collections of their own. Where `who` is
 * `public`, `token` has the id of the token; older records lack it. A record has the values that it set, so replaying
 * it twice is harmless, and the journal is the audit log as well.
 *
 * Documents are checked by hand: with a schema, a start would take twice as long.
 */
import { presentChange } from "../../domain/former.ts";
import type { JournalRecord, RecordChange } from "../change.ts";
import type { LineEncoder } from "./lines.ts";

/** The bytes of a line of a bulk change, at most, unless one record alone needs more. */
export const mostInLine = 1024 * 1024;
/** The bytes of such a line beside the changes, at most: checksum, number, and who made the change. */
const roomForHead = 1024;

/** Encodes a bulk change. Yields its lines one by one, so that it is never in memory as text. */
export function* encodeInLines(encoder: LineEncoder, record: JournalRecord): Generator<Buffer> {
  const { changes, ...head } = record;
  let opening = JSON.stringify(head).slice(0, -1);
  let texts: string[] = [];
  let length = 0;
  const line = (end: string) => {
    encoder.add(`${opening},"changes":[${texts.join(",")}]${end}`);
    opening = `{"sequence":${head.sequence}`;
    texts = [];
    length = 0;
    return encoder.piece();
  };
  for (const change of changes) {
    const text = JSON.stringify(change);
    const bytes = Buffer.byteLength(text) + 1;
    if (length > 0 && length + bytes > mostInLine - roomForHead) yield line(',"more":true}');
    texts.push(text);
    length += bytes;
  }
  yield line("}");
}

/** A change whose last line has not been read yet. */
export interface OpenRecord {
  /** What its first line says. */
  readonly head: JournalRecord;
  /** The changes of each line. */
  readonly lines: (readonly RecordChange[])[];
  /** The offset of its first line. */
  readonly offset: number;
}

/** Begins a change with its first line. Returns undefined where the document is not one. */
export function openRecord(document: unknown, offset: number): OpenRecord | undefined {
  const head = toHead(document);
  return head === undefined ? undefined : { head, lines: [head.changes], offset };
}

/** Adds a further line to a bulk change. Returns whether it is one. */
export function addLine({ head, lines }: OpenRecord, document: unknown): boolean {
  const changes = changesIn(document);
  if (changes === undefined || !isFurtherLine(document) || document.sequence !== head.sequence) return false;
  lines.push(changes);
  return true;
}

/** Returns the change that all its lines make up. */
export function closeRecord({ head, lines }: OpenRecord): JournalRecord {
  return lines.length === 1 ? head : { ...head, changes: lines.flat() };
}

/** Returns whether another line of the same change follows a line. */
export function hasMore(document: unknown): boolean {
  return isObject(document) && document.more === true;
}

/** Returns whether a document is a line of a bulk change after its first. */
export function isFurtherLine(document: unknown): document is { readonly sequence: number } {
  if (!isObject(document) || "who" in document || typeof document.sequence !== "number") return false;
  return isChanges(document.changes);
}

/** Returns the changes of a line, in the present form, or undefined where it is none of the journal's. */
export function changesIn(document: unknown): readonly RecordChange[] | undefined {
  if (!isObject(document)) return undefined;
  return isChanges(document.changes) ? document.changes.map(presentChange) : undefined;
}

function toHead(document: unknown): JournalRecord | undefined {
  if (!isObject(document)) return undefined;
  const { sequence, instant, who, token, operation, request = null, table = null, undoes = null } = document;
  const changes = changesIn(document);
  if (typeof sequence !== "number" || !Number.isSafeInteger(sequence) || changes === undefined)
    return undefined;
  if (typeof instant !== "number" || typeof who !== "string" || typeof operation !== "string")
    return undefined;
  if (!isText(request) || !isText(table) || (undoes !== null && typeof undoes !== "number")) return undefined;
  const head = { sequence, instant, who, operation, request, table, undoes, changes };
  if (token === undefined) return head;
  return typeof token === "string" ? { ...head, token } : undefined;
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isChanges(changes: unknown): changes is RecordChange[] {
  return Array.isArray(changes) && changes.every(isChange);
}

function isChange(change: unknown): change is RecordChange {
  if (!isObject(change)) return false;
  const { collection, key } = change;
  return typeof collection === "string" && typeof key === "string" && "before" in change && "after" in change;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
