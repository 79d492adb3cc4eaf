/** Requests whose cost must not grow with the data: additions, and the top list while it changes. */
import { additionSide, changesPerSecond, changingTop, secondsEach } from "../load/sides.ts";
import { grouped } from "../report/quantity.ts";
import type { Side } from "../run/compare.ts";
import { type Product, startProduct } from "../run/product.ts";
import { settings } from "../settings.ts";
import { atMost, compareRow, meanDetail, type Row, type Run } from "./row.ts";

const { small, large, connections } = settings;
const sizes = `at ${grouped(large)} players against ${small}`;

/** The goals are a tenth from equality, and pairs of processes differ by more than that. */
const times = 3;

/** The rows of this file. */
export const growthRows: readonly Row[] = [
  compareRow(
    `a durable addition, one at a time, ${sizes}`,
    atMost(1.1),
    "duration",
    () => startSizes(({ server, dataset }) => additionSide(server, dataset, 1, secondsEach)),
    { times },
  ),
  compareRow(
    `a durable addition, 64 at once, ${sizes}`,
    atMost(1.25),
    "duration",
    () => startSizes(({ server, dataset }) => additionSide(server, dataset, connections, secondsEach)),
    { times },
  ),
  compareRow(
    `a read of /statistic/top while statistics change ${grouped(changesPerSecond)} times a second, ${sizes}`,
    atMost(1.1),
    "duration",
    () => startSizes(changingTop),
    { times, objectionTo: tooFewChanges },
  ),
];

/** Starts the product twice: with many players as ours, with few as the other. */
async function startSizes(side: (product: Product) => Side | Promise<Side>) {
  const [many, few] = [await startProduct(large), await startProduct(small)];
  return { ours: await side(many), other: await side(few) };
}

/** With fewer changes, the row would say nothing. Some may still be under way at the end. */
function tooFewChanges(runs: readonly Run[]): string | undefined {
  const rates = (["ours", "other"] as const).map((side) => meanDetail(runs, side, "changesPerSecond"));
  const least = Math.min(...rates);
  if (least >= changesPerSecond * 0.9) return undefined;
  return `only ${Math.round(least)} changes a second were reached`;
}
