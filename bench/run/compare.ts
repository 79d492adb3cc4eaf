/**
 * Comparing two sides on a machine that is noisy, and with a runtime whose speed differs from process to process: each
 * run starts fresh processes, warms both sides up, and measures A B B A in short pieces. What counts is the median of
 * the runs' ratios.
 */
import type { Bench } from "./bench.ts";

/** One piece of measuring. */
export interface Piece {
  /** In the unit of the row. */
  readonly value: number;
  /** What else was seen, by name. */
  readonly details: Readonly<Record<string, number>>;
}

/** One of two sides that are compared. */
export interface Side {
  warm(seconds: number): Promise<void>;
  measure(seconds: number): Promise<Piece>;
}

/** Two sides that are ready to be measured. */
export interface Pair {
  readonly ours: Side;
  readonly other: Side;
  /** Checks what the load has left behind. @throws BenchFailure where that is not right */
  check(): Promise<void>;
  /** Ends their processes, also after a failure. */
  stop(): Promise<void>;
}

/** What came of one run: each side's mean, and how ours relates to the other. */
export interface Run {
  readonly ours: number;
  readonly other: number;
  readonly ratio: number;
  readonly pieces: { readonly ours: readonly Piece[]; readonly other: readonly Piece[] };
}

/**
 * Compares in as many runs as the settings say.
 * @param start starts the processes of a run
 * @param told how a run is told of while the bench goes on
 */
export async function compare(
  { settings, say }: Bench,
  start: () => Promise<Pair>,
  told: (run: Run) => string,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (let number = 1; number <= settings.runs; number += 1) {
    const pair = await start();
    try {
      const run = await measure(pair, settings);
      await pair.check();
      runs.push(run);
      say(`  run ${number} of ${settings.runs}: ${told(run)}`);
    } finally {
      await pair.stop();
    }
  }
  return runs;
}

/** The middle of some numbers, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
  return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2;
}

/** The mean of something that was seen on a side, over all pieces of all runs. */
export function meanDetail(runs: readonly Run[], side: "ours" | "other", name: string): number {
  const seen = runs.flatMap(({ pieces }) => pieces[side].map(({ details }) => details[name] ?? 0));
  return seen.reduce((sum, each) => sum + each, 0) / seen.length;
}

interface Lengths {
  readonly short: boolean;
  readonly seconds: number;
  readonly warmSeconds: number;
}

async function measure(pair: Pair, { short, seconds, warmSeconds }: Lengths): Promise<Run> {
  if (warmSeconds > 0) {
    await pair.ours.warm(warmSeconds);
    await pair.other.warm(warmSeconds);
  }
  const pieces: { ours: Piece[]; other: Piece[] } = { ours: [], other: [] };
  const order = short ? (["ours", "other"] as const) : (["ours", "other", "other", "ours"] as const);
  for (const side of order) pieces[side].push(await pair[side].measure(seconds));
  const [ours, other] = [mean(pieces.ours), mean(pieces.other)];
  return { ours, other, ratio: ours / other, pieces };
}

function mean(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { value }) => sum + value, 0) / pieces.length;
}
