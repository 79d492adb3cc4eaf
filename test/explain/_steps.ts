/** The steps of a decision as lines, for tests of their words. */
import type { Decision } from "../../src/explain/can-i.ts";

/** Returns each step with its words, such as `exclusion + Bob is not in the group BLACKLIST`. */
export function stepsOf({ steps }: Decision): string[] {
  const signs = new Map([
    [true, "+"],
    [false, "-"],
    [null, "·"],
  ]);
  return steps.map(({ step, passed, says }) => `${step} ${signs.get(passed)} ${says}`);
}

/** Returns what would be enough. */
export function waysOf({ steps }: Decision): string[] {
  return steps.flatMap(({ step, says }) => (step === "enough" ? [says] : []));
}
