/** Filters of the audit. */
import { Failure } from "../domain/errors.ts";
import { otherCallers } from "../domain/limits.ts";
import { collectionNames, isBookkeeping } from "../domain/model.ts";
import { didYouMean, fold, oneOf } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import type { RecordChange } from "../store/change.ts";
import type { AuditEntry } from "./entry.ts";
import { belongsTo, type PlayerNames } from "./names.ts";
import { operationTest } from "./operations.ts";

/** A change must match all fields that are present. */
export interface Filter {
  /** The name or UUID of a player who made the change, or whose record it changed. */
  readonly player?: string | undefined;
  /** The name or UUID of a player, `public`, `operator` or `system`: who made the change. */
  readonly by?: string | undefined;
  /** The id of the public token with which the change was made. */
  readonly token?: string | undefined;
  /** See {@link operationTest}. */
  readonly operation?: string | undefined;
  /** A collection, or a collection, a slash and a part of a key. */
  readonly record?: string | undefined;
  /** Milliseconds since 1970, inclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/**
 * Returns the test of a filter. Names are looked up at each call, since a followed journal adds new ones.
 * @throws Failure `UNKNOWN_PLAYER`, `UNKNOWN_ENTRY` where it names an unknown player or collection
 */
export function toTest(filter: Filter, names: PlayerNames): (entry: AuditEntry) => boolean {
  const { player, by, since = -Infinity, until = Infinity } = filter;
  if (player !== undefined) requireKnown(player, names);
  if (by !== undefined && !otherCallers.includes(fold(by))) requireKnown(by, names);
  const record = filter.record === undefined ? undefined : recordTest(filter.record, names);
  const token = filter.token?.toLowerCase();
  const operation = filter.operation === undefined ? undefined : operationTest(filter.operation);
  return (entry) => {
    if (entry.instant < since || entry.instant > until) return false;
    if (operation !== undefined && !operation(entry)) return false;
    if (token !== undefined && entry.token !== token) return false;
    if (by !== undefined && !isBy(entry, by, names)) return false;
    const isTheirs = (change: RecordChange) => player === undefined || isOf(change, player, names);
    if (player !== undefined && !isBy(entry, player, names) && !entry.changes.some(isTheirs)) return false;
    return record === undefined || entry.changes.some(record);
  };
}

/**
 * Returns the test of a filter for the records of a change that passed it: a bulk change, such as an import, passes for
 * one record among thousands.
 */
export function toRecordTest(
  { player, record }: Filter,
  names: PlayerNames,
): (change: RecordChange) => boolean {
  const isNamed = record === undefined ? undefined : recordTest(record, names);
  return (change) =>
    (player === undefined || isOf(change, player, names)) && (isNamed === undefined || isNamed(change));
}

/** Returns whether a filter asks for bookkeeping. */
export function asksForBookkeeping({ record }: Filter): boolean {
  return record !== undefined && isBookkeeping(collectionOf(record));
}

/** Returns whether a filter needs the names of players. */
export function needsNames({ player, by, record }: Filter): boolean {
  const hasName = by !== undefined && !otherCallers.includes(fold(by));
  return player !== undefined || hasName || record?.includes("/") === true;
}

function requireKnown(reference: string, names: PlayerNames): void {
  // A UUID may have records without a name.
  if (toUUID(reference) === undefined && !names.has(reference)) throw unknownPlayer(reference, names);
}

/** Returns the failure for a player whom neither the data nor the journal knows. */
export function unknownPlayer(reference: string, names: PlayerNames): Failure {
  const suggestion = didYouMean(reference, names.all);
  return new Failure(
    "UNKNOWN_PLAYER",
    `There is no player "${reference}", and there is none in the journal.${suggestion}`,
  );
}

function isBy(entry: AuditEntry, reference: string, names: PlayerNames): boolean {
  return (
    (otherCallers.includes(entry.who) && entry.who === fold(reference)) ||
    names.person(reference).uuids.has(entry.who)
  );
}

function isOf({ collection, before, after }: RecordChange, reference: string, names: PlayerNames): boolean {
  const person = names.person(reference);
  return belongsTo(person, collection, before) || belongsTo(person, collection, after);
}

function collectionOf(record: string): string {
  const [written = ""] = record.split("/", 1);
  return collectionNames.find((name) => fold(name) === fold(written)) ?? written;
}

function recordTest(record: string, names: PlayerNames): (change: RecordChange) => boolean {
  const collection = collectionOf(record);
  if (!collectionNames.includes(collection)) {
    throw new Failure(
      "UNKNOWN_ENTRY",
      `There are no records called "${collection}".${didYouMean(collection, collectionNames)}`,
      { hint: `Expected ${oneOf(collectionNames)}.` },
    );
  }
  const slash = record.indexOf("/");
  const part = slash === -1 ? "" : record.slice(slash + 1);
  return (change) => change.collection === collection && hasPart(change.key, part, names);
}

/** Returns whether a key contains a text, or the UUID of the player whom the text names. */
function hasPart(key: string, part: string, names: PlayerNames): boolean {
  return fold(key).includes(fold(part)) || [...names.person(part).uuids].some((uuid) => key.includes(uuid));
}
