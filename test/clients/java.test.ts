/** Tests of the Java example, and of strict Java records that parse the answer of every read. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { onlyInFull } from "../_depth.ts";
import { houseBanReason } from "../_entries.ts";
import {
  assertIncludes,
  assertLacks,
  everyRight,
  openAs,
  openWorld,
  projectFolder,
  temporaryFolder,
  type World,
} from "../_setup.ts";
import { withoutJava } from "./_java.ts";
import { openProxy, run } from "./_setup.ts";

const nobody = "http://127.0.0.1:9";

const classes = await mkdtemp(join(tmpdir(), "gameaddon-java-"));
after(() => rm(classes, { recursive: true, force: true }));

/** The arguments of a short run of Java, and those of the compiler. */
const brief = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"];
const java = [...brief, "-cp", classes];
const javac = [...brief.map((option) => `-J${option}`), "-d", classes];

describe("the Java example", { skip: withoutJava }, () => {
  before(async () => {
    const source = join(projectFolder, "examples", "java", "AddonStart.java");
    await run("javac", [...javac, "--release", "11", "-Xlint:all,-serial", "-Werror", source]);
  });

  /** Runs the example and returns its standard output. */
  async function start(url: string, token: string, folder: string): Promise<string> {
    const env = { ...process.env, GAMEADDON_TOKEN: token, GAMEADDON_FOLDER: folder };
    const { stdout, stderr } = await run("java", [...java, "AddonStart", url, "Ada"], { env });
    assert.equal(stderr, "");
    assertLacks(stdout, token);
    return stdout;
  }

  it("shows the lists, adds a kill, and shows why a change is refused", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const folder = join(await temporaryFolder(t), "addon");
    const { token } = await world.player("Ada");
    const { token: officer } = await world.player("Olga", { members: { POLICE: 5, RESCUE: 5 } });
    await world.ok(officer, "/wantedreason/add", { reason: 'Bank-"robbery"-\\ä😀', points: 60 });
    await world.ok(officer, "/housebanreason/add", { reason: "Smoking", days: 3 });
    await world.ok(officer, "/houseban/add", { name: "Mallory", reason: "Smoking" });
    const first = await start(world.url, token, folder);
    assert.deepEqual(first.split("\n"), [
      "Lists: [player, targetlist, houseban, housebanreason, navipoint, wantedreason, event, top]",
      '  Bank "robbery" \\ä😀: 60 points',
      "  Mallory is banned until 2026-11-24T12:00:00Z",
      "Added one KILL for Ada.",
      "Refused (RESTRICTED): This operation is only for members of the group TARGETLIST.",
      "",
    ]);
    const [file = ""] = await readdir(folder);
    assert.equal(file, "lists-Ada");
    assert.equal((await stat(join(folder, file))).mode & 0o077, 0, "nobody else can read it");
    assertLacks(await readFile(join(folder, file), "utf8"), token);
  });

  it("exchanges the code of an invitation for a token, which it keeps", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const folder = await temporaryFolder(t);
    await world.service.administer("player.add", { name: "Ada" });
    const { invitations } = await world.service.administer("token.invite", { player: "Ada" });
    const env = { ...process.env, GAMEADDON_CODE: invitations[0]?.code, GAMEADDON_FOLDER: folder };
    const { url, seen } = await openProxy(t, world.url, ["lose"]);
    const first = await run("java", [...java, "AddonStart", url, "Ada"], { env });
    assertIncludes(first.stdout, "Added one KILL for Ada.");
    assert.equal((await stat(join(folder, "token-Ada"))).mode & 0o077, 0, "nobody else can read it");
    const token = await readFile(join(folder, "token-Ada"), "utf8");
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 1);
    const { GAMEADDON_CODE: _, ...later } = env;
    const second = await run("java", [...java, "AddonStart", url, "Ada"], { env: later });
    assertIncludes(second.stdout, "Added one KILL for Ada.");
    assert.equal(seen.filter((request) => request.url.includes("/token/claim?addonVersion=2.5.1")).length, 2);
    const refused = await run("java", [...java, "AddonStart", url, "Bob"], { env });
    assert.equal(refused.stdout, "Refused (TOKEN_REVOKED): This invitation has been used.\n");
    for (const { stdout, stderr } of [first, second, refused]) assertLacks(stdout + stderr, token);
  });

  it("shows what changes while it watches, also after the stream has broken off", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const folder = await temporaryFolder(t);
    const { token: officer } = await world.player("Olga", { members: { POLICE: 5 } });
    const { url } = world;
    const env = {
      ...process.env,
      GAMEADDON_TOKEN: world.publicToken,
      GAMEADDON_FOLDER: folder,
      GAMEADDON_WATCH: "1",
    };
    const child = spawn("java", [...java, "AddonStart", url, "Ada"], { env });
    t.after(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text));
    const shows = async (text: string) => {
      while (!output.includes(text)) await once(child.stdout, "data");
    };
    await shows("Gang war: {attacker=0, defender=0}");
    await world.ok(officer, "/wantedreason/add", { reason: "Theft", points: 3 });
    await shows("Changed: [wantedreason]");
    await shows("  Theft: 3 points");
    await world.ok(officer, "/event/gangwar", { attacker: 1, defender: 2 });
    await shows("Gang war: {attacker=1, defender=2}");
    world.service.streams.close();
    await shows("Changed: [everything]");
    await world.ok(officer, "/event/gangwar", { attacker: 2, defender: 2 });
    await shows("Gang war: {attacker=2, defender=2}");
    const [id = ""] = Array.from(world.service.store.data.tokens.values(), (token) =>
      token.uuid === null ? [token.id] : [],
    ).flat();
    await world.service.administer("token.revoke", { id });
    await shows("Refused (TOKEN_REVOKED)");
    await once(child, "close");
  });

  it("sends the ETag of its cached lists, and keeps them if nothing has changed", {
    skip: onlyInFull,
  }, async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const folder = await temporaryFolder(t);
    const { token } = await world.player("Olga", { members: { POLICE: 5 } });
    // Enough to be sent compressed.
    for (let number = 0; number < 30; number += 1) {
      await world.ok(token, "/wantedreason/add", { reason: `Reason-${number}-of-many`, points: number });
    }
    // A public token may not add a kill, which would change the top list.
    const first = await start(world.url, world.publicToken, folder);
    assertIncludes(first, "  Reason 29 of many: 29 points");
    assert.equal(await start(world.url, world.publicToken, folder), `Nothing has changed.\n${first}`);
    assert.deepEqual(
      world.log.filter(({ route }) => route === "/bundle").map(({ status }) => status),
      [200, 304],
    );
  });

  it("shows the cached lists when the service is unreachable", async (t) => {
    const world = await openWorld(t, { transport: "socket" });
    const folder = await temporaryFolder(t);
    const { token } = await world.player("Ada", { members: { POLICE: 5 } });
    assertIncludes(await start(nobody, token, folder), "There are no lists yet: the service is unreachable");
    await world.ok(token, "/wantedreason/add", { reason: "Theft", points: 10 });
    // A damaged file counts as none.
    await writeFile(join(folder, "lists-Ada"), '"etag"\n{"player":[');
    assert.match(await start(world.url, token, folder), /^Lists: \[player,/);
    const away = await start(nobody, token, folder);
    assertIncludes(away, "Showing cached lists: the service is unreachable (ConnectException)");
    assertIncludes(away, "  Theft: 10 points");
    assertIncludes(away, "The change may or may not have arrived: the service is unreachable");
    for (const [head, body, why] of [
      [{ status: 200, headers: { "Content-Type": "text/html" } }, "<html>", "another server answered"],
      [{ status: 403, headers: {} }, '["no"]', "another server answered"],
      [{ status: 429, headers: { "Retry-After": "900" } }, "", "the service is busy (Retry-After: 900)"],
    ] as const) {
      const { url } = await openProxy(t, world.url, [
        (response) => response.writeHead(head.status, head.headers).end(body),
      ]);
      assertIncludes(await start(url, token, folder), `Showing cached lists: ${why}\n`);
    }
  });

  it("refuses a token that no header can contain, without repeating it", async (t) => {
    const env = { ...process.env, GAMEADDON_TOKEN: "gat_a b", GAMEADDON_FOLDER: await temporaryFolder(t) };
    await assert.rejects(
      run("java", [...java, "AddonStart", nobody, "Ada"], { env }),
      ({ code, stderr }: { code: number; stderr: string }) => {
        assert.match(stderr, /^Usage: /);
        assertLacks(stderr, "gat_a");
        return code === 2;
      },
    );
  });

  it("waits after a 429, and shows why it gave up", { skip: onlyInFull }, async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport: "socket", limits: true });
    for (let number = 0; number < 30; number += 1)
      await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    // The clock of the service stands still, so that no attempt succeeds.
    const shown = await start(world.url, token, await temporaryFolder(t));
    assertIncludes(shown, "Refused (RATE_LIMITED): Too many requests: try again in 1 second.");
    const limited = world.log.filter(({ code, route }) => code === "RATE_LIMITED" && route?.endsWith("/add"));
    assert.equal(limited.length, 3);
  });

  it("counts a kill once when its answer is lost", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport: "socket" });
    const busy = (response: { writeHead(status: number): { end(): void } }) => response.writeHead(503).end();
    const { url, seen } = await openProxy(t, world.url, ["pass", "lose", busy]);
    assertIncludes(await start(url, token, await temporaryFolder(t)), "Added one KILL for Ada.");
    assert.ok(seen.length >= 4);
    for (const { url, headers } of seen) {
      assertLacks(url, token);
      assert.equal(headers.authorization, `Bearer ${token}`);
    }
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 1);
  });
});

