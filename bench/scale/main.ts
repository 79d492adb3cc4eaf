/** `npm run bench -- scale`: what requests, a start and memory cost at growing sizes, as a table, JSON and a plot. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { quantity, ratioText, type Unit } from "../report/quantity.ts";
import { table } from "../report/table.ts";
import { ChangingTop } from "../rows/growth.ts";
import { useEverything } from "../rows/memory.ts";
import type { Bench } from "../run/bench.ts";
import { mean, measureSides, median, type Side } from "../run/compare.ts";
import { type Product, startProduct } from "../run/product.ts";
import { Additions, LoadSide, secondsEach } from "../run/sides.ts";
import type { Settings } from "../settings.ts";
import { plot } from "./plot.ts";

/** One kind of cost, at each size. */
export interface Cost {
  readonly what: string;
  readonly unit: Unit;
  readonly sizes: readonly number[];
  /** The median at each size. */
  readonly values: readonly number[];
  /** At each size, of each run. */
  readonly runs: readonly (readonly number[])[];
}

/** What each size is measured for. */
interface Kind {
  readonly what: string;
  readonly unit: Unit;
  /** Measures the products of all sizes, and gives a value for each. */
  measure(bench: Bench, products: readonly Product[]): Promise<number[]>;
}

/** A side, and the check of what its load has left behind. */
interface Checked {
  readonly side: Side;
  check(): Promise<void>;
}

/** Each request's cost is the time that the server needs for it: the time of all, by their number. */
const kinds: readonly Kind[] = [
  {
    what: "start, until it listens",
    unit: "duration",
    measure: async (_, products) => products.map(({ server }) => server.startSeconds),
  },
  reading("read of /wantedreason", "/wantedreason"),
  reading("read of /statistic/{player}", "/statistic/{name}"),
  loading("read of /statistic/top, 1,000 changes a second", async (bench, product) => {
    const top = new ChangingTop(bench, product);
    return { side: top, check: () => top.check() };
  }),
  adding("durable addition, 64 at once", ({ connections }) => connections),
  adding("durable addition, one at a time", () => 1),
  {
    what: "resident memory",
    unit: "bytes",
    async measure(bench, products) {
      const resident: number[] = [];
      for (const product of products) {
        await useEverything(bench, product);
        resident.push((await product.server.memory())?.resident ?? Number.NaN);
      }
      return resident;
    },
  },
];

/**
 * Measures, prints the table and writes the plot.
 * @param save writes the results
 */
export async function measureScale(
  bench: Bench,
  save: (settings: Settings, results: object) => Promise<void>,
): Promise<boolean> {
  const { settings } = bench;
  const sizes = settings.short ? [100, 300, 1_000] : [100, 10_000, 100_000];
  const seen = kinds.map(() => sizes.map((): number[] => []));
  for (let run = 0; run < settings.runs; run += 1) {
    bench.say(`run ${run + 1} of ${settings.runs}`);
    const products: Product[] = [];
    try {
      for (const size of sizes) products.push(await startProduct(bench, await bench.template(size)));
      for (const [kind, { what, unit, measure }] of kinds.entries()) {
        const values = await measure(bench, products);
        const told = values.map((value, at) => `${sizes[at]} players ${quantity(value, unit)}`);
        bench.say(`  ${what}: ${told.join(", ")}`);
        for (const [at, value] of values.entries()) seen[kind]?.[at]?.push(value);
      }
    } finally {
      for (const product of products) await product.stop();
    }
  }
  const costs = kinds.map(({ what, unit }, kind): Cost => {
    const runs = seen[kind] ?? [];
    return { what, unit, sizes, values: runs.map(median), runs };
  });
  process.stdout.write(costTable(sizes, costs));
  const { svg } = settings;
  if (svg !== undefined) {
    await mkdir(dirname(svg), { recursive: true });
    await writeFile(svg, plot(costs));
    bench.say(`the plot is in ${svg}`);
  }
  await save(settings, { scale: costs });
  return true;
}

/** Requests, all sizes side by side. */
function loading(what: string, start: (bench: Bench, product: Product) => Promise<Checked>): Kind {
  return {
    what,
    unit: "duration",
    async measure(bench, products) {
      const all: Checked[] = [];
      for (const product of products) all.push(await start(bench, product));
      const pieces = await measureSides(
        all.map(({ side }) => side),
        bench.settings,
      );
      for (const { check } of all) await check();
      return pieces.map(mean);
    },
  };
}

function reading(what: string, path: string): Kind {
  return loading(what, async (bench, { server, world }) => {
    const load = { paths: world.paths(path), connections: bench.settings.connections };
    return { side: new LoadSide(bench, server, load, secondsEach), check: async () => {} };
  });
}

function adding(what: string, connectionsOf: (settings: Settings) => number): Kind {
  return loading(what, async (bench, { server, world }) => {
    const connections = connectionsOf(bench.settings);
    const additions = await Additions.on(bench, server, world, connections, secondsEach);
    return { side: additions.side, check: () => additions.check() };
  });
}

function costTable(sizes: readonly number[], costs: readonly Cost[]): string {
  const [least, most] = [sizes[0] ?? 0, sizes.at(-1) ?? 0].map((size) => size.toLocaleString("en-US"));
  const heading = [
    "cost",
    ...sizes.map((size) => `${size.toLocaleString("en-US")} players`),
    `${most} to ${least}`,
  ];
  const rows = costs.map(({ what, unit, values }) => [
    what,
    ...values.map((value) => quantity(value, unit)),
    ratioText((values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN)),
  ]);
  return table(heading, rows);
}
