/** Reads, with everything on, against bare `node:http` and against Fastify. */
import type { Bench } from "../run/bench.ts";
import type { Pair } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { startBare, startFastify } from "../run/peers.ts";
import { type Product, startBoth } from "../run/product.ts";
import type { ServerProcess } from "../run/server.ts";
import { LoadSide, perSecond } from "../run/sides.ts";
import { atLeast, compareRow, type Row } from "./row.ts";

const list = "a read of /wantedreason (50 entries)";
const statistic = "a read of /statistic/{player}";

/** The rows of this file. */
export const readRows: readonly Row[] = [
  againstBare(list, "/wantedreason", 0.8),
  againstBare("a read of /navipoint (50 entries)", "/navipoint", 0.8),
  againstBare("a read of /targetlist (50 entries)", "/targetlist", 0.8),
  againstBare(statistic, "/statistic/{name}", 0.6),
  againstFastify(list, "/wantedreason"),
  againstFastify(statistic, "/statistic/{name}"),
];

function againstBare(what: string, path: string, goal: number): Row {
  return compareRow(
    `${what} against bare node:http sending the same bytes`,
    atLeast(goal),
    "a second",
    (bench) => startPair(bench, path, (product) => startBare(bench, product, path), { otherLogs: false }),
  );
}

function againstFastify(what: string, path: string): Row {
  return compareRow(
    `${what} against Fastify with the same checks by hand`,
    atLeast(1.5),
    "a second",
    (bench) => startPair(bench, path, (product) => startFastify(bench, product), { otherLogs: true }),
  );
}

async function startPair(
  bench: Bench,
  path: string,
  startOther: (product: Product) => Promise<ServerProcess>,
  { otherLogs }: { otherLogs: boolean },
): Promise<Pair> {
  const { small, connections } = bench.settings;
  const { product, peer, stop } = await startBoth(bench, await bench.template(small), startOther);
  // Each player asks with a token of its own, and for its own statistic.
  const load = { paths: product.world.paths(path), connections };
  const ours = new LoadSide(bench, product.server, load, perSecond);
  const other = new LoadSide(bench, peer, load, perSecond);
  return {
    ours,
    other,
    async check() {
      await ours.requireLog();
      if (otherLogs) await other.requireLog();
      requireSameSizes(ours, other);
    },
    stop,
  };
}

/** Whoever sends less than the other under load has not sent the same answers. @throws BenchFailure */
function requireSameSizes(ours: LoadSide, other: LoadSide): void {
  if (ours.answered === 0 || other.answered === 0) return;
  const share = ours.bytesEach / other.bytesEach;
  ensure(
    Math.abs(share - 1) < 0.05,
    () => `under load an answer of ours has ${ours.bytesEach} bytes, one of the other ${other.bytesEach}`,
  );
}
