/** The slowest requests while a snapshot is written, against the slowest without. */
import type { Control } from "../../src/control/operations.ts";
import { loadSide, slowestPercent } from "../load/sides.ts";
import { grouped } from "../report/quantity.ts";
import { killsOf } from "../run/check.ts";
import type { Side } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { connect, startProduct } from "../run/product.ts";
import { settings } from "../settings.ts";
import { atMost, compareRow, meanDetail, type Pair, type Run } from "./row.ts";

/**
 * A moderate load: 16 connections, each waiting up to 16 ms before each request, about 1,500 requests a second, one in
 * ten an addition. A load that uses all of the processor would measure how it is shared, not how long a snapshot delays
 * requests.
 */
const connections = 16;
const think = 16;
const readsPerAddition = 9;

/** The row of this file. */
export const snapshotRow = compareRow(
  `the slowest 1 % of reads and additions at a moderate load, while snapshots of ${grouped(settings.large)} players are written against without`,
  atMost(2),
  "duration",
  startPair,
  // In some pairs the disk is slow for reasons of its own.
  { times: 3, objectionTo: tooFewSnapshots },
);

/** One process is both sides: with snapshots and without. */
async function startPair(): Promise<Pair> {
  const product = await startProduct(settings.large);
  const { server, dataset } = product;
  const control = await connect(product);
  const paths = dataset.callers.flatMap((number) => {
    const reads = Array.from({ length: readsPerAddition }, () => dataset.path(number, "/wantedreason"));
    return [...reads, dataset.path(number, "/statistic/{name}/add?type=KILL")];
  });
  const { measure, counts } = loadSide(server, { paths, connections, think }, slowestPercent);
  const before = await killsOf(server.url, dataset);
  const check = async () => {
    const counted = (await killsOf(server.url, dataset)) - before;
    const { answered, cutOff } = counts;
    // Answers arrive in another order than requests, so that each connection may have one addition more or less.
    const [least, most] = [answered, answered + cutOff].map((count) => count / (readsPerAddition + 1));
    ensure(
      counted >= (least ?? 0) - cutOff && counted <= (most ?? 0) + cutOff,
      () => `${answered} requests were answered, one in ten an addition, but ${counted} additions counted`,
    );
  };
  return { ours: besideSnapshots(measure, control), other: { measure, check } };
}

/** Returns the same load while one snapshot after another is written. */
function besideSnapshots(measureLoad: Side["measure"], control: Control): Side {
  return {
    async measure(seconds) {
      const spans: { began: number; ended: number }[] = [];
      let isOver = false;
      const write = async () => {
        while (!isOver) {
          const began = performance.now();
          await control.run("data.snapshot", {});
          spans.push({ began, ended: performance.now() });
        }
      };
      const writing = write();
      // A failure surfaces where it is awaited below.
      writing.catch(() => {});
      const began = performance.now();
      const { value, details } = await measureLoad(seconds);
      const ended = performance.now();
      isOver = true;
      await writing;
      const overlaps = spans.map((span) => Math.min(span.ended, ended) - Math.max(span.began, began));
      const shareUnderWay =
        overlaps.reduce((sum, overlap) => sum + Math.max(overlap, 0), 0) / (ended - began);
      return { value, details: { ...details, snapshots: spans.length, shareUnderWay } };
    },
  };
}

function tooFewSnapshots(runs: readonly Run[]): string | undefined {
  const share = meanDetail(runs, "ours", "shareUnderWay");
  return share >= 0.8
    ? undefined
    : `a snapshot was being written only ${Math.round(share * 100)} % of the time`;
}
