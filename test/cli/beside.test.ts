/**
 * Commands beside other processes on the same data folder. A running service runs them, with the same result as without;
 * if another process has the folder open, a command waits, and finally reports that (contract, section 4).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connectControl } from "../../src/control/client.ts";
import { Service } from "../../src/service.ts";
import { running } from "./_data.ts";
import { CliProcess, execute, serveProcess } from "./_process.ts";
import { type Desk, type FailureDocument, type IssuedDocument, seededDesk, tokenForm } from "./_setup.ts";

const uuid = "069a79f444e94726a5befca90e38aaf5";

/** Commands in an order in which each can run, and some that fail; their output is deterministic. */
const script = [
  `player add Ada --uuid ${uuid} --member GROVE:4 --admin`,
  `player add Ada --uuid ${uuid}`,
  "player add Ada --uuid 853c80ef3c3749fdaa49938b674adae6",
  "player list",
  "member set Ada POLICE 4",
  "member remove Ada RESCUE",
  "member remove Ada GROVE",
  "member set Ada GROOVE 1",
  "admin list",
  "admin revoke Ada",
  "admin grant Adda",
  "group add Ada VIP",
  "group add Stranger TARGETLIST",
  "group add Ada TARGETLST",
  "group list",
  "group remove Ada VIP",
  "call /wantedreason/add reason=Theft points=10 --as Ada",
  "call /wantedreason/add reason=50%-off+A&B points=1",
  "call /wantedreason",
  "call /blacklistreason/GROVE --as Ada",
  "call /wantedreason/add reason=Theft points=11",
  "call /targetlist --as Nobody",
  "call /wantedreson",
  "--json call /wantedreason",
  "--json group list",
  "--json player show Nobody",
  "player exclude Ada --yes",
  "call /wantedreason --as Ada",
  "player readmit Ada",
  "player reset-statistic Ada",
  "token revoke nope",
  "token list",
  "seed groups",
  "seed groups none.yaml",
  "routes list",
  "routes check",
  "player rename Ada Countess",
  "player rename Countess ADA",
  "player remove Ada --yes",
  "player list",
];

/** Runs the script. Returns its output without the folder's name and the request ids. */
async function transcriptOf(desk: Desk): Promise<string[]> {
  const transcript: string[] = [];
  for (const line of script) {
    const { exitCode, stdout, stderr } = await desk.run(line.split(" "));
    const said = `${stdout}${stderr}`.replaceAll(desk.folder, "").replace(/[0-9a-f-]{36}/g, "");
    transcript.push(`$ ${line}\n${exitCode} ${said}`);
  }
  return transcript;
}

/** Returns a desk with a player, and a process that serves its folder. */
async function servedDesk(t: TestContext) {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--uuid", uuid);
  return { desk, ...(await serveProcess(desk)) };
}

describe("while a service runs on the data folder", () => {
  it("when a command runs, its output and exit code are the same as without the service", async (t) => {
    const alone = await seededDesk(t);
    const served = await seededDesk(t);
    // A first start issues a public token: both folders have one, and the script lists no tokens.
    await serveProcess(served);
    const withoutTokens = (lines: string[]) => lines.filter((line) => !line.startsWith("$ token list"));
    assert.deepEqual(withoutTokens(await transcriptOf(served)), withoutTokens(await transcriptOf(alone)));
  });

  it("when a command of another version runs an unknown operation, it reports that", async (t) => {
    const desk = await seededDesk(t);
    await running(desk);
    const control = await connectControl(desk.data);
    const former = JSON.parse('"player.delete"');
    await assert.rejects(Promise.resolve(control?.administer(former, { player: "Ada" })), {
      code: "UNKNOWN_ENTRY",
      message: /"player\.delete"/,
      hint: /different versions: restart the service/,
    });
  });

  it("when a change is made by a command, a request sees it at once", async (t) => {
    const { desk, base, token } = await servedDesk(t);
    await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10");
    const answer = await fetch(`${base}/${token}/wantedreason`);
    assert.deepEqual(await answer.json(), [{ reason: "Theft", points: 10 }]);
  });

  it("when a token is issued or revoked by a command, requests with it are answered accordingly", async (t) => {
    const { desk, base } = await servedDesk(t);
    const { token, id } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    const url = `${base}/${token}/event/bomb?startTime=1790000000000`;
    assert.equal((await fetch(url)).status, 200);
    await desk.ok("token", "revoke", id);
    assert.equal((await fetch(url)).status, 401);
  });

  it("when a player is excluded by a command, the next request is refused", async (t) => {
    const { desk, base } = await servedDesk(t);
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    assert.equal((await fetch(`${base}/${token}/event`)).status, 200);
    await desk.ok("player", "exclude", "Ada", "--yes");
    assert.equal((await fetch(`${base}/${token}/event`)).status, 403);
  });

  it("when a token is issued through the service, it is in no log and in no file", async (t) => {
    const { desk, child } = await servedDesk(t);
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    assert.ok(!`${child.stdout}${child.stderr}`.includes(token));
    for (const [name, bytes] of await desk.files()) assert.ok(!bytes.includes(token.slice(4)), name);
  });

  it("when the service stops, the changes of commands through it remain", async (t) => {
    const { desk, child } = await servedDesk(t);
    await desk.ok("member", "set", "Ada", "GROVE", "4");
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    assert.match(await desk.ok("player", "show", "Ada"), /GROVE:4/);
  });

  it("when the service has been killed, commands open the folder themselves", async (t) => {
    const { desk, child } = await servedDesk(t);
    await desk.ok("member", "set", "Ada", "GROVE", "4");
    child.signal("SIGKILL");
    await child.ended;
    assert.match(await desk.ok("player", "show", "Ada"), /GROVE:4/);
    await desk.ok("player", "add", "Bob");
  });

  it("when the folder is served a second time, that fails, and changes nothing", async (t) => {
    const { desk, open, base } = await servedDesk(t);
    const before = await desk.files();
    const { exitCode, stdout, stderr } = await execute(desk, ["serve", "--port", "0"]);
    assert.deepEqual([exitCode, stdout], [1, ""]);
    assert.ok(stderr.includes(desk.data), stderr);
    assert.ok(stderr.includes(new URL(base).origin), stderr);
    assert.doesNotMatch(stderr, tokenForm);
    assert.deepEqual(await desk.files(), before);
    assert.equal((await fetch(open)).status, 200);
  });

  it("when another folder is given, the service does not matter", async (t) => {
    const { desk } = await servedDesk(t);
    await desk.ok("seed", "groups", "--data", "other");
    await desk.ok("player", "add", "Bob", "--data", "other");
    assert.doesNotMatch(await desk.ok("player", "list"), /Bob/);
  });
});

