/**
 * What the audit shows of a change: all that the journal has of it, but no hash of a token, and what the service
 * only noted for itself on request.
 */
import { bookkeeping } from "../domain/model.ts";
import type { JournalRecord, RecordChange } from "../store/change.ts";
import type { Names } from "./names.ts";
import { operationName } from "./operations.ts";

/** A change, as the audit shows it. With `--json` this is the document. */
export interface Entry {
  /** What `undo` takes. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly instant: number;
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  /** That player's name where it is known, else null. */
  readonly name: string | null;
  /** The id of the public token that was used, else null; null in changes from before it was recorded, too. */
  readonly token: string | null;
  /** The name of the command or of the route's handler; see {@link operationName}. */
  readonly operation: string;
  /** The id of the HTTP request, or null. */
  readonly request: string | null;
  /** The revision of the route table that let it in, or null. */
  readonly table: string | null;
  /** The number of the change that this one takes back, or null. */
  readonly undoes: number | null;
  readonly changes: readonly RecordChange[];
}

/** Stands where a hash was. */
export const concealed = "…";

/**
 * What is shown of a change, or undefined where nothing is.
 * @param all whether bookkeeping is shown too
 */
export function toEntry(record: JournalRecord, names: Names, all: boolean): Entry | undefined {
  const { sequence, instant, who, token, request, table, undoes } = record;
  const changes = record.changes.filter(({ collection }) => all || !bookkeeping.has(collection));
  if (changes.length === 0) return undefined;
  return {
    number: sequence,
    instant,
    who,
    name: names.of(who) ?? null,
    token: token ?? null,
    operation: operationName(record),
    request,
    table,
    undoes,
    changes: changes.map(conceal),
  };
}

function conceal(change: RecordChange): RecordChange {
  if (change.collection !== "tokens") return change;
  return { ...change, before: withoutHash(change.before), after: withoutHash(change.after) };
}

function withoutHash(record: unknown): unknown {
  return typeof record === "object" && record !== null && "hash" in record
    ? { ...record, hash: concealed }
    : record;
}
