/** What machines that share a journal do when one of them, PostgreSQL or the network fails. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { it, type TestContext } from "node:test";
import { PostgresSequencer } from "../../../src/store/shared/postgres.ts";
import { onlyInFull } from "../../_depth.ts";
import { journalOf } from "./_databases.ts";
import { assertEqual, Counter, kills, Node, settled, startNodes, until, type World } from "./_nodes.ts";
import { Postgres, withoutPostgres } from "./_postgres.ts";

const options = { skip: withoutPostgres, timeout: 590_000 };
const long = { ...options, skip: withoutPostgres || onlyInFull };
const faketime = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
  .map((triple) => `/usr/lib/${triple}/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path));
const addition = "/statistic/Ada/add?type=KILL";

it("a stopped PostgreSQL stops no reads, and a change is unknown in two seconds", options, async (t) => {
  const pg = await Postgres.start(t);
  const world = await startNodes(t, pg, 2);
  const [one] = world.nodes as [Node];
  const { token } = world;
  pg.signal("SIGSTOP");
  const headers = { "Idempotency-Key": "first" };
  const first = one.ask(token, addition, headers);
  await until(async () => (await one.ask(token, "/event")).status === 200);
  assert.equal((await first).body.code, "OUTCOME_UNKNOWN");
  const began = performance.now();
  const later = await one.ask(token, addition);
  assert.equal(later.body.code, "STORE_UNAVAILABLE");
  assert.ok(performance.now() - began < 1000, "it is refused at once");
  const { status, changes, reason } = await one.ready();
  assert.deepEqual([status, changes], ["ready", false]);
  assert.match(reason, /shared journal/);
  pg.signal("SIGCONT");
  await until(async () => (await one.ask(token, addition, headers)).status === 200);
  await settled(world);
  for (const node of world.nodes) assert.equal(await kills(node, token), 1);
});

it("a machine that is stopped holds nobody up, and catches up", options, async (t) => {
  const world = await startNodes(t, await Postgres.start(t), 2);
  const [one, other] = world.nodes as [Node, Node];
  const everywhere = new Counter(world.token, world.nodes, 8);
  await until(() => everywhere.acknowledged > 20);
  other.process?.signal("SIGSTOP");
  const here = new Counter(world.token, [one], 8);
  await until(() => here.acknowledged > 200);
  other.process?.signal("SIGCONT");
  await Promise.all([everywhere.stop(), here.stop()]);
  await assertEqual(world, everywhere.acknowledged + here.acknowledged);
});

it("PostgreSQL that has gone back in time stops changes, and soon all answers", long, async (t) => {
  const pg = await Postgres.start(t);
  const world = await startNodes(t, pg, 2, ["--max-staleness", "5"]);
  const [one, other] = world.nodes as [Node, Node];
  await pg.stop("SIGINT");
  execFileSync("cp", ["-a", pg.data, `${pg.data}-old`]);
  await pg.start();
  await until(async () => (await one.ask(world.token, addition)).status === 200);
  const sequence = await settled(world);
  await pg.stop("SIGINT");
  rmSync(pg.data, { recursive: true });
  execFileSync("cp", ["-a", `${pg.data}-old`, pg.data]);
  await pg.start();
  for (const node of [one, other]) {
    await node.process?.shows(
      "stderr",
      new RegExp(`ends with change ${sequence - 1}.*has the changes up to ${sequence}`, "s"),
    );
    assert.equal((await node.ask(world.token, addition)).body.code, "STORE_UNAVAILABLE");
    await until(async () => (await node.ask(world.token, "/event")).status === 503);
    assert.match((await node.ready()).reason, /ends with change/);
  }
});

it("a machine without contact stops answering, and goes on by itself", options, async (t) => {
  const pg = await Postgres.start(t);
  const world = await startNodes(t, pg, 1, ["--max-staleness", "5"]);
  const [one] = world.nodes as [Node];
  await pg.stop("SIGINT");
  await until(async () => (await one.ask(world.token, "/event")).status === 503);
  const { status, reason } = await one.ready();
  assert.equal(status, "unfit");
  assert.match(reason, /no answer from the shared journal for \d+ seconds: .*(ECONNREFUSED|shutting down)/);
  await one.process?.shows(
    "stderr",
    /no answer from the shared journal.*Every request with a token is refused/,
  );
  await pg.start();
  await until(async () => (await one.ask(world.token, "/event")).status === 200);
  assert.equal((await one.ask(world.token, addition)).status, 200);
});

it("a machine whose clock is off by more than a minute does not answer", {
  ...options,
  skip: long.skip || (faketime === undefined && "libfaketime is not installed"),
}, async (t) => {
  const world = await startNodes(t, await Postgres.start(t), 2);
  const [, other] = world.nodes as [Node, Node];
  await other.end();
  await other.start(["env", `LD_PRELOAD=${faketime}`, "FAKETIME=+70s", "FAKETIME_DONT_FAKE_MONOTONIC=1"]);
  assert.equal((await other.ask(world.token, "/event")).body.code, "STORE_UNAVAILABLE");
  assert.match((await other.ready()).reason, /clock of this machine is (?:69|70) seconds off/);
  assert.match(other.process?.stderr ?? "", /clock of this machine is (?:69|70)\d\d\d ms off/);
});

it("a machine that is cut off from PostgreSQL catches up when the network is back", long, async (t) => {
  const pg = await Postgres.start(t);
  const network = await startNetwork(t, pg.port);
  const world = await startNodes(t, pg, 1);
  const [one] = world.nodes as [Node];
  const { emptyDesk } = await import("../../cli/_setup.ts");
  const other = new Node(await emptyDesk(t), pg.url.replace(String(pg.port), String(network.port)), []);
  await other.start();
  const both = { ...world, nodes: [one, other] };
  network.cut();
  const headers = { "Idempotency-Key": "cut-off" };
  const unknown = await other.ask(world.token, addition, headers);
  assert.match(unknown.body.code, /^(?:OUTCOME_UNKNOWN|STORE_UNAVAILABLE)$/);
  assert.equal((await one.ask(world.token, addition)).status, 200);
  network.mend();
  await until(async () => (await other.ask(world.token, addition, headers)).status === 200);
  await assertKills(both, 2);
});

it(
  "a change is made on another connection if only its own is lost, and says why where PostgreSQL only reads",
  long,
  async (t) => {
    const pg = await Postgres.start(t);
    const network = await startNetwork(t, pg.port);
    const url = pg.url.replace(String(pg.port), String(network.port));
    const world = await startNodes(t, pg, 1, [], url);
    const [one] = world.nodes as [Node];
    // A statement that is new to its connection is lost between two messages.
    const { sequencer } = await journalOf(url.replace(/\/postgres$/, ""), "folder", {}, Date.now);
    t.after(() => sequencer.close());
    network.lose("lost change");
    const batch = { head: { sequence: 1, chain: 7 }, pieces: [Buffer.from("lost change")] };
    await assert.rejects(
      sequencer.append({ sequence: 0, chain: 0 }, batch),
      /connection to PostgreSQL was lost/,
    );
    network.lose("statistic.add");
    const headers = { "Idempotency-Key": "lost" };
    assert.equal((await one.ask(world.token, addition, headers)).body.code, "OUTCOME_UNKNOWN");
    await until(async () => (await one.ask(world.token, addition, headers)).status === 200);
    await assertKills(world, 1);
    await pg.query((sql) => sql`alter database postgres set default_transaction_read_only = on`);
    await pg.stop("SIGINT");
    await pg.start();
    await until(async () => /read-only transaction/.test((await one.ready()).reason));
    assert.equal((await one.ask(world.token, addition)).body.code, "STORE_UNAVAILABLE");
  },
);

it("a machine that is lost in the middle of a bulk change holds nobody up for ever", long, async (t) => {
  const pg = await Postgres.start(t);
  const network = await startNetwork(t, pg.port);
  const { sequencer: sound } = await journalOf(pg.url.replace(/\/postgres$/, ""), "bulk", {}, Date.now);
  const lost = new PostgresSequencer(sound.name.replace(String(pg.port), String(network.port)), "lost");
  t.after(() => Promise.all([sound.close(), lost.close()]));
  network.lose("the end of it");
  const start = { sequence: 0, chain: 0 };
  const pieces = ["begin", `${"x".repeat(1_000_000)}the end of it`].map((text) => Buffer.from(text));
  const bulk = lost.append(start, { head: { sequence: 2, chain: 7 }, pieces });
  await assert.rejects(bulk, /connection to PostgreSQL was lost/);
  const batch = { head: { sequence: 1, chain: 8 }, pieces: [Buffer.from("next")] };
  assert.equal(await sound.append(start, batch), "appended");
});

async function assertKills(world: World, expected: number): Promise<void> {
  await settled(world);
  for (const node of world.nodes) assert.equal(await kills(node, world.token), expected);
}

/** Passes connections on to a port, until it is cut: then bytes vanish, as behind a broken switch. */
async function startNetwork(t: TestContext, port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  let losing: string | undefined;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.on("data", (bytes) => {
        if (losing !== undefined && bytes.includes(losing)) {
          losing = undefined;
          for (const lost of [client, upstream])
            lost
              .removeAllListeners()
              .on("error", () => {})
              .resume();
        } else if (!isCut) to.write(bytes);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
    },
    /** Loses the next connection on which a text is sent, silently and for good. */
    lose: (text: string) => {
      losing = text;
    },
  };
}
