/** The counters of days: what was counted on each, of all players together. Days are those of UTC. */

const millisecondsPerDay = 24 * 60 * 60 * 1000;
/** The days that are kept. */
const keptDays = 90;
const dayForm = /^\d{4}-\d\d-\d\d\//;

/** Returns the name of the counter of a day, such as `2026-11-25/kills`. */
export function dayCounter(instant: number, counter: string): string {
  return `${new Date(instant).toISOString().slice(0, 10)}/${counter}`;
}

/** Returns the days that are kept, today last. A day is its beginning, in milliseconds since 1970. */
export function lastDays(now: number): number[] {
  const today = now - (now % millisecondsPerDay);
  return Array.from({ length: keptDays }, (_, index) => today - (keptDays - 1 - index) * millisecondsPerDay);
}

/** Returns whether a name is that of a counter of a day that is no longer kept. */
export function isForgotten(name: string, now: number): boolean {
  return dayForm.test(name) && name < dayCounter(now - (keptDays - 1) * millisecondsPerDay, "");
}
