/** When a call is tried again, and after how long. */
import type { Timing } from "./timing.ts";

/** The wait before the first retry; each further one waits twice as long as the one before, up to `longest`. */
const firstMilliseconds = 500;
const longestMilliseconds = 10_000;
/** A service that wants to be left alone for longer is not waited for. */
const patienceMilliseconds = 60_000;

/** Nothing was done (503), or a proxy could not reach the service or holds back who asks too often. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether a status tells of a trouble that passes. Of every other failure, trying again would only fail again. */
export function isPassing(status: number): boolean {
  return passing.has(status);
}

/**
 * How long to wait before a retry, in milliseconds, or undefined where it is not worth waiting. Chance keeps clients
 * that failed together from coming back together.
 * @param retry 1 for the first one
 * @param retryAfter the answer's header, in seconds or as a date
 */
export function waitBefore(
  retry: number,
  retryAfter: string | null,
  { now, random }: Timing,
): number | undefined {
  const asked = toMilliseconds(retryAfter, now());
  if (asked > patienceMilliseconds) return undefined;
  const step = Math.min(longestMilliseconds, firstMilliseconds * 2 ** (retry - 1));
  return asked > 0 ? asked + random() * firstMilliseconds : step / 2 + (random() * step) / 2;
}

function toMilliseconds(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0;
  const asked = /^\s*\d+\s*$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
  return Number.isNaN(asked) ? 0 : asked;
}
