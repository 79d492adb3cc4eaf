/** Clients of the addon, their activity, and versions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, day, openAs, openWorld, temporaryFolder, type World } from "../_setup.ts";

interface User {
  readonly uuid: string;
  readonly active: boolean;
  readonly version: string | null;
  readonly current: boolean;
}

/** Returns the client of a player. */
async function userOf(world: World, uuid: string): Promise<User | undefined> {
  const users: User[] = await world.ok(world.publicToken, "/mgmt/users");
  return users.find((user) => user.uuid === uuid);
}

/** Sends a request that reports the client's version. */
function tell(world: World, token: string, userAgent: string) {
  return world.get(token, "/event", {}, { headers: { "User-Agent": userAgent } });
}

describe("/mgmt", () => {
  it("/mgmt answers no clients and no versions at first", async (t) => {
    const world = await openWorld(t);
    const { requests, ...rest } = await world.ok(world.publicToken, "/mgmt");
    assert.equal(typeof requests, "number");
    assert.deepEqual(rest, { totalClients: 0, activeClients: 0, latestVersion: null, versions: [] });
    assert.deepEqual(await world.ok(world.publicToken, "/mgmt/users"), []);
  });

  it("/mgmt counts players with a valid token as clients, but not holders of public tokens", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada");
    await world.service.administer("token.issue", { player: "Ada" });
    await world.service.administer("player.add", { name: "Tokenless" });
    const bob = await world.player("Bob");
    assert.equal((await world.ok(world.publicToken, "/mgmt")).totalClients, 2);
    const [token] = (await world.service.administer("player.show", { player: "Bob" })).tokens;
    await world.service.administer("token.revoke", { id: token?.id ?? "" });
    assert.equal((await world.ok(world.publicToken, "/mgmt")).totalClients, 1);
    assert.equal(await userOf(world, bob.uuid), undefined);
    assert.deepEqual(await userOf(world, ada.uuid), {
      uuid: ada.uuid,
      active: false,
      version: null,
      current: false,
    });
  });

  it("/mgmt counts a client as active if it sent a request in the last 3 days", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada");
    const active = async () => {
      const { activeClients } = await world.ok(world.publicToken, "/mgmt");
      assert.equal((await userOf(world, ada.uuid))?.active, activeClients === 1);
      return activeClients;
    };
    assert.equal(await active(), 0);
    await world.ok(ada.token, "/event");
    assert.equal(await active(), 1);
    world.clock.advance(3 * day - 1);
    assert.equal(await active(), 1);
    world.clock.advance(2);
    assert.equal(await active(), 0);
    await world.get(ada.token, "/navipoint/add");
    assert.equal(await active(), 1, "a request that was refused is one as well");
  });

  it("/mgmt counts all authenticated requests and no others", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada");
    const requests = async (): Promise<number> => (await world.ok(world.publicToken, "/mgmt")).requests;
    const first = await requests();
    assert.equal(await requests(), first + 1);
    await world.ok(ada.token, "/event");
    await world.get(ada.token, "/navipoint/add");
    await world.get(ada.token, "/event/bomb", { startTime: "never" });
    await world.get(`gat_${"A".repeat(43)}`, "/event");
    await world.get(ada.token, "/nowhere");
    assert.equal(await requests(), first + 5);
  });

  it("/mgmt keeps requests, activity and versions across a restart", async (t) => {
    const folder = await temporaryFolder(t);
    const world = await openWorld(t, { folder });
    const ada = await world.player("Ada");
    await tell(world, ada.token, "gameaddon/2.5.1");
    const before = await world.ok(world.publicToken, "/mgmt");
    await world.service.close();
    const again = await openWorld(t, { folder, clock: world.clock });
    const after = await again.ok(again.publicToken, "/mgmt");
    assert.deepEqual(after, { ...before, requests: before.requests + 1 });
    assert.equal((await userOf(again, ada.uuid))?.version, "2.5.1");
  });

  it("/mgmt answers the highest current version, compared number by number", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    const mark = (type: string, version: string) => world.ok(token, "/mgmt/version", { type, version });
    const latest = async () => (await world.ok(token, "/mgmt")).latestVersion;
    for (const [version, expected] of [
      ["2.9", "2.9"],
      ["2.10", "2.10"],
      ["2.9.9", "2.10"],
      ["2.10.0.1", "2.10.0.1"],
      ["10.0", "10.0"],
      ["9.99.99.99", "10.0"],
    ] as const) {
      await mark("add", version);
      assert.equal(await latest(), expected);
    }
    await mark("remove", "10.0");
    assert.equal(await latest(), "9.99.99.99");
    for (const version of ["9.99.99.99", "2.10.0.1", "2.10", "2.9.9"]) await mark("remove", version);
    assert.equal(await latest(), "2.9");
    await mark("remove", "2.9");
    assert.equal(await latest(), null);
  });

  it("/mgmt does not count a version in use as current unless it is marked", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    await world.ok(token, "/mgmt/version", { type: "add", version: "2.5" });
    await world.player("Ada", { addonVersion: "3.0" });
    await world.player("Bob", { addonVersion: "3.0" });
    await world.player("Carl", { addonVersion: "2.5" });
    const { latestVersion, versions } = await world.ok(token, "/mgmt");
    assert.equal(latestVersion, "2.5");
    assert.deepEqual(versions, [
      { version: "3.0", users: 2, current: false },
      { version: "2.5", users: 1, current: true },
    ]);
  });

  it("/mgmt lists marked and used versions, the highest first, compared number by number", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const version of ["2.9", "10.0", "2.10"])
      await world.ok(token, "/mgmt/version", { type: "add", version });
    for (const [name, addonVersion] of Object.entries({ Ada: "2.10.1", Bob: "9.0", Carl: "2.9" })) {
      await world.player(name, { addonVersion });
    }
    const { versions } = await world.ok(token, "/mgmt");
    assert.deepEqual(
      versions.map(({ version }: { version: string }) => version),
      ["10.0", "9.0", "2.10.1", "2.10", "2.9"],
    );
  });
});

