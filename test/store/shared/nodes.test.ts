/** Two machines that share a journal in PostgreSQL. */
import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { onlyInFull } from "../../_depth.ts";
import { Counter, journalLines, kills, settled, startNodes, until } from "./_nodes.ts";
import { Postgres, withoutPostgres } from "./_postgres.ts";

const options = { skip: withoutPostgres, timeout: 120_000 };

it("what one machine acknowledges, the other answers and refuses by", options, async (t) => {
  const world = await startNodes(t, await Postgres.start(t), 2);
  const { token } = world;
  const [one, other] = world.nodes as [(typeof world.nodes)[0], (typeof world.nodes)[0]];

  await t.test("a read can ask for at least the changes that another answer had", async () => {
    const added = await one.ask(token, "/statistic/Ada/add?type=KILL");
    assert.equal(added.status, 200);
    const headers = { "Addon-At-Least": String(added.sequence) };
    const read = await other.ask(token, "/statistic/Ada", headers);
    assert.equal(read.body.gameplay.kills, 1);
    assert.ok(read.sequence >= added.sequence);
    const ahead = await other.ask(token, "/event", { "Addon-At-Least": String(added.sequence + 1000) });
    assert.deepEqual([ahead.status, ahead.body.code], [503, "STORE_UNAVAILABLE"]);
    const wrong = await other.ask(token, "/event", { "Addon-At-Least": "soon" });
    assert.deepEqual([wrong.status, wrong.body.code], [400, "PARAMETER_INVALID"]);
  });

  await t.test("an Idempotency-Key holds on both", async () => {
    const headers = { "Idempotency-Key": "one-key" };
    for (const node of [one, other, one])
      assert.equal((await node.ask(token, "/statistic/Ada/add?type=KILL", headers)).status, 200);
    await settled(world);
    for (const node of [one, other]) assert.equal(await kills(node, token), 2);
  });

  await t.test("both add at once, and nothing is lost or counted twice", async () => {
    const before = await kills(one, token);
    const counter = new Counter(token, world.nodes, 16);
    await until(() => counter.acknowledged >= 400);
    await counter.stop();
    const sequence = await settled(world);
    for (const node of [one, other]) assert.equal(await kills(node, token), before + counter.acknowledged);
    const lines = await journalLines(one, sequence - 300);
    assert.equal(lines.length, 301);
    assert.deepEqual(await journalLines(other, sequence - 300), lines);
  });

  await t.test("commands on either see and undo the changes of both", async () => {
    await one.command("player", "add", "Bo");
    await until(async () => (await other.command("player", "list")).includes("Bo"));
    await other.command("group", "add", "Bo", "VIP");
    await until(async () => (await one.command("group", "list")).includes("Bo"));
    const [line = ""] = (await one.command("audit", "--operation", "group.add", "--limit", "1")).split("\n");
    await one.command("undo", /\d+/.exec(line)?.[0] ?? "", "--yes");
    await until(async () => !(await other.command("group", "list")).includes("Bo"));
    const status = JSON.parse(await other.command("--json", "journal", "status"));
    assert.equal(status.nodes.length, 2);
  });

  await t.test("a roster of a thousand is one change on both", async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => `P${index},,GROVE:1,,`);
    const file = await one.desk.write(
      "r.csv",
      ["name,uuid,organisations,groups,administrator", ...rows].join("\n"),
    );
    await one.command("roster", "apply", file, "--yes");
    await until(async () => (await other.command("player", "list", "--json")).includes("P999"));
  });

  await t.test("each says whether the other has another route table", async () => {
    const table = `${await readFile(join(one.desk.folder, "routes.yaml"), "utf8")}# Other\n`;
    await one.desk.write("routes.yaml", table);
    await one.command("routes", "reload");
    await until(async () => /differs from that of/.test((await other.ready()).remark));
    await other.desk.write("routes.yaml", table);
    await other.command("routes", "reload");
    for (const node of [one, other]) await until(async () => (await node.ready()).remark === undefined);
  });

  await t.test("a token that one revokes is void on the other", async () => {
    await one.command("token", "revoke", "--player", "Ada", "--yes");
    await until(async () => (await other.ask(token, "/event")).status === 401);
  });

  await t.test("a machine that was stopped catches up, and a new one begins with the data", async () => {
    await other.end();
    await one.command("player", "add", "Cy");
    await other.start();
    assert.match(await other.command("player", "list"), /\bCy\b/);
    assert.equal((await other.ready()).changes, true);
  });
});

it("a folder is refused where it would leave or fork the journal", options, async (t) => {
  const pg = await Postgres.start(t);
  const world = await startNodes(t, pg, 1);
  const [one] = world.nodes as [(typeof world.nodes)[0]];
  await one.end();
  assert.match(
    await one.desk.fails("player", "add", "Bo"),
    /is a copy of a journal that several machines share/,
  );
  assert.match(await one.desk.fails("journal", "init", pg.url), /is a copy of a journal/);
  // Whoever lost the answer of PostgreSQL repeats the command.
  await rm(join(one.desk.data, "shared-journal"));
  assert.match(await one.desk.ok("journal", "init", pg.url), /^Created the shared journal/);
  assert.match(await one.desk.fails("journal", "init", pg.url), /is a copy of a journal/);
  const { seededDesk } = await import("../../cli/_setup.ts");
  const own = await seededDesk(t);
  assert.match(await own.fails("--journal", pg.url, "player", "add", "Bo"), /has data that .* does not have/);
  assert.match(await own.fails("journal", "init", pg.url), /^error: postgres:\S+ has a journal already\.$/m);
  const secret = pg.url.replace("postgres@", "postgres:hunter2@");
  const refused = await own.misused("--journal", secret, "player", "list");
  assert.match(refused, /expected no password/);
  assert.doesNotMatch(refused, /hunter2/);
});

it("a machine raises the version of the journal, and changes no newer one", {
  ...options,
  skip: withoutPostgres || onlyInFull,
}, async (t) => {
  const pg = await Postgres.start(t);
  const world = await startNodes(t, pg, 1);
  const [one] = world.nodes as [(typeof world.nodes)[0]];
  const version = () =>
    pg.query(async (sql) => (await sql`select journal_version as version from gameaddon.head`)[0]?.version);
  const setVersion = (to: number) =>
    pg.query((sql) => sql`update gameaddon.head set journal_version = ${to}`);
  const own = await version();
  await one.end();
  await setVersion(1);
  await one.start();
  assert.equal(await version(), own);
  await setVersion(own + 1);
  await until(async () => (await one.ask(world.token, "/statistic/Ada/add?type=KILL")).status === 503);
  assert.match(JSON.stringify(await one.ready()), /a newer version of the program writes it/);
  assert.equal((await one.ask(world.token, "/event")).status, 200);
});
