/**
 * For orientation, without goals: the same list from frameworks that check nothing, beside the service that checks
 * everything. In each run all of them run side by side.
 */
import type { Bench } from "../run/bench.ts";
import { mean, measureSides, median } from "../run/compare.ts";
import { startBare, startFastify, startList } from "../run/peers.ts";
import { type Product, startProduct } from "../run/product.ts";
import type { ServerProcess } from "../run/server.ts";
import { LoadSide, perSecond } from "../run/sides.ts";

/** What the second table is called for `--only`. */
export const orientationName = "for orientation";

const path = "/wantedreason";

/** The servers, in the order of the table; the first is what the others are related to. */
const servers: readonly { name: string; start(bench: Bench, product: Product): Promise<ServerProcess> }[] = [
  { name: "bare node:http, ready bytes", start: (bench, product) => startBare(bench, product, path) },
  { name: "this service, every check", start: async (_bench, product) => product.server },
  { name: "Fastify, the same checks by hand", start: (bench, product) => startFastify(bench, product) },
  { name: "h3, returning an object", start: (bench, product) => startList(bench, product, "h3") },
  { name: "Hono, returning an object", start: (bench, product) => startList(bench, product, "hono") },
  { name: "Express, returning an object", start: (bench, product) => startList(bench, product, "express") },
  { name: "json-server", start: (bench, product) => startList(bench, product, "json-server") },
];

/** What came of it for one server. */
export interface Orientation {
  readonly name: string;
  /** Requests a second: the median, and those of each run. */
  readonly perSecond: number;
  readonly runs: readonly number[];
  /** To the first server of the same run, the median. */
  readonly ratio: number;
}

/** Measures them all. @throws BenchFailure */
export async function orientate(bench: Bench): Promise<Orientation[]> {
  const runs: number[][] = [];
  for (let number = 1; number <= bench.settings.runs; number += 1) {
    const rates = await measureAll(bench);
    runs.push(rates);
    const told = servers.map(({ name }, each) => `${name.split(",")[0]} ${Math.round(rates[each] ?? 0)}`);
    bench.say(`  run ${number} of ${bench.settings.runs}: ${told.join(", ")}`);
  }
  return servers.map(({ name }, each) => {
    const rates = runs.map((run) => run[each] ?? Number.NaN);
    const ratios = runs.map((run) => (run[each] ?? Number.NaN) / (run[0] ?? Number.NaN));
    return { name, perSecond: median(rates), runs: rates, ratio: median(ratios) };
  });
}

async function measureAll(bench: Bench): Promise<number[]> {
  const { small, connections } = bench.settings;
  const product = await startProduct(bench, await bench.template(small));
  const running: ServerProcess[] = [];
  try {
    const load = { paths: product.world.paths(path), connections };
    const sides: LoadSide[] = [];
    for (const { start } of servers) {
      const server = await start(bench, product);
      running.push(server);
      sides.push(new LoadSide(bench, server, load, perSecond));
    }
    return (await measureSides(sides, bench.settings)).map(mean);
  } finally {
    for (const server of running) await server.stop();
    await product.stop();
  }
}
