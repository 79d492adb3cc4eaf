/** The slowest requests while a snapshot is written, against the slowest without. */
import { connectControl } from "../../src/control/client.ts";
import type { Control } from "../../src/control/control.ts";
import type { Bench } from "../run/bench.ts";
import { killsOf } from "../run/check.ts";
import { meanDetail, type Pair, type Piece, type Run, type Side } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { type Product, startProduct } from "../run/product.ts";
import { LoadSide, slowestPercent } from "../run/sides.ts";
import type { Settings } from "../settings.ts";
import { atMost, compareRow, type Row } from "./row.ts";

/**
 * A moderate load: 16 connections, each waiting up to 16 ms before each request, about 1,500 requests a second, one of
 * ten an addition. A load that takes all of the processor would measure how it is shared, not how long a snapshot
 * holds requests up.
 */
const connections = 16;
const think = 16;
const readsForEachAddition = 9;

/** The row of this file. */
export function snapshotRow({ large }: Settings): Row {
  const size = large.toLocaleString("en-US");
  const load = "reads and additions at a moderate load";
  return compareRow(
    `the slowest 1 % of ${load}, while snapshots of ${size} players are written against without`,
    atMost(2),
    "duration",
    startPair,
    // In some pairs the disk is slow for reasons of its own.
    { times: 3, objectionTo: notUnderWay },
  );
}

/** One process is both sides: with snapshots and without. */
async function startPair(bench: Bench): Promise<Pair> {
  const product = await startProduct(bench, await bench.template(bench.settings.large));
  const { server, world, folder, stop } = product;
  const control = await connectControl(folder);
  if (control === undefined) {
    await stop();
    throw new Error("the service can not be reached through its socket");
  }
  const paths = world.callers.flatMap((number) => {
    const read = world.path(number, "/wantedreason");
    const addition = world.path(number, `/statistic/${world.player(number).name}/add?type=KILL`);
    return [...Array.from({ length: readsForEachAddition }, () => read), addition];
  });
  const without = new LoadSide(bench, server, { paths, connections, think }, slowestPercent);
  const before = await sumOfKills(product);
  return {
    ours: new BesideSnapshots(without, control),
    other: without,
    async check() {
      const counted = (await sumOfKills(product)) - before;
      const { answered, cutOff } = without;
      const [least, most] = [answered, answered + cutOff].map((each) => each / (readsForEachAddition + 1));
      ensure(
        // Answers come in another order than requests, so that one more or less of each connection may be missing.
        counted >= (least ?? 0) - cutOff && counted <= (most ?? 0) + cutOff,
        () =>
          `${answered} requests were answered, one of ten an addition, but ${counted} additions were counted`,
      );
    },
    stop,
  };
}

/** The same load, with one snapshot after another being written. */
class BesideSnapshots implements Side {
  readonly #side: LoadSide;
  readonly #control: Control;

  constructor(side: LoadSide, control: Control) {
    this.#side = side;
    this.#control = control;
  }

  warm(seconds: number): Promise<void> {
    return this.#side.warm(seconds);
  }

  async measure(seconds: number): Promise<Piece> {
    const spans: { began: number; ended: number }[] = [];
    let goesOn = true;
    const write = async () => {
      while (goesOn) {
        const began = performance.now();
        await this.#control.snapshot();
        spans.push({ began, ended: performance.now() });
      }
    };
    const writing = write();
    // A failure is told when it is waited for below.
    writing.catch(() => {});
    const began = performance.now();
    const { value, details } = await this.#side.measure(seconds);
    const ended = performance.now();
    goesOn = false;
    await writing;
    const inside = spans.map((span) => Math.min(span.ended, ended) - Math.max(span.began, began));
    const underWay = inside.reduce((sum, each) => sum + Math.max(each, 0), 0) / (ended - began);
    return { value, details: { ...details, snapshots: spans.length, shareUnderWay: underWay } };
  }
}

async function sumOfKills({ server, world }: Product): Promise<number> {
  const kills = await killsOf(server.url, world, world.callers);
  return kills.reduce((sum, each) => sum + each, 0);
}

function notUnderWay(runs: readonly Run[]): string | undefined {
  const share = meanDetail(runs, "ours", "shareUnderWay");
  return share >= 0.8 ? undefined : `a snapshot was under way only ${Math.round(share * 100)} % of the time`;
}
