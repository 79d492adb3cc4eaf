/** After random changes, answers have their declared shape, and a restart loses nothing. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import * as v from "valibot";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import { Service } from "../../src/service.ts";
import { runs } from "../_depth.ts";
import { assertContract, goodPath, openCallers, operations } from "../_operations.ts";
import { type Cleanup, openWorld, prefix, shippedRoutes, World } from "../_setup.ts";

/** The runs share a world: a smaller case would see other data, so shrinking is off. */
const withoutShrinking = { endOnFailure: true } as const;

/** Runs a function with its own cleanup: each run of a property has its own world. */
async function cleanly(run: (cleanup: Cleanup) => Promise<void>): Promise<void> {
  const steps: (() => unknown)[] = [];
  const after = (step?: unknown): void => {
    if (typeof step === "function") steps.push(step as () => unknown);
  };
  try {
    await run({ after });
  } finally {
    for (const step of steps.toReversed()) await step();
  }
}

/** The reads, with the parameters of a member who may read everything. */
const reads = [
  ...operations.filter(({ changes, parameters }) => !changes && Object.keys(parameters).length === 0),
].map(({ path }) => ({ path, asked: path }));
reads.push(
  { path: "/statistic/{player}", asked: "/statistic/Ada" },
  { path: "/statistic/{player}", asked: "/statistic/constructor" },
  { path: "/blacklistreason/{factionString}", asked: "/blacklistreason/GROVE" },
  { path: "/houseban", asked: "/houseban" },
  { path: "/houseban", asked: "/houseban?advanced=true" },
);

const longs = ["duration", "startTime", "expirationTime", "tokenGenerateTime", "bankRob", "bomb"];

/** Asserts that the whole numbers of an answer fit 32 bits, except instants and durations. */
function assertFits(value: unknown, key = ""): void {
  if (typeof value === "number" && Number.isInteger(value) && !longs.includes(key)) {
    assert.ok(value >= -2147483648 && value <= 2147483647, `${key} is ${value}`);
    assert.ok(!Object.is(value, -0), `${key} is -0`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) assertFits(inner, Array.isArray(value) ? key : name);
  }
}

/** Opens the data of a closed world. */
async function reopened({ folder, clock }: World, cleanup: Cleanup): Promise<World> {
  const log: RequestRecord[] = [];
  const service = await Service.open({
    folder: join(folder, "data"),
    routes: shippedRoutes,
    now: clock.now,
    limits: false,
    observe: (record) => void log.push(record),
  });
  cleanup.after(() => service.close());
  await service.routes.load();
  return new World(folder, clock, service, log, undefined);
}

const changes = fc.array(goodPath(true), { minLength: 1, maxLength: 40 });

describe("after any changes", () => {
  it("after random changes, every read has its declared shape and 32-bit integers", async (t) => {
    const world = await openWorld(t);
    const token = (await openCallers(world)).get("a player with every right");
    const { routes } = await world.service.routes.load();
    const schemaOf = (path: string) => {
      const route = routes.find((known) => known.path === path);
      return route?.operation.answer ?? assert.fail(`${path} has no route`);
    };
    await fc.assert(
      fc.asyncProperty(changes, async (paths) => {
        for (const path of paths) assertContract(await world.request(`${prefix}/${token}${path}`));
        for (const { path, asked } of reads) {
          const { status, body } = await world.request(`${prefix}/${token}${asked}`);
          assert.equal(status, 200, `${asked} ${JSON.stringify(body)}`);
          const result = v.safeParse(schemaOf(path), body);
          assert.ok(
            result.success,
            `${asked} ${JSON.stringify(result.issues?.[0])} in ${JSON.stringify(body)}`,
          );
          assert.deepEqual(result.output, body, `${asked} has more than its shape`);
          assertFits(body);
        }
      }),
      { numRuns: runs(25), ...withoutShrinking },
    );
  });

  it("a repeated random change answers 200 or the same failure, and changes only counters", async (t) => {
    const world = await openWorld(t);
    const token = (await openCallers(world)).get("a player with every right");
    const repeatable = goodPath(true).filter((path) => !/^\/statistic\/.*\/add/.test(path));
    await fc.assert(
      fc.asyncProperty(repeatable, async (path) => {
        const first = await world.request(`${prefix}/${token}${path}`);
        const after = world.snapshot();
        const second = await world.request(`${prefix}/${token}${path}`);
        assert.deepEqual(world.snapshot(), after);
        const removal = /\/remove\?/.test(path) || first.status !== 200;
        assert.equal(second.status, removal ? (first.status === 200 ? 404 : first.status) : 200, path);
      }),
      { numRuns: runs(300), ...withoutShrinking },
    );
  });

  for (const snapshot of [false, true]) {
    it(`a restart from ${snapshot ? "a snapshot" : "the journal"} has the same data`, async () => {
      const run = fc.asyncProperty(changes, changes, (before, between) =>
        cleanly(async (cleanup) => {
          const first = await openWorld(cleanup);
          const token = (await openCallers(first)).get("a player with every right");
          const change = async (world: World, paths: readonly string[]) => {
            for (const path of paths) assertContract(await world.request(`${prefix}/${token}${path}`));
          };
          const answers = async (world: World) => {
            const bodies = [];
            for (const { asked } of reads.filter(({ path }) => path !== "/mgmt"))
              bodies.push((await world.request(`${prefix}/${token}${asked}`)).body);
            return { data: world.snapshot(), bodies };
          };
          await change(first, before);
          const atFirst = await answers(first);
          await first.service.close({ snapshot });
          const second = await reopened(first, cleanup);
          assert.deepEqual(await answers(second), atFirst);
          await change(second, between);
          const atSecond = await answers(second);
          await second.service.close({ snapshot: !snapshot });
          assert.deepEqual(await answers(await reopened(second, cleanup)), atSecond);
        }),
      );
      await fc.assert(run, { numRuns: runs(6) });
    });
  }
});
