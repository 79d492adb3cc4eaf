/** A row of the table of goals, and the two kinds of rows: comparisons of two sides, and single quantities. */
import { say } from "../report/output.ts";
import { mean, median, quantity, ratioText, type Unit } from "../report/quantity.ts";
import { meanValue, measureSides, type Sample, type Side } from "../run/compare.ts";
import { isolate } from "../run/temporary.ts";
import { settings } from "../settings.ts";

/** The bound of a ratio, or of a quantity if there is nothing to compare with. */
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
  /** @throws NotMeasured, BenchFailure */
  run(): Promise<Measured>;
}

/** The result of a row. Quantities have neither `other` nor `ratios`. */
export interface Measured {
  /** The medians of the runs, in the unit of the row. */
  readonly ours: number;
  readonly other?: number;
  /** One per run. */
  readonly ratios?: readonly number[];
  /** All figures, for the file of results. */
  readonly runs: readonly unknown[];
  /** Why the figures are worthless, if they are: the goal is missed then. */
  readonly objection?: string;
}

/** Two sides that are ready to be measured. */
export interface Pair {
  readonly ours: Side;
  readonly other: Side;
}

/** The samples of one run. */
export interface Run {
  readonly ours: number;
  readonly other: number;
  readonly ratio: number;
  readonly pieces: Readonly<Record<keyof Pair, readonly Sample[]>>;
}

/** Returns why the figures of some runs are worthless, or undefined. */
type Objection = (runs: readonly Run[]) => string | undefined;

export const atLeast = (value: number): Goal => ({ bound: "at least", value });
export const atMost = (value: number): Goal => ({ bound: "at most", value });

/**
 * Returns a row that compares two sides.
 * @param times how many times as many pairs the row takes, if pairs differ by more than its goal allows
 */
export function compareRow(
  what: string,
  goal: Goal,
  unit: Unit,
  start: () => Promise<Pair>,
  { objectionTo, times = 1 }: { objectionTo?: Objection; times?: number } = {},
): Row {
  const measure = async (): Promise<Run> => {
    const { ours: ourSide, other: otherSide } = await start();
    const [oursSamples = [], otherSamples = []] = await measureSides([ourSide, otherSide]);
    const [ours, other] = [meanValue(oursSamples), meanValue(otherSamples)];
    return { ours, other, ratio: ours / other, pieces: { ours: oursSamples, other: otherSamples } };
  };
  const text = ({ ours, other, ratio }: Run) =>
    `${quantity(ours, unit)} against ${quantity(other, unit)}: ${ratioText(ratio)}`;
  return {
    what,
    goal,
    unit,
    async run() {
      const runs = await repeat(settings.runs * (settings.short ? 1 : times), measure, text);
      const objection = settings.short ? undefined : objectionTo?.(runs);
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

/** Returns a row that measures one quantity, which must not exceed its goal. */
export function quantityRow(what: string, goal: number, unit: Unit, measure: () => Promise<number>): Row {
  return {
    what,
    goal: atMost(goal),
    unit,
    async run() {
      const runs = await repeat(settings.runs, measure, (value) => quantity(value, unit));
      return { ours: median(runs), runs };
    },
  };
}

/** Measures in so many runs, each with fresh processes, and reports each. */
export async function repeat<T>(
  count: number,
  measure: () => Promise<T>,
  text: (run: T) => string,
): Promise<T[]> {
  const runs: T[] = [];
  for (let number = 1; number <= count; number += 1) {
    const run = await isolate(measure);
    runs.push(run);
    say(`  run ${number} of ${count}: ${text(run)}`);
  }
  return runs;
}

/** Returns the mean of a detail over all samples of a side. */
export function meanDetail(runs: readonly Run[], side: keyof Pair, name: string): number {
  return mean(runs.flatMap(({ pieces }) => pieces[side].map(({ details }) => details[name] ?? 0)));
}
