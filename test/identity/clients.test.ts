/** The running counts of clients, compared with a fresh count through random events. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Token } from "../../src/domain/model.ts";
import { type Client, Clients } from "../../src/identity/clients.ts";
import type { Service } from "../../src/service.ts";
import { runs } from "../_depth.ts";
import { day, openWorld } from "../_setup.ts";

const players = ["Ada", "Bob", "Eve"] as const;

const step = fc.record({
  act: fc.constantFrom("ask", "ask", "wait", "wait", "issue", "revoke", "mark", "delete", "undo", "save"),
  who: fc.constantFrom(...players),
  version: fc.constantFrom("2.5.1", "2.6", undefined),
  /** How far the clock is moved: to the end of a period, just before or after it, and back. */
  milliseconds: fc.constantFrom(1, day, 3 * day - 1, 3 * day, -1, -day),
  expiresIn: fc.constantFrom(undefined, 2 * day, 5 * day),
  /** Whether the counts are compared after this step. */
  counts: fc.boolean(),
});

/** Returns the clients by the contract's definition (section 3): players with a valid token. */
function freshCount({ store, activity }: Service, now: number): Client[] {
  const newest = new Map<string, Token>();
  for (const token of store.data.tokens.values()) {
    const isUsable = token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt);
    if (token.uuid === null || !isUsable) continue;
    const known = newest.get(token.uuid);
    if (known === undefined || token.issuedAt >= known.issuedAt) newest.set(token.uuid, token);
  }
  return Array.from(newest, ([uuid, token]) => {
    const version = activity.versionOf(uuid, token);
    const lastSeen = activity.of(uuid)?.lastSeen;
    const active = lastSeen !== undefined && now - lastSeen < 3 * day;
    const current = version !== null && store.data.versions.get(version)?.current === true;
    return { uuid, active, version, current };
  }).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
}

function assertCounted(clients: Clients, service: Service, now: number): void {
  const expected = freshCount(service, now);
  const users = new Map<string, number>();
  for (const { version } of expected) if (version !== null) users.set(version, (users.get(version) ?? 0) + 1);
  const before = clients.version;
  assert.deepEqual(clients.at(now), {
    total: expected.length,
    active: expected.filter(({ active }) => active).length,
    users,
  });
  assert.deepEqual(clients.list(), expected);
  const [first] = expected;
  assert.deepEqual(clients.list(1, first?.uuid), expected.slice(1, 2));
  assert.ok(clients.version >= before, "its version only grows");
}

it("the counts of clients equal a fresh count, through random events and clock changes", async (t) => {
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
      assertCounted(clients, service, clock.time);
      let shown = JSON.stringify(clients.list());
      let shownVersion = clients.version;
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
          undo: () => service.undo(service.store.sequence),
          save: () => service.activity.save(service.store),
        };
        // An impossible change is refused and changes nothing.
        await acts[act]().catch(() => {});
        if (!counts) continue;
        assertCounted(clients, service, clock.time);
        const now = JSON.stringify(clients.list());
        if (now !== shown)
          assert.notEqual(clients.version, shownVersion, "its version grows with each change");
        shown = now;
        shownVersion = clients.version;
      }
      assertCounted(clients, service, clock.time);
    }),
    { numRuns: runs(60) },
  );
});

it("a client expires in time after obsolete entries were removed from the queue", async (t) => {
  const { service, clock } = await openWorld(t);
  const clients = new Clients(service.store.data, service.activity);
  clients.at(clock.time);
  await service.administer("player.add", { name: "Ada", members: [] });
  // Each of these leaves an entry until the end of its token, in years; beyond 1,000 they are dropped.
  for (let number = 0; number < 1100; number += 1) {
    const { id } = await service.administer("token.issue", { player: "Ada", expiresIn: 900 * day - number });
    await service.administer("token.revoke", { id });
  }
  await service.administer("token.issue", { player: "Ada", expiresIn: day });
  assertCounted(clients, service, clock.time);
  clock.advance(day);
  assertCounted(clients, service, clock.time);
});
