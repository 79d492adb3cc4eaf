/** What was counted on each of the last days, of all players together: a counter for each day and statistic. */
import { countIn } from "../domain/model.ts";
import type { Data, Draft } from "../store/data.ts";

const millisecondsPerDay = 24 * 60 * 60 * 1000;
/** The days that are kept. */
const keptDays = 90;

/** Returns the name of a counter, such as `2026-11-25/kills`. Days are those of UTC. */
function nameOf(instant: number, counter: string): string {
  return `${new Date(instant).toISOString().slice(0, 10)}/${counter}`;
}

/** Returns the last days, today last. */
function lastDays(now: number): number[] {
  const today = now - (now % millisecondsPerDay);
  return Array.from({ length: keptDays }, (_, index) => today - (keptDays - 1 - index) * millisecondsPerDay);
}

/** Counts one more on the day of a change. The first of a day removes the days that are no longer kept. */
export function countDay({ counters }: Draft, counter: string, now: number): void {
  const name = nameOf(now, counter);
  const value = countIn(counters.get(name), "value") + 1;
  counters.put({ name, value });
  if (value > 1) return;
  const first = nameOf(lastDays(now)[0] ?? now, "");
  for (const { name: old } of [...counters.values()])
    if (/^\d{4}-/.test(old) && old < first) counters.delete(old);
}

/** Returns what was counted on each of the last days, today last. A day is its beginning, in milliseconds since 1970. */
export function totalsOf({ counters }: Data, counter: string, now: number) {
  return lastDays(now).map((day) => ({ day, value: countIn(counters.get(nameOf(day, counter)), "value") }));
}
