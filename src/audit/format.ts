/** Formats changes for people, field by field, without characters that control a terminal. */
import { isDeepStrictEqual } from "node:util";
import { escapeInvisible } from "../domain/escape.ts";
import { labelOf, textOf } from "../domain/label.ts";
import { nounOf } from "../domain/model.ts";
import { counted } from "../domain/text.ts";
import { uuidIn } from "../domain/uuid.ts";
import type { RecordChange } from "../store/change.ts";
import { isObject } from "../store/journal/record-lines.ts";
import type { AuditEntry } from "./entry.ts";
import type { PlayerNames } from "./names.ts";

/** The fields with instants in milliseconds, which are shown as ISO 8601. */
const instants: ReadonlySet<string> = new Set([
  "registeredAt",
  "startTime",
  "issuedAt",
  "expiresAt",
  "revokedAt",
  "usedAt",
  "lastSeen",
  "until",
  "instant",
]);

/** Returns who made a change: the name if known, and the id of a public caller's token. */
export function whoWords({ name, who, token }: AuditEntry): string {
  const words = escapeInvisible(name ?? who);
  return token === null ? words : `${words} (token ${escapeInvisible(token)})`;
}

/** Returns the operation, and the number of the undone change. */
export function operationWords({ operation, undoes }: AuditEntry): string {
  return undoes === null ? escapeInvisible(operation) : `${escapeInvisible(operation)} ${undoes}`;
}

/** Returns the key of a record, with the name for the UUID in it. */
export function keyWords({ key }: RecordChange, names: PlayerNames): string {
  const uuid = uuidIn(key);
  const name = uuid === undefined ? undefined : names.of(uuid);
  return name === undefined ? escapeInvisible(key) : `${escapeInvisible(key)} (${escapeInvisible(name)})`;
}

/**
 * Returns a change as a sentence without its subject: `issued the token b3c69208 of Ada`, `added the player Ada, added 2
 * memberships`. The values are only those of a single record that was changed.
 */
export function sentenceOf({ changes, undoes }: AuditEntry, names: PlayerNames): string {
  const groups = new Map<string, RecordChange[]>();
  for (const change of changes) {
    const kind = `${verbOf(change)} ${change.collection} ${listOf(change)}`;
    const group = groups.get(kind);
    if (group === undefined) groups.set(kind, [change]);
    else group.push(change);
  }
  const parts = Array.from(groups.values(), (group) => {
    const [change] = group as [RecordChange];
    const noun = nounOf(change.collection);
    const list = listOf(change);
    const place = list === undefined ? "" : ` of ${escapeInvisible(list)}`;
    if (group.length > 1) return `${verbOf(change)} ${counted(group.length, noun)}${place}`;
    const { before, after, key } = change;
    const label = escapeInvisible(labelOf(after ?? before, key, (uuid) => names.of(uuid) ?? uuid));
    const values = verbOf(change) === "changed" ? `: ${changeWords(change)}` : "";
    return `${verbOf(change)} the ${noun} ${label}${values}`;
  });
  return `${undoes === null ? "" : `undid change ${undoes}: `}${parts.join(", ")}`;
}

/** Returns the list of an entry. */
function listOf({ collection, before, after }: RecordChange): string | undefined {
  return collection === "entries" ? textOf(after ?? before, "list") : undefined;
}

function verbOf({ before, after }: RecordChange): string {
  if (!isObject(after)) return "removed";
  // Tokens and invitations.
  const isIssued = "revokedAt" in after;
  if (!isObject(before)) return isIssued ? "issued" : "added";
  return isIssued && before.revokedAt === null && after.revokedAt !== null ? "revoked" : "changed";
}

/** Returns the fields of a record. An entry's are those of its list, and its creator. */
function fieldsOf(record: unknown): unknown {
  if (!isObject(record) || !isObject(record.values)) return record;
  const {
    list: _list,
    key: _key,
    names: _names,
    entries: _entries,
    instants,
    player,
    name,
    uuid,
    values,
    ...others
  } = record;
  const named = typeof player === "string" ? { [player]: name, [`${player}UUID`]: uuid } : {};
  const own = Object.entries(values).map(([field, value]) => {
    return [field, Array.isArray(instants) && instants.includes(field) ? instantWords(value) : value];
  });
  return { ...Object.fromEntries(own), ...named, ...others };
}

/** Returns what changed: `kills 3 -> 4, deaths 0 -> 1`, or `added …`, or `removed …`. */
export function changeWords(change: RecordChange): string {
  const [before, after] = [fieldsOf(change.before), fieldsOf(change.after)];
  if (!isObject(before)) return isObject(after) ? `added ${fieldWords(after)}` : "unchanged";
  if (!isObject(after)) return `removed ${fieldWords(before)}`;
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields]
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map(
      (field) =>
        `${escapeInvisible(field)} ${valueWords(field, before[field])} -> ${valueWords(field, after[field])}`,
    )
    .join(", ");
}

function fieldWords(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([field, value]) => `${escapeInvisible(field)}=${valueWords(field, value)}`)
    .join(" ");
}

function valueWords(field: string, value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number" && instants.has(field)) return String(instantWords(value));
  if (typeof value === "string" && /^[\p{L}\p{N}\p{S}\p{P}]+$/u.test(value) && !/["\\]/.test(value))
    return escapeInvisible(value);
  return escapeInvisible(JSON.stringify(value));
}

/** Returns an instant in ISO 8601; anything else as it is. */
function instantWords(value: unknown): unknown {
  return typeof value === "number" && Math.abs(value) <= 8.64e15 ? new Date(value).toISOString() : value;
}
