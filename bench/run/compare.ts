/**
 * Comparing sides on a machine that is noisy, and with a runtime whose speed differs from process to process: each run
 * starts fresh processes, warms them up, and measures A B B A. Sides that can be paused take turns of a quarter of a
 * second: the machine may be another one in a second. What counts is the median of the runs' ratios.
 */
import { setTimeout } from "node:timers/promises";
import type { Settings } from "../settings.ts";
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

/** Measuring that goes on now and then. */
export interface Turns {
  resume(): void;
  pause(): void;
  /** Ends it, when it has gone on once more. */
  end(): Promise<Piece>;
}

/** A side that can be paused, and so be measured in turns with others. */
export abstract class PausableSide implements Side {
  /** Gets ready. */
  abstract takeTurns(): Promise<Turns>;

  async warm(seconds: number): Promise<void> {
    await this.measure(seconds);
  }

  async measure(seconds: number): Promise<Piece> {
    const turns = await this.takeTurns();
    turns.resume();
    await setTimeout(seconds * 1000);
    return turns.end();
  }
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
 * Compares in so many runs.
 * @param start starts the processes of a run
 * @param told how a run is told of while the bench goes on
 */
export async function compare(
  { settings, say }: Bench,
  count: number,
  start: () => Promise<Pair>,
  told: (run: Run) => string,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (let number = 1; number <= count; number += 1) {
    const pair = await start();
    try {
      const run = await measureRun(pair, settings);
      await pair.check();
      runs.push(run);
      say(`  run ${number} of ${count}: ${told(run)}`);
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

/**
 * How long a side has its turn, and how long what is under way then may take to end, in milliseconds: 64 requests to the
 * slowest peer take about 50, and would else go on in the turn of the next. Each of seven sides has to have its turn again
 * within five seconds, after which Node's server closes a connection.
 */
const [turn, rest] = [250, 60];

/** How sides are measured. */
export type Lengths = Pick<Settings, "short" | "seconds" | "warmSeconds">;

/** Warms sides up and measures each for twice as many seconds as the settings say. Each has a piece or more. */
export async function measureSides(
  sides: readonly Side[],
  { short, seconds, warmSeconds }: Lengths,
): Promise<readonly (readonly Piece[])[]> {
  if (warmSeconds > 0) for (const side of sides) await side.warm(warmSeconds);
  const rounds = short ? 1 : 2;
  if (sides.every((side) => side instanceof PausableSide)) return measureInTurns(sides, seconds * rounds);
  const pieces = sides.map((): Piece[] => []);
  for (const each of thereAndBack(sides, rounds)) {
    pieces[each]?.push(await (sides[each] as Side).measure(seconds));
  }
  return pieces;
}

/** The mean of pieces. */
export function mean(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { value }) => sum + value, 0) / pieces.length;
}

async function measureInTurns(sides: readonly PausableSide[], seconds: number): Promise<readonly Piece[][]> {
  const all: Turns[] = [];
  for (const side of sides) all.push(await side.takeTurns());
  for (const each of thereAndBack(sides, Math.ceil((seconds * 1000) / turn))) {
    all[each]?.resume();
    await setTimeout(turn);
    all[each]?.pause();
    await setTimeout(rest);
  }
  const pieces: Piece[][] = [];
  for (const turns of all) pieces.push([await turns.end()]);
  return pieces;
}

/** The places of a list, as often as there are rounds: forwards, backwards, forwards, and so on. */
function thereAndBack(list: readonly unknown[], rounds: number): number[] {
  const forwards = [...list.keys()];
  return Array.from({ length: rounds }, (_, round) =>
    round % 2 === 0 ? forwards : forwards.toReversed(),
  ).flat();
}

async function measureRun({ ours, other }: Pair, lengths: Lengths): Promise<Run> {
  const [oursPieces = [], otherPieces = []] = await measureSides([ours, other], lengths);
  const means = { ours: mean(oursPieces), other: mean(otherPieces) };
  return { ...means, ratio: means.ours / means.other, pieces: { ours: oursPieces, other: otherPieces } };
}
