/** The clients of `/mgmt` and `/mgmt/users`: exact with few, and counted at most once a second with many. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Token } from "../../src/domain/model.ts";
import { ReadyBody } from "../../src/engine/body.ts";
import { type Client, type ClientCount, Clients, mostAtOnce } from "../../src/resources/clients.ts";
import type { Service } from "../../src/service.ts";
import { runs } from "../_depth.ts";
import { type Cleanup, day, openWorld } from "../_setup.ts";

const players = ["Ada", "Bob", "Eve"] as const;

const step = fc.record({
  act: fc.constantFrom("ask", "ask", "wait", "wait", "issue", "revoke", "mark", "delete", "undo", "save"),
  who: fc.constantFrom(...players),
  version: fc.constantFrom("2.5.1", "2.6", undefined),
  /** How far the clock is moved: to the end of a period, just before or after it, and back. */
  milliseconds: fc.constantFrom(1, day, 3 * day - 1, 3 * day, -1, -day),
  expiresIn: fc.constantFrom(undefined, 2 * day, 5 * day),
  /** Whether the clients are compared after this step. */
  counts: fc.boolean(),
});

/** Returns the clients by their definition: players with a valid token. */
function expectedClients({ store, activity }: Service, now: number): Client[] {
  const newest = new Map<string, Token>();
  for (const token of store.data.tokens.values()) {
    const isUsable = token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt);
    if (token.uuid === null || !isUsable) continue;
    const known = newest.get(token.uuid);
    if (known === undefined || token.issuedAt >= known.issuedAt) newest.set(token.uuid, token);
  }
  return Array.from(newest.keys(), (uuid) => {
    const version = activity.versionOf(uuid, now);
    const lastSeen = activity.of(uuid)?.lastSeen;
    const active = lastSeen !== undefined && now - lastSeen < 3 * day;
    const current = version !== null && store.data.versions.get(version)?.current === true;
    return { uuid, active, version, current };
  }).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
}

function clientsIn({ list }: ClientCount): Client[] {
  return JSON.parse(list.for(null).bytes.toString());
}

async function assertCounted(clients: Clients, service: Service, now: number): Promise<void> {
  const expected = expectedClients(service, now);
  const users = new Map<string, number>();
  for (const { version } of expected) if (version !== null) users.set(version, (users.get(version) ?? 0) + 1);
  const count = await clients.at(now);
  assert.equal(count.total, expected.length);
  assert.equal(count.active, expected.filter(({ active }) => active).length);
  assert.deepEqual(count.users, users);
  assert.deepEqual(clientsIn(count), expected);
  assert.equal(count.list.etag, new ReadyBody(expected).etag, "its ETag is that of its bytes");
  for (const version of ["2.5.1", "2.6"]) assert.equal(clients.isUsed(version, now), users.has(version));
}

it("the clients equal their definition, through random events and clock changes", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const world = await openWorld(t);
      const { service, clock } = world;
      const clients = new Clients(service.store.data, service.activity);
      const admin = await world.player("Admin", { administrator: true });
      const tokens = new Map<string, { id: string; token: string }>();
      const issue = async (player: string, details: { addonVersion?: string; expiresIn?: number } = {}) =>
        void tokens.set(player, await service.administer("token.issue", { player, ...details }));
      for (const name of players) {
        await service.administer("player.add", { name, members: [] });
        await issue(name);
      }
      for (const { act, who, version, milliseconds, expiresIn, counts } of steps) {
        const given = tokens.get(who) ?? { id: "", token: "" };
        const headers: Record<string, string> =
          version === undefined ? {} : { "User-Agent": `gameaddon/${version}` };
        const type = expiresIn === undefined ? "add" : "remove";
        const acts: Record<typeof act, () => Promise<unknown>> = {
          ask: () => world.get(given.token, "/player/groups", {}, { headers }),
          wait: async () => clock.advance(milliseconds),
          issue: () =>
            issue(who, {
              ...(version === undefined ? {} : { addonVersion: version }),
              ...(expiresIn === undefined ? {} : { expiresIn }),
            }),
          revoke: () => service.administer("token.revoke", { id: given.id }),
          mark: () => world.get(admin.token, "/mgmt/version", { type, version: "2.6" }),
          delete: () => service.administer("player.remove", { player: who }),
          undo: () => service.administer("undo", { sequence: service.store.sequence }),
          save: () => service.activity.save(service.store),
        };
        // An impossible change is refused and changes nothing.
        await acts[act]().catch(() => {});
        if (counts) await assertCounted(clients, service, clock.time);
      }
      await assertCounted(clients, service, clock.time);
    }),
    { numRuns: runs(60) },
  );
});

