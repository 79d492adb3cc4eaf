/** Helpers for work that is divided into slices: short slices, and how often the event loop turns. */
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";

/** Lets every slice be over after one step, until the test ends. */
export function withShortSlices(t: Pick<TestContext, "mock">): void {
  let time = 0;
  t.mock.method(performance, "now", () => {
    time += 1000;
    return time;
  });
}

/** Returns how many times the event loop turns while something is done. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns += 1) await setImmediate();
  await working;
  return turns;
}
