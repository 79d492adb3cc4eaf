/** `npm run bench -- scale`: the cost of requests, of a start and of memory at growing sizes, as a table and a plot. */
import { additionSide, changingTop, readSide, secondsEach } from "../load/sides.ts";
import { print, say, writeFileIn } from "../report/output.ts";
import { grouped, median, quantity, ratioText } from "../report/quantity.ts";
import { table } from "../report/table.ts";
import { memoryAfterRequests } from "../rows/memory.ts";
import { meanValue, measureSides, type Side } from "../run/compare.ts";
import { type Product, startProduct } from "../run/product.ts";
import { isolate } from "../run/temporary.ts";
import { settings } from "../settings.ts";
import { type Cost, plot } from "./plot.ts";

const { connections, short } = settings;
const sizes = short ? [100, 300, 1_000] : [100, 10_000, 100_000];

/** Measures products of all sizes, and returns one value for each. */
type Measure = (products: readonly Product[]) => Promise<number[]>;

/** The kinds of cost. The cost of a request is the server's time for all, divided by their number. */
const kinds: readonly (readonly [what: string, unit: Cost["unit"], measure: Measure])[] = [
  ["start, until it listens", "duration", async (all) => all.map(({ server }) => server.startSeconds)],
  load("read of /wantedreason", (product) => readSide(product, "/wantedreason", secondsEach)),
  load("read of /statistic/{player}", (product) => readSide(product, "/statistic/{name}", secondsEach)),
  load("read of /statistic/top, 1,000 changes a second", changingTop),
  load("durable addition, 64 at once", ({ server, dataset }) =>
    additionSide(server, dataset, connections, secondsEach),
  ),
  load("durable addition, one at a time", ({ server, dataset }) =>
    additionSide(server, dataset, 1, secondsEach),
  ),
  ["resident memory", "bytes", (products) => mapInTurn(products, memoryAfterRequests)],
];

/** Measures every cost, prints the table and writes the plot. */
export async function measureScale(): Promise<{ worked: boolean; results: object }> {
  const runs: number[][][] = [];
  for (let run = 1; run <= settings.runs; run += 1) {
    say(`run ${run} of ${settings.runs}`);
    runs.push(await isolate(measureKinds));
  }
  const costs = kinds.map(([what, unit], kind): Cost => {
    const bySize = sizes.map((_, size) => runs.map((run) => run[kind]?.[size] ?? Number.NaN));
    return { what, unit, sizes, values: bySize.map(median), runs: bySize };
  });
  print(costTable(costs));
  const { svg } = settings;
  if (svg !== undefined) {
    await writeFileIn(svg, plot(costs));
    say(`wrote the plot to ${svg}`);
  }
  return { worked: true, results: { scale: costs } };
}

/** @returns the values of each kind, by size */
async function measureKinds(): Promise<number[][]> {
  const products = await mapInTurn(sizes, startProduct);
  return mapInTurn(kinds, async ([what, unit, measure]) => {
    const values = await measure(products);
    const texts = values.map((value, at) => `${sizes[at]} players ${quantity(value, unit)}`);
    say(`  ${what}: ${texts.join(", ")}`);
    return values;
  });
}

/** Returns the cost of requests, measured at all sizes side by side. */
function load(what: string, side: (product: Product) => Side | Promise<Side>) {
  const measure: Measure = async (products) =>
    (await measureSides(await mapInTurn(products, async (product) => side(product)))).map(meanValue);
  return [what, "duration", measure] as const;
}

/** Maps a list one entry after another. */
async function mapInTurn<T, U>(list: readonly T[], map: (entry: T) => Promise<U>): Promise<U[]> {
  const mapped: U[] = [];
  for (const entry of list) mapped.push(await map(entry));
  return mapped;
}

function costTable(costs: readonly Cost[]): string {
  const [least = 0, most = 0] = [sizes.at(0), sizes.at(-1)];
  const heading = [
    "cost",
    ...sizes.map((size) => `${grouped(size)} players`),
    `${grouped(most)} to ${grouped(least)}`,
  ];
  const rows = costs.map(({ what, unit, values }) => [
    what,
    ...values.map((value) => quantity(value, unit)),
    ratioText((values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN)),
  ]);
  return table(heading, rows);
}
