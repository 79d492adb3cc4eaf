/** How many faults and random cases tests try: a quarter of them by default, all with `TEST_DEPTH=full`. */

/** Whether everything is tried, as in `.ci/run`. */
export const isFull = process.env.TEST_DEPTH === "full";

/** Returns how many of `full` cases to try in this run. */
export function runs(full: number): number {
  return isFull ? full : Math.ceil(full / 4);
}
