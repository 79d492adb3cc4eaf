/** Durable additions to statistics: many at once against Fastify with SQLite, and one alone against a bare append. */
import { join } from "node:path";
import { additionSide, type LoadSide, loadSide, perSecond, secondsEach } from "../load/sides.ts";
import type { Side } from "../run/compare.ts";
import { startFastify } from "../run/peers.ts";
import { journalBytes, type Product, startProduct } from "../run/product.ts";
import { probesFolder } from "../run/project.ts";
import type { Server } from "../run/server.ts";
import { remove, runNode, temporaryPath } from "../run/temporary.ts";
import { settings } from "../settings.ts";
import { atLeast, atMost, compareRow, type Pair, type Row } from "./row.ts";

/** The rows of this file. */
export const additionRows: readonly Row[] = [
  againstSQLite("FULL", "each synced before it is answered", 4),
  againstSQLite("NORMAL", "which may lose the last ones", 0.9),
  compareRow(
    "one durable addition alone against a bare append and fdatasync of as many bytes, plus a read",
    atMost(1.3),
    "duration",
    startAlone,
    // The sides cannot take turns within a second, and the disk differs in the next.
    { times: 3 },
  ),
];

function againstSQLite(synchronous: "FULL" | "NORMAL", meaning: string, goal: number): Row {
  const what = `durable additions, 64 at once, against Fastify with SQLite, synchronous ${synchronous} (${meaning})`;
  return compareRow(what, atLeast(goal), "a second", async () => {
    const product = await startProduct(settings.small);
    const peer = await startFastify(product, synchronous);
    const side = async (server: Server) => {
      const additions = await additionSide(server, product.dataset, settings.connections, perSecond);
      const check = async () => {
        await additions.check();
        await additions.requireLog();
      };
      return { ...additions, check };
    };
    return { ours: await side(product.server), other: await side(peer) };
  });
}

/** Both sides need the product: one for the addition, one for the read. */
async function startAlone(): Promise<Pair> {
  const product = await startProduct(settings.small);
  const { server, dataset } = product;
  const ours = await additionSide(server, dataset, 1, secondsEach);
  const bytes = await recordBytes(product, ours);
  const load = { paths: dataset.paths("/statistic/{name}"), connections: 1 };
  const reads = loadSide(server, load, secondsEach);
  const other: Side = {
    async measure(seconds) {
      const append = await appendSeconds(bytes, seconds);
      const { value: read, details } = await reads.measure(seconds);
      const parts = { appendMicroseconds: append * 1e6, readMicroseconds: read * 1e6, bytes };
      return { value: append + read, details: { ...details, ...parts } };
    },
  };
  return { ours, other };
}

/** Returns the bytes that one addition takes in the journal. */
async function recordBytes({ folder }: Product, side: LoadSide): Promise<number> {
  const [before, answered] = [await journalBytes(folder), side.counts.answered];
  await side.measure(0.3);
  return Math.round(((await journalBytes(folder)) - before) / (side.counts.answered - answered));
}

/** Returns the seconds that an append of so many bytes and fdatasync take, in a process that does nothing else. */
async function appendSeconds(bytes: number, seconds: number): Promise<number> {
  const file = temporaryPath("appended");
  const args = [join(probesFolder, "append.js"), file, String(bytes), String(seconds)];
  const { stdout } = await runNode(args);
  remove(file);
  const result: { count: number; seconds: number } = JSON.parse(stdout);
  return result.seconds / result.count;
}