/** Commands that only read the data, with a part of their output. */
const looks = new Map([
  ["player list", /^Ada\t/m],
  ["player show Ada", /Ada/],
  ["group list", /^TARGETLIST\t/m],
  ["admin list", /^$/],
  ["token list", /^[0-9a-f]{8}\tAda\tvalid\t/],
]);

/** Every other command on the data; each waits only for the folder. */
const commands = [
  "serve --port 0",
  ...script.filter((line) => !line.startsWith("--json") && !/none\.yaml|GROOVE|Adda|TARGETLST/.test(line)),
  "token issue --public",
  "token issue --player Ada",
].filter((line) => !looks.has(line));

describe("while something else has the data folder open", () => {
  /** Returns a desk whose folder is open in this process, which does not serve it, and a function that closes it. */
  async function heldDesk(t: TestContext): Promise<{ desk: Desk; release(): Promise<void> }> {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    await desk.ok("token", "issue", "--player", "Ada");
    const service = await Service.open({ folder: desk.data, routes: join(desk.folder, "routes.yaml") });
    const release = () => service.close();
    desk.beforeClear(release);
    return { desk, release };
  }

  /** Advances the clock by an hour at each call, so that no timeout takes long. */
  function hurryClock(t: TestContext): void {
    let now = Date.now();
    t.mock.method(Date, "now", () => (now += 3_600_000));
  }

  it("when a command only reads, it does not wait, shows the saved data, and changes nothing", async (t) => {
    const { desk } = await heldDesk(t);
    const before = await desk.files();
    for (const [command, shown] of looks) assert.match(await desk.ok(...command.split(" ")), shown);
    assert.deepEqual(await desk.files(), before);
  });

  it("when the folder is not released, every other command reports that, exits with 1, and changes nothing", async (t) => {
    const { desk } = await heldDesk(t);
    const before = await desk.files();
    hurryClock(t);
    for (const command of commands) {
      const stderr = await desk.fails(...command.split(" "));
      assert.ok(stderr.includes(desk.data), stderr);
      assert.match(stderr, /open/);
    }
    assert.deepEqual(await desk.files(), before);
  });

  it("when the folder is not released, --json reports that in one document", async (t) => {
    const { desk } = await heldDesk(t);
    hurryClock(t);
    const failure = await desk.failsAs<FailureDocument>("player", "exclude", "Ada", "--yes");
    assert.equal(failure.code, "STORE_UNAVAILABLE");
    assert.ok(failure.info.includes(desk.data));
  });

  it("when the folder is released, a waiting command runs", async (t) => {
    const { desk, release } = await heldDesk(t);
    const child = new CliProcess(desk, ["player", "add", "Bob"]);
    await release();
    assert.equal(await child.ended, 0);
    assert.match(await desk.ok("player", "list"), /Bob/);
  });

  it("when many commands change the folder at once, each makes its change", async (t) => {
    const desk = await seededDesk(t);
    const names = ["Ada", "Bob", "Cleo", "Dan", "Eve"];
    const ran = await Promise.all(names.map((name) => execute(desk, ["player", "add", name])));
    for (const { exitCode, stderr } of ran) {
      // On a busy machine, a command may wait long enough to report it.
      assert.match(stderr, /^(?:Waiting for \S+ .*\n)?$/);
      assert.equal(exitCode, 0);
    }
    const players = await desk.json<{ name: string }[]>("player", "list");
    assert.deepEqual(
      players.map(({ name }) => name),
      names,
    );
  });
});
