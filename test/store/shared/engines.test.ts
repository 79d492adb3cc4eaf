/** What only PostgreSQL can do to a shared journal. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { it } from "node:test";
import postgres from "postgres";
import { onlyInFull } from "../../_depth.ts";
import { journalOf } from "./_databases.ts";
import { Counter, journalLines, kills, Node, settled, startNodes, until } from "./_nodes.ts";
import { Postgres, withoutPostgres } from "./_postgres.ts";

const options = { skip: withoutPostgres, timeout: 590_000 };
const long = { ...options, skip: withoutPostgres || onlyInFull };
const addition = "/statistic/Ada/add?type=KILL";

it("a synchronous standby that is promoted has everything that was acknowledged", long, async (t) => {
  const primary = await Postgres.start(t);
  const standby = await primary.startStandby(t);
  const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
  const url = `postgres://postgres@${hosts}/postgres`;
  const world = await startNodes(t, primary, 2, [], url);
  const counter = new Counter(world.token, world.nodes, 8);
  await until(() => counter.acknowledged > 200);
  await primary.stop("SIGQUIT");
  standby.promote();
  const before = counter.acknowledged;
  await until(() => counter.acknowledged > before + 100);
  await counter.stop();
  await settled(world);
  for (const node of world.nodes) assert.equal(await kills(node, world.token), counter.acknowledged);
});

const canMount = () => {
  try {
    execFileSync("unshare", ["--mount", "true"], { stdio: "ignore" });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
};

it("while the disk of PostgreSQL is full nothing is changed, and changes go on when there is room", {
  ...long,
  skip: long.skip || (!canMount() && "a small disk cannot be mounted"),
}, async (t) => {
  const pg = await Postgres.start(t, { disk: "160m" });
  const world = await startNodes(t, pg, 1);
  const [one] = world.nodes as [Node];
  assert.equal((await one.ask(world.token, addition)).status, 200);
  pg.fill();
  // Until the tables need another page, additions still fit.
  let refused = await one.ask(world.token, addition);
  let acknowledged = 1;
  for (; refused.status === 200; acknowledged += 1) refused = await one.ask(world.token, addition);
  assert.match(refused.body.code, /^(?:STORE_UNAVAILABLE|OUTCOME_UNKNOWN)$/);
  assert.equal((await one.ask(world.token, "/event")).status, 200);
  pg.empty();
  await until(async () => (await one.ask(world.token, addition)).status === 200);
  const found = await kills(one, world.token);
  const unknown = refused.body.code === "OUTCOME_UNKNOWN" ? 1 : 0;
  assert.ok(found >= acknowledged + 1 && found <= acknowledged + 1 + unknown, `${found} of ${acknowledged}`);
});

it("a new machine catches up with all changes", long, async (t) => {
  const pg = await Postgres.start(t);
  const world = await startNodes(t, pg, 1, ["--log-requests", "none"]);
  const [one] = world.nodes as [Node];
  const counter = new Counter(world.token, world.nodes, 64);
  await until(() => counter.acknowledged > 20_000);
  await counter.stop();
  const { emptyDesk } = await import("../../cli/_setup.ts");
  const other = new Node(await emptyDesk(t), pg.url, []);
  await other.start();
  const all = await journalLines(one, 100);
  assert.deepEqual(await journalLines(other, 100), all);
});

it("a machine is shown, and reads go on, while a synchronous standby is lost", options, async (t) => {
  const pg = await Postgres.start(t);
  const { sequencer } = await journalOf(pg.url.replace(/\/postgres$/, ""), "folder", {}, Date.now);
  t.after(() => sequencer.close());
  await pg.query(async (sql) => {
    await sql`alter system set synchronous_standby_names = 'lost'`;
    await sql`select pg_reload_conf()`;
    await until(async () => /lost/.test(JSON.stringify(await sql`show synchronous_standby_names`)));
  });
  assert.deepEqual(await sequencer.report({ sequence: 7, table: "abc" }), []);
  assert.equal((await sequencer.state()).head.sequence, 0);
});

it("a bulk change whose connection is lost changes nothing, and the next one is made", options, async (t) => {
  const pg = await Postgres.start(t);
  const { sequencer } = await journalOf(pg.url.replace(/\/postgres$/, ""), "folder", {}, Date.now);
  t.after(() => sequencer.close());
  const start = { sequence: 0, chain: 0 };
  const batch = { head: { sequence: 1, chain: 7 }, pieces: [Buffer.from("1"), Buffer.from("2")] };
  const isIdle = "state = 'idle in transaction'";
  const lost = await sequencer.hold();
  await pg.query((sql) =>
    sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where ${isIdle}`),
  );
  await until(async () => {
    const [row] = await pg.query((sql) => sql.unsafe(`select from pg_stat_activity where ${isIdle}`));
    return row === undefined;
  });
  await assert.rejects(lost.append(start, batch));
  assert.equal((await sequencer.state()).head.sequence, 0);
  const held = await sequencer.hold();
  assert.equal(await held.append(start, batch), "appended");
  assert.deepEqual((await sequencer.state()).head, batch.head);
});

it("a snapshot is taken if it is 10,000 changes ahead, unless another is being taken", options, async (t) => {
  const pg = await Postgres.start(t);
  const { sequencer } = await journalOf(pg.url.replace(/\/postgres$/, ""), "folder", {}, Date.now);
  t.after(() => sequencer.close());
  const newestAfter = async (sequence: number, pieces: AsyncIterable<Buffer>) => {
    await sequencer.offerSnapshot({ sequence, chain: 0 }, pieces);
    return (await sequencer.snapshot()).head.sequence;
  };
  async function* quickly() {
    yield Buffer.from("1");
  }
  async function* meanwhile() {
    assert.equal(await newestAfter(20_000, quickly()), 0);
    yield* quickly();
  }
  assert.equal(await newestAfter(9_999, quickly()), 0);
  assert.equal(await newestAfter(10_000, meanwhile()), 10_000);
});

it("the third snapshot deletes batches of 30 days ago that the second one has", options, async (t) => {
  const pg = await Postgres.start(t);
  const { sequencer } = await journalOf(pg.url.replace(/\/postgres$/, ""), "folder", {}, Date.now);
  t.after(() => sequencer.close());
  const sql = postgres(sequencer.name, { max: 1 });
  t.after(() => sql.end());
  for (const [sequence, days] of [
    [9_999, 31],
    [10_000, 29],
    [10_001, 31],
  ] as const) {
    await sql`
      insert into gameaddon.batches (sequence, part, first, lines, appended)
      values (${sequence}, 0, ${sequence}, '', now() - make_interval(days => ${days}))`;
  }
  async function* pieces() {
    yield Buffer.from("1");
  }
  const left = async (sequence: number) => {
    await sequencer.offerSnapshot({ sequence, chain: 0 }, pieces());
    return Array.from(
      await sql`select sequence::int from gameaddon.batches order by 1`,
      (row) => row.sequence,
    );
  };
  assert.deepEqual(await left(10_000), [9_999, 10_000, 10_001]);
  assert.deepEqual(await left(20_000), [10_000, 10_001]);
});
