/** How many faults and random cases tests try: a part of them by default, most with `TEST_DEPTH=full`. */

/** Whether most is tried, as in `.ci/run`. */
export const isFull = process.env.TEST_DEPTH === "full";

/** Why a long test is skipped by default, where other tests notice most of what it would; false if it runs. */
export const onlyInFull = isFull ? false : "it runs with TEST_DEPTH=full";

/** The distance of flipped bits and of cuts: odd, so that each bit of a byte has its turn. */
export const stride = isFull ? 3 : 17;

/** Returns the faults to try in this run, of `all` in their order: by default at a distance. The last is always among them. */
export function sample<Fault>(all: readonly Fault[], distance = 17): Fault[] {
  return all.filter((_, index) => isFull || (all.length - 1 - index) % distance === 0);
}

/** Returns how many of `full` cases to try in this run: a quarter by default. */
export function runs(full: number): number {
  return isFull ? full : Math.ceil(full / 4);
}
