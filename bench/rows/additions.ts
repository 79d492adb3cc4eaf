/** Durable additions to statistics: many at once against Fastify with SQLite, and one alone against a bare append. */
import { join } from "node:path";
import type { Bench } from "../run/bench.ts";
import type { Pair, Side } from "../run/compare.ts";
import { execute } from "../run/execute.ts";
import { startFastify } from "../run/peers.ts";
import { journalBytes, type Product, startBoth, startProduct } from "../run/product.ts";
import { builtFolder } from "../run/project.ts";
import { Additions, LoadSide, perSecond, secondsEach } from "../run/sides.ts";
import { atLeast, atMost, compareRow, type Row } from "./row.ts";

/** The rows of this file. */
export const additionRows: readonly Row[] = [
  againstSQLite("FULL", "each synced before it is answered", 4),
  againstSQLite("NORMAL", "which may lose the last ones", 0.9),
  compareRow(
    "one durable addition alone against a bare append and fdatasync of as many bytes, plus a read",
    atMost(1.3),
    "duration",
    startAlone,
    // The two can not take turns within a second, and the disk is another one in the next.
    { times: 3 },
  ),
];

function againstSQLite(synchronous: "FULL" | "NORMAL", meaning: string, goal: number): Row {
  const what = `durable additions, 64 at once, against Fastify with SQLite, synchronous ${synchronous} (${meaning})`;
  return compareRow(what, atLeast(goal), "a second", async (bench): Promise<Pair> => {
    const { small, connections } = bench.settings;
    const { product, peer, stop } = await startBoth(bench, await bench.template(small), (started) =>
      startFastify(bench, started, synchronous),
    );
    const ours = await Additions.on(bench, product.server, product.world, connections, perSecond);
    const other = await Additions.on(bench, peer, product.world, connections, perSecond);
    return {
      ours: ours.side,
      other: other.side,
      async check() {
        await ours.check();
        await other.check();
        await ours.side.requireLog();
        await other.side.requireLog();
      },
      stop,
    };
  });
}

/** Both sides need the product, one for the addition and one for the read. */
async function startAlone(bench: Bench): Promise<Pair> {
  const product = await startProduct(bench, await bench.template(bench.settings.small));
  const { server, world, stop } = product;
  const additions = await Additions.on(bench, server, world, 1, secondsEach);
  const paths = world.paths("/statistic/{name}");
  const reads = new LoadSide(bench, server, { paths, connections: 1 }, secondsEach);
  const bytes = await recordBytes(product, additions);
  return {
    ours: additions.side,
    other: sumOf(reads, (seconds) => appendSeconds(bench, bytes, seconds), { bytes }),
    check: () => additions.check(),
    stop,
  };
}

/** How many bytes an addition alone has in the journal, as the product writes it. */
async function recordBytes({ folder }: Product, { side }: Additions): Promise<number> {
  const [before, answered] = [await journalBytes(folder), side.answered];
  await side.warm(0.3);
  return Math.round(((await journalBytes(folder)) - before) / (side.answered - answered));
}

/** The time of a read and of an append, one after the other. */
function sumOf(
  reads: LoadSide,
  append: (seconds: number) => Promise<number>,
  seen: Record<string, number>,
): Side {
  return {
    warm: (seconds) => reads.warm(seconds),
    async measure(seconds) {
      const appended = await append(seconds);
      const { value: read, details } = await reads.measure(seconds);
      const parts = { appendMicroseconds: appended * 1e6, readMicroseconds: read * 1e6 };
      return { value: appended + read, details: { ...details, ...parts, ...seen } };
    },
  };
}

/** The seconds that an append and fdatasync of so many bytes takes, in a process that does nothing else. */
async function appendSeconds({ workshop }: Bench, bytes: number, seconds: number): Promise<number> {
  const file = workshop.path("appended");
  const args = [join(builtFolder, "probes", "append.js"), file, String(bytes), String(seconds)];
  const { stdout } = await execute(workshop, "append.js", process.execPath, args);
  workshop.remove(file);
  const told: { count: number; seconds: number } = JSON.parse(stdout);
  return told.seconds / told.count;
}