function uuidOf(number: number): string {
  return createHash("md5").update(String(number)).digest("hex");
}

/** Returns a service with a number of players who have a token. */
async function openMany(t: Cleanup, count: number) {
  const world = await openWorld(t);
  const { store, activity } = world.service;
  const blank = { label: null, addonVersion: "2.5.1", issuedAt: 0, expiresAt: null, revokedAt: null };
  await store.change({ who: "system", operation: "fill" }, (draft) => {
    for (let number = 0; number < count; number += 1) {
      const uuid = uuidOf(number);
      const hash = createHash("sha256").update(uuid).digest("hex");
      draft.tokens.put({ ...blank, id: String(number), hash, uuid });
    }
  });
  const clients = new Clients(store.data, activity);
  return {
    world,
    ...world,
    at: () => clients.at(world.clock.time),
    /** Reports another version of the first client. */
    report: (version: string) => activity.note(uuidOf(0), version, world.clock.time),
  };
}

/** Returns the version of the first client. */
function versionIn(count: ClientCount): string | null | undefined {
  return clientsIn(count).find(({ uuid }) => uuid === uuidOf(0))?.version;
}

it("the count is exact after every request with 1,000 tokens, one of them public", async (t) => {
  const { at, report } = await openMany(t, mostAtOnce - 1);
  assert.equal((await at()).total, mostAtOnce - 1);
  for (const version of ["2.6", "2.7"]) {
    report(version);
    assert.equal(versionIn(await at()), version);
  }
});

describe("more than 1,000 clients", () => {
  it("are counted once for simultaneous requests, with every client in order", async (t) => {
    const { at, service, clock } = await openMany(t, mostAtOnce + 1);
    const answers = [at(), at(), at()];
    const [count, ...others] = await Promise.all(answers);
    assert.ok(count !== undefined && others.every((other) => other === count));
    assert.deepEqual(clientsIn(count), expectedClients(service, clock.time));
    assert.equal(await at(), count);
  });

  it("are counted again once a second, and nobody waits for that", async (t) => {
    const { at, report, clock } = await openMany(t, mostAtOnce + 1);
    const first = await at();
    for (const version of ["2.6", "2.7"]) {
      report(version);
      assert.equal(await at(), first);
    }
    clock.advance(999);
    assert.equal(await at(), first);
    clock.advance(1);
    assert.equal(await at(), first);
    while ((await at()) === first) await new Promise(setImmediate);
    assert.equal(versionIn(await at()), "2.7");
  });

  it("are waited for by requests two seconds after the last count, and after the clock was set back", async (t) => {
    const { at, report, clock } = await openMany(t, mostAtOnce + 1);
    await at();
    for (const [version, passed] of [
      ["2.6", 2000],
      ["2.7", -1],
    ] as const) {
      report(version);
      clock.advance(passed);
      const answers = [at(), at()];
      const [count, other] = await Promise.all(answers);
      assert.ok(count !== undefined && other === count);
      assert.equal(versionIn(count), version);
    }
  });

  it("are complete and in order if some change during the count, which does not block the event loop", async (t) => {
    const { at, service } = await openMany(t, 5000);
    let turns = 0;
    const counting = at().finally(() => {
      turns = Number.NEGATIVE_INFINITY;
    });
    const removing = service.store.change({ who: "system", operation: "test" }, (draft) => {
      for (let number = 0; number < 5000; number += 2) draft.tokens.delete(String(number));
    });
    for (; turns >= 0 && turns < 2; turns += 1) await new Promise(setImmediate);
    assert.equal(turns, 2, "it takes more than two turns of the event loop");
    await removing;
    const uuids = clientsIn(await counting).map(({ uuid }) => uuid);
    assert.deepEqual(uuids, [...new Set(uuids)].sort());
    for (let number = 1; number < 5000; number += 2) assert.ok(uuids.includes(uuidOf(number)), `${number}`);
  });

  it("are the answers of /mgmt and /mgmt/users, over the network and on the command line", async (t) => {
    const { world, service } = await openMany(t, mostAtOnce + 1);
    const [overview, users] = await Promise.all([
      world.ok(world.publicToken, "/mgmt"),
      world.ok(world.publicToken, "/mgmt/users"),
    ]);
    assert.equal(overview.totalClients, mostAtOnce + 1);
    assert.equal(users.length, mostAtOnce + 1);
    const called = await service.call("/mgmt/users", []);
    assert.deepEqual(await called.json(), users);
  });
});
