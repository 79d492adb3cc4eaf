/**
 * `npm run bench`: measures the service against its goals, side by side with the peer of each goal, and prints one
 * Markdown table. The options are in `settings.ts`, the rows in `rows/`, the method in `run/compare.ts`.
 */
import { measureAbuse } from "./abuse/abuse.ts";
import { saveResults, say } from "./report/output.ts";
import { measureGoals, rowNames } from "./rows/goals.ts";
import { BenchFailure, messageOf } from "./run/failure.ts";
import { prepare } from "./run/prepare.ts";
import { measureScale } from "./scale/scale.ts";
import { help, settings } from "./settings.ts";

/** Each returns its results, and whether the bench worked: a missed goal is no failure. */
const measures = { goals: measureGoals, scale: measureScale, abuse: measureAbuse };

async function main(): Promise<0 | 1> {
  if (settings.help) {
    process.stdout.write(`${help}\nRows:\n${rowNames.map((name) => `  ${name}\n`).join("")}`);
    return 0;
  }
  try {
    await prepare();
    const { worked, results } = await measures[settings.mode]();
    await saveResults(results);
    return worked ? 0 : 1;
  } catch (error) {
    say(error instanceof Error && !(error instanceof BenchFailure) ? `${error.stack}` : messageOf(error));
    return 1;
  }
}

process.exitCode = await main();
