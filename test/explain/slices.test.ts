/** Comparing tables serves requests in between: with every slice over, each step lets the event loop run. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { cohortsOf } from "../../src/explain/cohorts.ts";
import { compareTables } from "../../src/explain/comparison.ts";
import { checkRoutes } from "../../src/operations.ts";
import { openWorld, shippedRoutes } from "../_setup.ts";

/** Returns how many turns of the event loop pass until some work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  void work.finally(() => {
    isDone = true;
  });
  for (; !isDone; turns += 1) await new Promise(setImmediate);
  await work;
  return turns;
}

const players = 8;

it("comparing tables lets the event loop run between players and decisions", async (t) => {
  const world = await openWorld(t);
  for (let number = 0; number < players; number += 1)
    await world.player(`P${number}`, { members: { GROVE: number + 1, BALLAS: number + 1 } });
  const { data } = world.service.store;
  const vocabulary = world.service.vocabulary();
  const text = await readFile(shippedRoutes, "utf8");
  const source = (restriction: string) => {
    const { table } = checkRoutes(
      text.replaceAll("{ faction: $factionString, rank: 4 }", restriction),
      vocabulary,
    );
    return { file: "routes.yaml", table: table ?? assert.fail("the table has faults") };
  };
  const [before, after] = [source("{ faction: $factionString, rank: 4 }"), source("administrators")];
  // Each look at the clock finds the slice over.
  let time = 0;
  const clock = t.mock.method(performance, "now", () => {
    time += 1000;
    return time;
  });
  const grouping = await turnsOf(cohortsOf(data, [], Date.now()));
  assert.ok(grouping >= players, `${grouping} turns for ${players} players`);
  const { routes } = await compareTables(before, after, data, vocabulary);
  assert.ok(routes.length >= 2);
  const decisions = routes.length * vocabulary.faction.length * players;
  const comparing = await turnsOf(compareTables(before, after, data, vocabulary));
  assert.ok(comparing >= grouping + decisions, `${comparing} turns for ${decisions} decisions`);
  clock.mock.restore();
});
