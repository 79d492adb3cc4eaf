/** Commands beside other processes that have the data folder open. */
import assert from "node:assert/strict";
import { lstat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connectControl } from "../../../src/control/client.ts";
import { Service } from "../../../src/service.ts";
import { assertLacks } from "../../_setup.ts";
import { CliProcess, execute, serveProcess } from "../_process.ts";
import { type Desk, seededDesk } from "../_setup.ts";

it("a service applies changes of commands at once, keeps their tokens secret, and killed, loses none", async (t) => {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  const { child, base } = await serveProcess(desk);
  const { token, id } = await desk.json<{ token: string; id: string }>("token", "issue", "--player", "Ada");
  const status = async () => (await fetch(`${base}/${token}/event/bomb?startTime=1790000000000`)).status;
  assert.equal(await status(), 200);
  await desk.ok("player", "exclude", "Ada", "--yes");
  assert.equal(await status(), 403);
  await desk.ok("token", "revoke", id);
  assert.equal(await status(), 401);
  await desk.ok("player", "add", "Bob", "--data", "other");
  assert.doesNotMatch(await desk.ok("player", "list"), /Bob/);
  child.signal("SIGKILL");
  assert.equal(await child.ended, "SIGKILL");
  assertLacks(`${child.stdout}${child.stderr}`, token);
  for (const [name, bytes] of await desk.files()) assert.ok(!bytes.includes(token.slice(4)), name);
  assert.match(await desk.ok("token", "list"), /\trevoked\t/);
  assert.match(await desk.ok("call", "/event"), /"bomb": 1790000000000/);
  await desk.ok("player", "add", "Bob");
  // The next service takes over its socket.
  assert.ok((await lstat(join(desk.data, "socket"))).isSocket());
  await desk.serve().shows(/Listening/);
  assert.match(await desk.ok("data", "status"), /^holder +process \d+ serves it/m);
});

it("a command of another version that the service does not know is reported", async (t) => {
  const desk = await seededDesk(t);
  const service = await desk.startService();
  const control = await connectControl(desk.data);
  const former = JSON.parse('"player.delete"');
  await assert.rejects(Promise.resolve(control?.run(former, { player: "Ada" })), {
    code: "UNKNOWN_ENTRY",
    hint: /different versions: restart the service/,
  });
  const later: { label: string } = { ...{ until: "death" }, label: "of a later version" };
  await assert.rejects(service.administer("token.issue", later), /no option "until"/);
  assert.deepEqual(await service.administer("token.list", {}), []);
});

it("completion does not wait for a service that does not answer", async (t) => {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(join(desk.data, "socket"), resolve));
  desk.beforeClear(async () => void silent.close());
  assert.equal(await desk.ok("complete", "--", "player", "show", ""), ":4\n");
});

it("inconsistent records are named by `data verify`, a start and a restore, which do not fail for them", async (t) => {
  const desk = await seededDesk(t);
  await desk.withService(({ store }) =>
    store.change({ who: "system", operation: "test" }, (draft) => {
      for (const uuid of ["1".repeat(32), "2".repeat(32)])
        draft.players.put({ uuid, name: "Ada", administrator: false, registeredAt: 1 });
      draft.memberships.put({ uuid: "1".repeat(32), organisation: "NONE", rank: 1 });
    }),
  );
  const problems = [
    /players 2{32}: the name Ada is also that of the player 1{32}/,
    /memberships NONE\/1{32}: there is no faction or service NONE/,
  ];
  const { exitCode, stdout } = await desk.run(["data", "verify"]);
  assert.equal(exitCode, 1);
  assert.match(stdout, /: 2 problems\.$/m);
  await desk.ok("data", "backup", "b.gz");
  const serving = desk.serve();
  await serving.shows(/Inconsistent records/, serving.stderr);
  assert.equal(await serving.stop(), 0);
  await desk.ok("player", "remove", "2".repeat(32), "--yes");
  const restored = await desk.run(["data", "restore", "b.gz", "--yes"]);
  assert.equal(restored.exitCode, 0, restored.stderr);
  for (const problem of problems)
    for (const text of [stdout, serving.stderr.text]) assert.match(text, problem);
  assert.match(restored.stderr, /warning: players (?:1{32}|2{32}): the name Ada is also that of the player/);
});

describe("while something that does not serve it has the data folder open", () => {
  /** Returns a desk whose folder this process has open, and a function that closes it. */
  async function heldDesk(t: TestContext): Promise<{ desk: Desk; release(): Promise<void> }> {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("token", "issue", "--player", "Ada");
    const service = await Service.open({ folder: desk.data, routes: join(desk.folder, "routes.yaml") });
    const release = () => service.close();
    desk.beforeClear(release);
    return { desk, release };
  }

  it("commands that only read do not wait; the others report it, exit with 1, and change nothing", async (t) => {
    const { desk } = await heldDesk(t);
    const before = await desk.files();
    for (const [line, shown] of [
      ["player list", /^Ada\t/],
      ["player show Ada", /^name +Ada/],
      ["group list", /^CEO\t/],
      ["token list", /\tAda\tvalid\t/],
      ["audit --limit 1", /token\.issue/],
      ["complete -- player show A", /^Ada\n/],
    ] as const)
      assert.match(await desk.ok(...line.split(" ")), shown);
    let now = Date.now();
    // An hour at each look at the clock, so that no command waits for long.
    t.mock.method(Date, "now", () => (now += 3_600_000));
    for (const line of [
      ...["serve --port 0", "player add Bob", "member set Ada POLICE 4", "group add Ada VIP", "seed groups"],
      ...["player exclude Ada --yes", "player remove Ada --yes", "token issue --public", "undo 2"],
      ...["call /wantedreason", "data snapshot", "seed remove group MOD --yes"],
    ]) {
      const stderr = await desk.fails(...line.split(" "));
      assert.ok(stderr.includes(desk.data), stderr);
      assert.match(stderr, /open/);
    }
    const { stdout } = await desk.run(["--json", "player", "exclude", "Ada", "--yes"]);
    assert.equal(JSON.parse(stdout).code, "STORE_UNAVAILABLE");
    assert.deepEqual(await desk.files(), before);
  });

  it("a waiting command runs when the folder is released, and of many at once each makes its change", async (t) => {
    const { desk, release } = await heldDesk(t);
    const child = new CliProcess(desk, ["player", "add", "Bob"]);
    await child.shows("stderr", /^Waiting for process \d+, which has the data folder open …$/m);
    await release();
    assert.equal(await child.ended, 0);
    const names = ["Cleo", "Dan", "Eve"];
    for (const { exitCode, stderr } of await Promise.all(
      names.map((name) => execute(desk, ["player", "add", name])),
    ))
      assert.equal(exitCode, 0, stderr);
    assert.equal((await desk.json<unknown[]>("player", "list")).length, 5);
  });
});