describe("/mgmt/users", () => {
  it("/mgmt/users answers each client's UUID, activity, version, and whether that is current", async (t) => {
    const world = await openWorld(t);
    const root = await world.player("Root", { administrator: true });
    const ada = await world.player("Ada", { addonVersion: "2.5.1" });
    const { uuid } = ada;
    const told = { uuid, active: false, version: "2.5.1", current: false };
    assert.deepEqual(await userOf(world, uuid), told);
    await world.ok(root.token, "/mgmt/version", { type: "add", version: "2.5.1" });
    assert.deepEqual(await userOf(world, uuid), { ...told, current: true });
    world.clock.advance(1000);
    await tell(world, ada.token, "gameaddon/2.6.0 (Windows 11)");
    assert.deepEqual(await userOf(world, uuid), { uuid, active: true, version: "2.6.0", current: false });
  });

  it("/mgmt/users ignores a User-Agent without a version of this addon", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { addonVersion: "2.5.1" });
    world.clock.advance(1000);
    for (const userAgent of [
      "Mozilla/5.0",
      "gameaddon",
      "gameaddon/",
      "gameaddon/x",
      "gameaddon/2",
      "gameaddon/1.2.3.4.5",
      "gameaddon/2.6-<script>",
      "mygameaddon/2.6.0",
    ]) {
      await tell(world, ada.token, userAgent);
      assert.equal((await userOf(world, ada.uuid))?.version, "2.5.1", userAgent);
    }
  });

  it("/mgmt/users ignores the User-Agent of a public token", async (t) => {
    const world = await openWorld(t);
    await tell(world, world.publicToken, "gameaddon/2.6.0");
    assert.deepEqual(await world.ok(world.publicToken, "/mgmt/users"), []);
    assert.deepEqual((await world.ok(world.publicToken, "/mgmt")).versions, []);
  });
});

describe("/mgmt/version", () => {
  it("/mgmt/version marks a version as current and as outdated, and lists it from then on", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    const mark = (type: string) => world.ok(token, "/mgmt/version", { type, version: "2.5.1" });
    for (const [type, current] of [
      ["add", true],
      ["add", true],
      ["remove", false],
      ["remove", false],
      ["add", true],
    ] as const) {
      assert.match((await mark(type)).info, /2\.5\.1/);
      const { versions } = await world.ok(token, "/mgmt");
      assert.deepEqual(versions, [{ version: "2.5.1", users: 0, current }]);
    }
  });

  it("/mgmt/version marks a version in use as outdated, and answers 404 for an unknown one", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true, addonVersion: "1.0" });
    await world.ok(token, "/mgmt/version", { type: "remove", version: "1.0" });
    const unknown = await world.get(token, "/mgmt/version", { type: "remove", version: "1.1" });
    assertFailure(unknown, 404, "UNKNOWN_ENTRY");
  });

  it("/mgmt/version accepts versions of two to four numbers separated by dots", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const version of ["0.1", "1.2.3", "1.2.3.4", "10.20.30.40"]) {
      await world.ok(token, "/mgmt/version", { type: "add", version });
    }
    for (const version of [
      "",
      "2",
      "1.2.3.4.5",
      "v1.2",
      "1.",
      ".1",
      "1..2",
      "1.2-beta",
      "1.x",
      "1,2",
      "-1.2",
    ]) {
      const answer = await world.get(token, "/mgmt/version", { type: "add", version });
      assertFailure(answer, 400, "PARAMETER_INVALID", "version");
    }
    const padded = await world.get(token, "/mgmt/version", { type: "add", version: "2.05.1" });
    assertFailure(padded, 400, "PARAMETER_INVALID", "version");
    assert.match(padded.body.info, /without leading zeros/);
    for (const type of ["delete", "current", ""]) {
      const answer = await world.get(token, "/mgmt/version", { type, version: "1.2" });
      assertFailure(answer, 400, "PARAMETER_INVALID", "type");
      assert.match(answer.body.info, /add or remove/);
    }
    assert.equal((await world.ok(token, "/mgmt")).versions.length, 4);
  });
});
