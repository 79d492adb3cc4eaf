/**
 * `npm run torture -- --minutes 10`: 64 clients and an operator change the data of a service while it is killed with
 * -9, frozen, loses its lock, its socket and the reader of its log, and its clock jumps; the operator restores, imports
 * and undoes meanwhile. The data is then compared with what was acknowledged: nothing may be lost or counted twice, and an
 * unacknowledged change has happened in whole or not at all.
 *
 * After a fault it exits with 1, prints the seed of the choices, and leaves the folder. Clock jumps need libfaketime (`apt-get install faketime`).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../_random.ts";
import { buildInto } from "../store/faults/_build.ts";
import { Clock } from "./clock.ts";
import { Workshop } from "./processes.ts";
import { Torture } from "./run.ts";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    cycles: { type: "string", default: "Infinity" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});

/** The interval of progress lines without a terminal, in milliseconds. */
const reportInterval = 30_000;

async function run(milliseconds: number, mostCycles: number, seed: number): Promise<0 | 1> {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-torture-"));
  await buildInto(folder);
  const clock = await Clock.in(folder);
  const torture = new Torture(new Workshop(folder, clock), new Random(seed));
  console.log(`Seed ${seed}.`);
  if (!clock.canJump) console.log("libfaketime is missing: the clock does not jump.");
  const end = performance.now() + milliseconds;
  const sums = { cycles: 0, lost: 0, duplicated: 0 };
  const report = () =>
    `${sums.cycles} cycles, ${torture.acknowledged} acknowledged, ${sums.lost} lost, ${sums.duplicated} duplicated`;
  let reported = performance.now();
  try {
    while (performance.now() < end && sums.cycles < mostCycles && sums.lost + sums.duplicated === 0) {
      for (const { kind, what } of await torture.phase()) {
        sums[kind] += 1;
        console.error(`${kind}: ${what}`);
      }
      sums.cycles += 1;
      if (process.stderr.isTTY) process.stderr.write(`\r${report()} `);
      else if (performance.now() - reported > reportInterval) {
        reported = performance.now();
        console.log(report());
      }
    }
    if (process.stderr.isTTY) process.stderr.write("\n");
    if (sums.lost + sums.duplicated === 0) await torture.end();
  } catch (error) {
    console.error(error);
    sums.lost += 1;
  }
  console.log(`${report()}\n${JSON.stringify(torture.counts)}`);
  if (sums.lost + sums.duplicated === 0) {
    await rm(folder, { recursive: true });
    return 0;
  }
  console.log(`Failed with --seed ${seed}. The folder ${folder} is kept.`);
  return 1;
}

process.exit(await run(Number(options.minutes) * 60_000, Number(options.cycles), Number(options.seed)));
