/** Reads with every check, against bare `node:http` and against Fastify. */
import { readFile, writeFile } from "node:fs/promises";
import { type LoadSide, loadSide, perSecond, readSide } from "../load/sides.ts";
import { pausableSide, type Side } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { startBare, startFastify } from "../run/peers.ts";
import { connect, type Product, startProduct } from "../run/product.ts";
import { routesFile } from "../run/project.ts";
import type { Server } from "../run/server.ts";
import { temporaryPath } from "../run/temporary.ts";
import { settings } from "../settings.ts";
import { atLeast, compareRow, type Pair, type Row } from "./row.ts";

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
  compareRow(`${list} with limits against without`, atLeast(0.98), "a second", startLimited),
];

function againstBare(what: string, path: string, goal: number): Row {
  return compareRow(
    `${what} against bare node:http sending the same bytes`,
    atLeast(goal),
    "a second",
    () => startPair(path, (product) => startBare(product, path), { otherLogs: false }),
    // The goals are less from what is measured than pairs differ by.
    { times: 3 },
  );
}

function againstFastify(what: string, path: string): Row {
  return compareRow(`${what} against Fastify with the same checks by hand`, atLeast(1.5), "a second", () =>
    startPair(path, startFastify, { otherLogs: true }),
  );
}

async function startPair(
  path: string,
  startPeer: (product: Product) => Promise<Server>,
  { otherLogs }: { otherLogs: boolean },
): Promise<Pair> {
  const product = await startProduct(settings.small);
  const peer = await startPeer(product);
  // Each player uses a token of its own, and reads its own statistic.
  const load = { paths: product.dataset.paths(path), connections: settings.connections };
  const ours = loadSide(product.server, load, perSecond);
  const other = loadSide(peer, load, perSecond);
  const check = async () => {
    await ours.requireLog();
    if (otherLogs) await other.requireLog();
    requireSameSizes(ours, other);
  };
  return { ours: { ...ours, check }, other };
}

/** One service, in whose table reads are limited in turn: a limit costs less than two processes differ by. */
async function startLimited(): Promise<Pair> {
  const [file, table] = [temporaryPath("routes.yaml"), await readFile(routesFile, "utf8")];
  const shipped = /reads: \{.*\}/;
  ensure(shipped.test(table), () => `${routesFile} has no limit of reads to replace`);
  const write = (limit: string) => writeFile(file, table.replace(shipped, `reads: ${limit}`));
  await write("off");
  const product = await startProduct(settings.small, ["--no-watch", "--routes", file]);
  const control = await connect(product);
  const side = (limit: string): Side =>
    pausableSide(async () => {
      const load = await readSide(product, "/wantedreason", perSecond).prepare();
      const resume = async () => {
        await write(limit);
        await control.run("routes.reload", {});
        load.resume();
      };
      return { ...load, resume };
    });
  // The load does not reach the limit.
  return { ours: side("{ rate: 999999/s, burst: 999999 }"), other: side("off") };
}

/** @throws BenchFailure if the answers under load differ in size: they were not the same answers */
function requireSameSizes({ counts: ours }: LoadSide, { counts: other }: LoadSide): void {
  if (ours.answered === 0 || other.answered === 0) return;
  const [our, their] = [ours.bytes / ours.answered, other.bytes / other.answered];
  ensure(
    Math.abs(our / their - 1) < 0.05,
    () => `under load our answers have ${our} bytes on average, the other's ${their}`,
  );
}
