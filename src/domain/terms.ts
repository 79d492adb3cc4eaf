/** The terms of a membership: until when it counts, and why somebody is excluded. */
import { toMinute } from "./instant.ts";

/** Instants are milliseconds since 1970. */
export interface Terms {
  readonly until?: number | undefined;
  readonly reason?: string | undefined;
}

/** The longest reason, in characters. */
export const longestReason = 200;

/** Appends terms to a sentence, such as `until 2026-12-08T10:00Z: forged kills.` */
export function withTerms(sentence: string, { until, reason }: Terms): string {
  const end = until === undefined ? "" : ` until ${toMinute(until)}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return `${sentence}${end}${why}${/[.!?]$/.test(why) ? "" : "."}`;
}

/** Returns a name in a list with its terms, such as `VIP@2026-12-01T00:00Z` or `BLACKLIST (forged kills)`. */
export function withTermsInList(name: string, { until, reason }: Terms): string {
  const end = until === undefined ? "" : `@${toMinute(until)}`;
  return `${name}${end}${reason === undefined ? "" : ` (${reason})`}`;
}
