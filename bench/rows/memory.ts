/** The memory of a service with much data. */

import { quantity } from "../report/quantity.ts";
import type { Bench } from "../run/bench.ts";
import { median } from "../run/compare.ts";
import { NotMeasured } from "../run/failure.ts";
import { type Product, startProduct } from "../run/product.ts";
import { Additions, LoadSide, perSecond } from "../run/sides.ts";
import type { Settings } from "../settings.ts";
import { atMost, type Row } from "./row.ts";

/** The row of this file. */
export function memoryRow({ large }: Settings): Row {
  const players = large.toLocaleString("en-US");
  return {
    what: `resident memory at ${players} players, after requests of every kind that is measured`,
    goal: atMost(300 * 2 ** 20),
    unit: "bytes",
    async run(bench) {
      const runs: MemoryRun[] = [];
      for (let number = 1; number <= bench.settings.runs; number += 1) {
        const run = await measureMemory(bench);
        const [used, started, most] = [run.used, run.started, run.most].map((each) =>
          quantity(each, "bytes"),
        );
        bench.say(
          `  run ${number} of ${bench.settings.runs}: ${used}; after the start ${started}, at most ${most}`,
        );
        runs.push(run);
      }
      return { ours: median(runs.map(({ used }) => used)), runs };
    },
  };
}

/** Resident memory of one process, in bytes. */
interface MemoryRun {
  /** When it has just started. */
  readonly started: number;
  /** After the requests. */
  readonly used: number;
  /** At any time. */
  readonly most: number;
}

async function measureMemory(bench: Bench): Promise<MemoryRun> {
  const product = await startProduct(bench, await bench.template(bench.settings.large));
  try {
    const started = await product.server.memory();
    await useEverything(bench, product);
    const used = await product.server.memory();
    if (started === undefined || used === undefined) {
      throw new NotMeasured("the system does not tell a process's memory");
    }
    return { started: started.resident, used: used.resident, most: used.most };
  } finally {
    await product.stop();
  }
}

/** Requests of every kind: reads of lists and of many players' statistics, the top list, and additions. */
export async function useEverything(bench: Bench, { server, world }: Product): Promise<void> {
  const { connections, seconds } = bench.settings;
  const many = Array.from({ length: Math.min(world.size, 10_000) }, (_, each) => each);
  for (const paths of [
    world.paths("/wantedreason"),
    world.paths("/navipoint"),
    world.paths("/targetlist"),
    world.paths("/statistic/{name}", many),
    world.paths("/statistic/top"),
  ]) {
    await new LoadSide(bench, server, { paths, connections }, perSecond).warm(seconds);
  }
  const additions = await Additions.on(bench, server, world, connections, perSecond);
  await additions.side.warm(seconds);
  await additions.check();
}
