/** A row of the table: what is compared with what, its goal, and what came of it. */

import { quantity, ratioText, type Unit } from "../report/quantity.ts";
import type { Bench } from "../run/bench.ts";
import type { Pair, Run } from "../run/compare.ts";
import { compare, median } from "../run/compare.ts";

/** What a ratio, or where there is nothing to compare with a quantity, has to be. */
export interface Goal {
  readonly bound: "at least" | "at most";
  readonly value: number;
}

/** A row that can be measured. */
export interface Row {
  /** Ours, and after "against" the other. */
  readonly what: string;
  readonly goal: Goal;
  readonly unit: Unit;
  /** Measures. @throws NotMeasured, BenchFailure */
  run(bench: Bench): Promise<Measured>;
}

/** What was measured for a row. Where there is nothing to compare with, `other` and `ratios` are missing. */
export interface Measured {
  /** The medians of the runs, in the unit of the row. */
  readonly ours: number;
  readonly other?: number;
  /** Of each run, in their order. */
  readonly ratios?: readonly number[];
  /** Everything that was seen. */
  readonly runs: readonly unknown[];
  /** What would make the figures worthless, where it was so: the goal is not held then. */
  readonly objection?: string;
}

export const atLeast = (value: number): Goal => ({ bound: "at least", value });
export const atMost = (value: number): Goal => ({ bound: "at most", value });

/** What is particular to a row that compares. */
export interface Particulars {
  /** What would make the figures worthless. */
  readonly objectionTo?: (runs: readonly Run[], bench: Bench) => string | undefined;
  /** How many times as many pairs it takes as others, where its goal is closer than pairs differ. */
  readonly times?: number;
}

/** A row that compares two sides. */
export function compareRow(
  what: string,
  goal: Goal,
  unit: Unit,
  start: (bench: Bench) => Promise<Pair>,
  { objectionTo = () => undefined, times = 1 }: Particulars = {},
): Row {
  return {
    what,
    goal,
    unit,
    async run(bench) {
      const told = ({ ours, other, ratio }: Run) =>
        `${quantity(ours, unit)} against ${quantity(other, unit)}: ${ratioText(ratio)}`;
      const count = bench.settings.runs * (bench.settings.short ? 1 : times);
      const runs = await compare(bench, count, () => start(bench), told);
      const objection = bench.settings.short ? undefined : objectionTo(runs, bench);
      return {
        ours: median(runs.map(({ ours }) => ours)),
        other: median(runs.map(({ other }) => other)),
        ratios: runs.map(({ ratio }) => ratio),
        runs,
        ...(objection === undefined ? {} : { objection }),
      };
    },
  };
}
