/** Machines that are killed while clients count, and a PostgreSQL that crashes. */
import { it } from "node:test";
import { onlyInFull } from "../../_depth.ts";
import { assertEqual, Counter, startNodes, until } from "./_nodes.ts";
import { Postgres, withoutPostgres } from "./_postgres.ts";

const options = { skip: withoutPostgres || onlyInFull, timeout: 590_000 };
/** In each round two of the three are killed. */
const rounds = 20;
const restarts = 10;

it("machines that are killed lose nothing and count nothing twice", options, async (t) => {
  const world = await startNodes(t, await Postgres.start(t), 3);
  const counter = new Counter(world.token, world.nodes, 12);
  for (let round = 0; round < rounds; round += 1) {
    const before = counter.acknowledged;
    await until(() => counter.acknowledged > before + 20);
    const killed = world.nodes.filter((_, index) => index !== round % 3);
    await Promise.all(killed.map((node) => node.end("SIGKILL")));
    await Promise.all(killed.map((node) => node.start()));
  }
  await counter.stop();
  await assertEqual(world, counter.acknowledged);
});

it("PostgreSQL that crashes loses nothing, and the machines go on by themselves", options, async (t) => {
  const pg = await Postgres.start(t);
  const world = await startNodes(t, pg, 2);
  const counter = new Counter(world.token, world.nodes, 12);
  for (let restart = 0; restart < restarts; restart += 1) {
    const before = counter.acknowledged;
    await until(() => counter.acknowledged > before + 50);
    await pg.stop(restart % 2 === 0 ? "SIGQUIT" : "SIGINT");
    await pg.start();
  }
  const before = counter.acknowledged;
  await until(() => counter.acknowledged > before + 50);
  await counter.stop();
  await assertEqual(world, counter.acknowledged);
});
