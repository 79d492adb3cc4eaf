/** What has to stay as fast as it was when the data has grown: additions, and the top list while it changes. */
import { Paced } from "../load/paced.ts";
import { requireAnswer } from "../run/ask.ts";
import type { Bench } from "../run/bench.ts";
import { meanDetail, type Pair, PausableSide, type Run, type Side, type Turns } from "../run/compare.ts";
import { type Product, startProduct } from "../run/product.ts";
import { Additions, LoadSide, secondsEach } from "../run/sides.ts";
import { topAnswer } from "../scale/expected.ts";
import { type Counter, counters, typeOf, type World } from "../scale/world.ts";
import type { Settings } from "../settings.ts";
import { atMost, compareRow, type Row } from "./row.ts";

/** Changes a second beside the reads of the top list. */
const pace = 1000;

/** Their goals are a tenth from being equal, and pairs of processes differ by more than that. */
const times = 3;

/** The rows of this file. */
export function growthRows({ small, large, connections }: Settings): readonly Row[] {
  const sizes = `at ${large.toLocaleString("en-US")} players against ${small}`;
  return [
    compareRow(
      `a durable addition, one at a time, ${sizes}`,
      atMost(1.1),
      "duration",
      (bench) => startAdditions(bench, 1),
      { times },
    ),
    compareRow(
      `a durable addition, 64 at once, ${sizes}`,
      atMost(1.25),
      "duration",
      (bench) => startAdditions(bench, connections),
      { times },
    ),
    compareRow(
      `a read of /statistic/top while statistics change 1,000 times a second, ${sizes}`,
      atMost(1.1),
      "duration",
      startTops,
      { times, objectionTo: tooSlow },
    ),
  ];
}

async function startAdditions(bench: Bench, connections: number): Promise<Pair> {
  return startSizes(bench, async ({ server, world }) => {
    const additions = await Additions.on(bench, server, world, connections, secondsEach);
    return { side: additions.side, check: () => additions.check() };
  });
}

async function startTops(bench: Bench): Promise<Pair> {
  return startSizes(bench, async (product) => {
    const top = new ChangingTop(bench, product);
    return { side: top, check: () => top.check() };
  });
}

/** The product twice: with many players as ours, with few as the other. */
async function startSizes(
  bench: Bench,
  toSide: (product: Product) => Promise<{ side: Side; check(): Promise<void> }>,
): Promise<Pair> {
  const { large, small } = bench.settings;
  const many = await startProduct(bench, await bench.template(large));
  const few = await startProduct(bench, await bench.template(small)).catch(async (error: unknown) => {
    await many.stop();
    throw error;
  });
  const [ours, other] = [await toSide(many), await toSide(few)];
  return {
    ours: ours.side,
    other: other.side,
    async check() {
      await ours.check();
      await other.check();
    },
    async stop() {
      await many.stop();
      await few.stop();
    },
  };
}

/** Reads of the top list beside additions at a pace, of every type, by the players who are in it. */
export class ChangingTop extends PausableSide {
  readonly #product: Product;
  readonly #reads: LoadSide;
  readonly #leaders: readonly number[];
  readonly #changes: readonly { number: number; counter: Counter }[];
  readonly #added: number[];

  constructor(bench: Bench, product: Product) {
    super();
    const { world, server } = product;
    this.#product = product;
    const { connections } = bench.settings;
    this.#reads = new LoadSide(
      bench,
      server,
      { paths: world.paths("/statistic/top"), connections },
      secondsEach,
    );
    this.#leaders = world.leaders;
    this.#changes = counters.flatMap((counter) => this.#leaders.map((number) => ({ number, counter })));
    this.#added = this.#changes.map(() => 0);
  }

  async takeTurns(): Promise<Turns> {
    const { server, world } = this.#product;
    const urls = this.#changes.map((change) => pathOf(world, change));
    const paced = new Paced(server.url, urls, pace);
    const reads = await this.#reads.takeTurns();
    return {
      resume() {
        paced.resume();
        reads.resume();
      },
      pause() {
        reads.pause();
        paced.pause();
      },
      end: async () => {
        try {
          paced.resume();
          const { value, details } = await reads.end();
          const changesPerSecond = paced.count / paced.seconds;
          return { value, details: { ...details, changesPerSecond } };
        } finally {
          await paced.stop();
          for (const [each, count] of paced.answered.entries()) {
            this.#added[each] = (this.#added[each] ?? 0) + count;
          }
        }
      },
    };
  }

  /** @throws BenchFailure where the top list is not what all that was added makes of it */
  async check(): Promise<void> {
    const { server, world } = this.#product;
    const changed = new Map(this.#leaders.map((number) => [number, world.statistic(number)]));
    for (const [each, { number, counter }] of this.#changes.entries()) {
      const statistic = changed.get(number) ?? world.statistic(number);
      changed.set(number, { ...statistic, [counter]: statistic[counter] + (this.#added[each] ?? 0) });
    }
    const [caller = 0] = world.callers;
    await requireAnswer(server.url, world.path(caller, "/statistic/top"), topAnswer(world, changed));
  }
}

function pathOf(world: World, { number, counter }: { number: number; counter: Counter }): string {
  return world.path(number, `/statistic/${world.player(number).name}/add?type=${typeOf[counter]}`);
}

/** What is measured is the top list at that many changes: with fewer, it says nothing. Some may still be under way. */
function tooSlow(runs: readonly Run[]): string | undefined {
  const reached = (["ours", "other"] as const).map((side) => meanDetail(runs, side, "changesPerSecond"));
  const least = Math.min(...reached);
  return least >= pace * 0.9 ? undefined : `only ${Math.round(least)} changes a second were reached`;
}
