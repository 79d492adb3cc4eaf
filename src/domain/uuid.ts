/** Game UUIDs: accepted with and without dashes, stored and answered as 32 lower-case hex digits. */
import { randomUUID } from "node:crypto";
import * as v from "valibot";

/** A UUID as it is stored and answered. */
export const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));

/** Returns the stored form of a UUID in either case, with or without dashes; undefined for any other text. */
export function toUUID(text: string): string | undefined {
  const form = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
  return form.test(text) ? text.replaceAll("-", "").toLowerCase() : undefined;
}

/** Returns the first UUID in the key of a record. */
export function uuidIn(key: string): string | undefined {
  return /[0-9a-f]{32}/.exec(key)?.[0];
}

/** Returns a random UUID, for a player whose game UUID is unknown. */
export function newUUID(): string {
  return randomUUID().replaceAll("-", "");
}
