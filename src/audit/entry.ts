/** An entry of the audit: a change of the journal, without the hashes of tokens and codes, and without bookkeeping by default. */
import { isBookkeeping } from "../domain/model.ts";
import type { JournalRecord, RecordChange } from "../store/change.ts";
import { isObject } from "../store/journal/record-lines.ts";
import type { PlayerNames } from "./names.ts";
import { operationName } from "./operations.ts";

/** A change, as the audit shows it. This is the document of `--json`. */
export interface AuditEntry
  extends Pick<JournalRecord, "instant" | "who" | "request" | "table" | "undoes" | "changes"> {
  /** The argument of `undo`. */
  readonly number: number;
  /** The present name of the player who made it, of a former player the last one; null where it is unknown. */
  readonly name: string | null;
  /** The id of the public token that was used, or null; also null in older changes. */
  readonly token: string | null;
  /** The name of the command or of the route's handler; see {@link operationName}. */
  readonly operation: string;
}

/** Replaces a hash. */
export const concealed = "…";

/**
 * Returns the entry of a change, or undefined where it has only bookkeeping.
 * @param all whether to include bookkeeping
 */
export function toAuditEntry(
  record: JournalRecord,
  names: PlayerNames,
  all: boolean,
): AuditEntry | undefined {
  const { sequence, instant, who, token, request, table, undoes } = record;
  const changes = record.changes.filter(({ collection }) => all || !isBookkeeping(collection));
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

/** The collections with hashes of secrets. */
const secret: ReadonlySet<string> = new Set(["tokens", "invitations"]);

function conceal(change: RecordChange): RecordChange {
  if (!secret.has(change.collection)) return change;
  return { ...change, before: withoutHash(change.before), after: withoutHash(change.after) };
}

function withoutHash(record: unknown): unknown {
  return isObject(record) && "hash" in record ? { ...record, hash: concealed } : record;
}
