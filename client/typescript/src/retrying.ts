/** Which failures to retry, and after how long. */
import type { Timing } from "./timing.ts";

/** The wait before the first retry. It doubles with each further one, up to `longestMilliseconds`. */
const firstMilliseconds = 500;
const longestMilliseconds = 10_000;
/** The longest `Retry-After` that the client waits for. */
const longestRetryAfterMilliseconds = 60_000;

/** The service has done nothing, or does not know (503), or a proxy cannot reach it. Keys make a repetition harmless. */
const temporary: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether a status is of a temporary failure. A retry after any other would fail again. */
export function isTemporary(status: number): boolean {
  return temporary.has(status);
}

/**
 * Returns how long to wait before a retry, in milliseconds, or undefined if it is too long. Randomness keeps clients that
 * failed together from retrying together.
 * @param retry 1 for the first one
 * @param retryAfter the answer's header, in seconds or as a date
 */
export function waitBefore(
  retry: number,
  retryAfter: string | null,
  { now, random }: Timing,
): number | undefined {
  const asked = toMilliseconds(retryAfter, now());
  if (asked > longestRetryAfterMilliseconds) return undefined;
  const step = Math.min(longestMilliseconds, firstMilliseconds * 2 ** (retry - 1));
  return asked > 0 ? asked + random() * firstMilliseconds : step / 2 + (random() * step) / 2;
}

function toMilliseconds(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0;
  const asked = /^\s*\d+\s*$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return Number.isNaN(asked) ? 0 : asked;
}
