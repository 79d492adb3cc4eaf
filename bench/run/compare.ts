/**
 * Measures sides against each other. The machine is noisy, and the speed of a runtime differs from process to process:
 * each run starts fresh processes, warms them up, and measures A B B A. Sides that can be paused take turns of a quarter
 * of a second, since the machine may change within a second.
 */
import { setTimeout } from "node:timers/promises";
import { mean } from "../report/quantity.ts";
import { settings } from "../settings.ts";

/** One measurement. */
export interface Sample {
  /** In the unit of the row. */
  readonly value: number;
  /** Other figures, by name. */
  readonly details: Readonly<Record<string, number>>;
}

/** A measurement that can be paused. */
export interface Pausable {
  resume(): void | Promise<void>;
  pause(): void;
  /** Ends the measurement, paused or not. */
  end(): Promise<Sample>;
}

/** One of the sides that are compared. */
export interface Side {
  measure(seconds: number): Promise<Sample>;
  /** Prepares a measurement that can be paused; missing if the side has none. */
  prepare?(): Promise<Pausable>;
  /** Checks the state that the load has left. @throws BenchFailure if it is wrong */
  check?(): Promise<void>;
}

/** Returns a side whose measurement can be paused. */
export function pausableSide(prepare: () => Promise<Pausable>) {
  return {
    prepare,
    async measure(seconds: number): Promise<Sample> {
      const measurement = await prepare();
      await measurement.resume();
      await setTimeout(seconds * 1000);
      return measurement.end();
    },
  };
}

/**
 * Milliseconds for which a side is measured in its turn, and then for its last requests to end: 64 requests to the
 * slowest peer take about 50. Seven sides must have had their turns within the five seconds after which Node's server
 * closes an idle connection.
 */
const [turn, rest] = [250, 60];

/**
 * Warms sides up, measures each for twice as many seconds as the settings say, and checks it. They warm up in turns: bare
 * `node:http` is a quarter slower for the rest of its life if V8 collects garbage while it idles before its first load.
 */
export async function measureSides(sides: readonly Side[]): Promise<readonly (readonly Sample[])[]> {
  const { short, seconds, warmSeconds } = settings;
  if (warmSeconds > 0) await inTurns(sides, 1, warmSeconds);
  const samples = await inTurns(sides, seconds, short ? 1 : 2);
  for (const side of sides) await side.check?.();
  return samples;
}

/** Returns the mean of samples. */
export function meanValue(samples: readonly Sample[]): number {
  return mean(samples.map(({ value }) => value));
}

/** Measures sides in so many rounds, or in many short turns if all sides can be paused. */
async function inTurns(sides: readonly Side[], seconds: number, rounds: number): Promise<Sample[][]> {
  if (sides.some(({ prepare }) => prepare === undefined)) {
    const samples = sides.map((): Sample[] => []);
    for (const [index, side] of backAndForth(sides, rounds))
      samples[index]?.push(await side.measure(seconds));
    return samples;
  }
  const measurements: Pausable[] = [];
  for (const { prepare } of sides) if (prepare !== undefined) measurements.push(await prepare());
  for (const [, measurement] of backAndForth(measurements, Math.ceil((seconds * rounds * 1000) / turn))) {
    await measurement.resume();
    await setTimeout(turn);
    measurement.pause();
    await setTimeout(rest);
  }
  const samples: Sample[][] = [];
  for (const measurement of measurements) samples.push([await measurement.end()]);
  return samples;
}

/** Returns the entries of a list forwards, backwards, forwards and so on, as often as there are rounds. */
function backAndForth<T>(list: readonly T[], rounds: number): [number, T][] {
  const entries = [...list.entries()];
  return Array.from({ length: rounds }, (_, round) =>
    round % 2 === 0 ? entries : entries.toReversed(),
  ).flat();
}
