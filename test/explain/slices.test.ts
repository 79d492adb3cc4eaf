/** Comparing tables serves requests in between: with every slice over, each step lets the event loop run. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { cohortsOf } from "../../src/explain/cohorts.ts";
import { compareTables } from "../../src/explain/comparison.ts";
import { checkRoutes } from "../../src/operations.ts";
import { openWorld, shippedRoutes, type World } from "../_setup.ts";

/** Returns how many turns of the event loop pass until some work is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let turns = 0;
  while (!isDone) {
    await new Promise(setImmediate);
    turns += 1;
  }
  await done;
  return turns;
}

const players = 8;

it("comparing tables lets the event loop run between players and decisions", async (t) => {
  const world: World = await openWorld(t);
  for (let number = 0; number < players; number += 1)
    await world.player(`P${number}`, { members: { GROVE: number + 1, BALLAS: number + 1 } });
  const { data } = world.service.store;
  const vocabulary = world.service.vocabulary();
  const shipped = await readFile(shippedRoutes, "utf8");
  const [before, after] = [
    shipped,
    shipped.replaceAll("{ faction: $factionString, rank: 4 }", "administrators"),
  ].map((text) => {
    const { table } = checkRoutes(text, vocabulary);
    return { file: "routes.yaml", table: table ?? assert.fail("the table has faults") };
  });
  assert.ok(before !== undefined && after !== undefined);
  // Each look at the clock finds the slice over.
  let time = 0;
  const clock = t.mock.method(performance, "now", () => {
    time += 1000;
    return time;
  });
  const grouping = await turnsOf(cohortsOf(data, new Set()));
  assert.ok(grouping >= players, `${grouping} turns for ${players} players`);
  const { routes } = await compareTables(before, after, data, vocabulary);
  assert.ok(routes.length >= 2);
  const decisions = routes.length * vocabulary.faction.length * players;
  const comparing = await turnsOf(compareTables(before, after, data, vocabulary));
  assert.ok(comparing >= grouping + decisions, `${comparing} turns for ${decisions} decisions`);
  clock.mock.restore();
});
