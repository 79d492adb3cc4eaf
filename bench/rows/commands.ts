/** Commands of `addon-cli` against a Node that does nothing: from being started to being gone. */
import type { Bench } from "../run/bench.ts";
import { median, type Pair, type Side } from "../run/compare.ts";
import { execute } from "../run/execute.ts";
import { ensure } from "../run/failure.ts";
import { productMain, projectFolder, routesFile } from "../run/project.ts";
import { atMost, compareRow, type Row } from "./row.ts";

/** How often a process is started for one piece. */
const repetitions = 7;

/** The rows of this file. */
export const commandRows: readonly Row[] = [
  compareRow("`addon-cli --help` against `node -e 0`", atMost(3), "duration", (bench) =>
    startPair(bench, async () => ["--help"], /Usage: addon-cli/),
  ),
  compareRow(
    "`addon-cli token list`, no service running, against `node -e 0`",
    atMost(3),
    "duration",
    (bench) =>
      startPair(
        bench,
        async () => {
          const { folder } = await bench.template(bench.settings.small);
          return ["--data", folder, "--routes", routesFile, "token", "list"];
        },
        /^[0-9a-f]{8}\t/m,
      ),
  ),
];

async function startPair(bench: Bench, toArgs: () => Promise<string[]>, expected: RegExp): Promise<Pair> {
  const args = [productMain, ...(await toArgs())];
  return {
    ours: program(bench, args, expected),
    other: program(bench, ["-e", "0"], /^$/),
    check: async () => {},
    stop: async () => {},
  };
}

function program(bench: Bench, args: readonly string[], expected: RegExp): Side {
  const measure = async () => {
    const { stdout, seconds } = await execute(bench.workshop, args.join(" "), process.execPath, args, {
      cwd: projectFolder,
    });
    ensure(expected.test(stdout), () => `${args.join(" ")} printed\n${stdout.slice(0, 500)}`);
    return seconds;
  };
  return {
    warm: async () => void (await measure()),
    async measure() {
      const took: number[] = [];
      for (let each = 0; each < (bench.settings.short ? 1 : repetitions); each += 1)
        took.push(await measure());
      return { value: median(took), details: { least: Math.min(...took), most: Math.max(...took) } };
    },
  };
}
