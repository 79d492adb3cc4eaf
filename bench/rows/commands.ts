/** Commands of `addon-cli` against a Node that does nothing, from the start of the process to its end. */
import { template } from "../data/template.ts";
import { median } from "../report/quantity.ts";
import type { Side } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { productCommand } from "../run/product.ts";
import { productMain } from "../run/project.ts";
import { runNode } from "../run/temporary.ts";
import { settings } from "../settings.ts";
import { atMost, compareRow, type Row } from "./row.ts";

/** How often a process is started for one sample. */
const repetitions = 7;

/** The rows of this file. */
export const commandRows: readonly Row[] = [
  compareRow("`addon-cli --help` against `node -e 0`", atMost(3), "duration", async () =>
    pair([productMain, "--help"], /Usage: addon-cli/),
  ),
  compareRow(
    "`addon-cli token list`, no service running, against `node -e 0`",
    atMost(3),
    "duration",
    async () => {
      const { folder } = await template(settings.small);
      return pair(productCommand(folder, "token", "list"), /^[0-9a-f]{8}\t/m);
    },
  ),
];

function pair(args: readonly string[], expected: RegExp) {
  return { ours: program(args, expected), other: program(["-e", "0"], /^$/) };
}

function program(args: readonly string[], expected: RegExp): Side {
  return {
    async measure() {
      const samples: number[] = [];
      for (let repetition = 0; repetition < (settings.short ? 1 : repetitions); repetition += 1) {
        const { stdout, seconds } = await runNode(args);
        ensure(expected.test(stdout), () => `${args.join(" ")} printed\n${stdout.slice(0, 500)}`);
        samples.push(seconds);
      }
      return { value: median(samples), details: { least: Math.min(...samples), most: Math.max(...samples) } };
    },
  };
}