describe("strict Java records", { skip: withoutJava }, () => {
  before(() => run("javac", [...javac, join(projectFolder, "test", "clients", "StrictReads.java")]));

  /** Asserts that every answer becomes a record. */
  async function assertRead(world: World, token: string, ...options: readonly string[]): Promise<void> {
    const env = { ...process.env, GAMEADDON_TOKEN: token };
    const { stdout } = await run("java", [...java, "StrictReads", world.url, ...options], { env }).catch(
      (error: { stdout: string }) => error,
    );
    const lines = stdout.trimEnd().split("\n");
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("ok ")),
      [],
    );
    assert.ok(lines.includes("ok /bundle"), stdout);
  }

  it("parse every answer of a service without data", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight, { transport: "socket" });
    await assertRead(world, token, "--allow-empty");
  });

  it("parse every answer with extreme values, and with old records that lack fields", async (t) => {
    const { world, token, uuid } = await openAs(
      t,
      "Ada",
      { ...everyRight, addonVersion: "10.20.30.40" },
      { transport: "socket" },
    );
    const longest = `"\\ü${"😀".repeat(61)}`;
    await world.ok(token, "/statistic/Ada/set", { type: "KILL", amount: 2147483647 });
    await world.ok(token, "/targetlist/add", { name: "Ömer" });
    await world.ok(token, "/targetlist/done", { name: "öMER" });
    await world.ok(token, "/player/add", { name: "zoë", group: "VIP" });
    await world.ok(token, "/blacklistreason/GROVE/add", { reason: longest, price: 2147483647, kills: 0 });
    await world.ok(token, "/navipoint/add", {
      name: longest,
      x: "-0.5",
      y: "1e3",
      z: -2147483648,
      article: "der",
    });
    await world.ok(token, "/wantedreason/add", { reason: longest, points: 1000 });
    await world.ok(token, "/event/bomb", { startTime: 0 });
    await world.ok(token, "/mgmt/version", { type: "add", version: "0.1" });
    const lasting = Array.from({ length: 50 }, (_, index) => `Reason-${index}`);
    const creator = { creatorName: null, creatorUUID: null };
    const reasons = lasting.map((reason) => ({ reason, days: 3650, ...creator }));
    await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
      for (const reason of lasting) draft.entries.put(houseBanReason(reason, 3650));
      draft.houseBans.put({ name: "Mallory", uuid: null, startTime: world.clock.time, reasons });
      draft.events.put({ kind: "bankRob", startTime: 8_640_000_000_000_000 });
      draft.counters.put({ name: "requests", value: Number.MAX_SAFE_INTEGER });
      draft.statistics.put({ uuid, deaths: 3, kills: 2147483647, playTime: 1, revives: 0, services: 1 });
    });
    await assertRead(world, token);
  });
});
