/**
 * The token, exclusion and restriction of a change are checked again when it is decided. In these tests an earlier change of the same batch affects the caller's rights.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { findInconsistencies } from "../../src/backup/consistency.ts";
import { wantedKey } from "../_entries.ts";
import { HeldChanges } from "../_held-changes.ts";
import {
  type Answered,
  assertFailure,
  day,
  everyRight,
  openAs,
  openWorld,
  shippedRoutes,
  type World,
} from "../_setup.ts";

const addReason = ["/wantedreason/add", { reason: "Theft", points: 10 }] as const;

function hasReason(world: World): boolean {
  return world.service.store.data.entries.has(wantedKey("Theft"));
}

/** Returns the id of a player's token, or of the public one. */
function tokenId({ service }: World, uuid: string | null): string {
  const { tokens } = service.store.data;
  const found = Array.from(tokens.values()).find((token) => token.uuid === uuid);
  assert.ok(found !== undefined, "the token exists");
  return found.id;
}

/** Decides both changes in one batch, in this order. */
async function inOneBatch<A, B>(
  t: TestContext,
  { service }: World,
  first: () => Promise<A>,
  second: () => Promise<B>,
): Promise<[A, B]> {
  const held = new HeldChanges(t, service);
  const { outcome: one } = await held.submit(first);
  const { outcome: two } = await held.submit(second);
  await held.release();
  return [await one, await two];
}

interface Loss {
  readonly name: string;
  readonly lose: (world: World, uuid: string) => Promise<unknown>;
  readonly status: number;
  readonly code: string;
}

const losses: readonly Loss[] = [
  {
    name: "loses the token",
    lose: (world, uuid) => world.service.administer("token.revoke", { id: tokenId(world, uuid) }),
    status: 401,
    code: "TOKEN_REVOKED",
  },
  {
    name: "is excluded",
    lose: ({ service }) => service.administer("group.add", { player: "Ada", group: "BLACKLIST" }),
    status: 403,
    code: "EXCLUDED",
  },
  {
    name: "is demoted",
    lose: ({ service }) =>
      service.administer("member.set", { player: "Ada", organisation: "POLICE", rank: 3 }),
    status: 403,
    code: "RESTRICTED",
  },
  {
    name: "leaves the service",
    lose: ({ service }) => service.administer("member.remove", { player: "Ada", organisation: "POLICE" }),
    status: 403,
    code: "RESTRICTED",
  },
  {
    name: "is unregistered",
    lose: ({ service }) => service.administer("player.remove", { player: "Ada" }),
    status: 401,
    code: "TOKEN_UNKNOWN",
  },
];

describe("a change of a caller", () => {
  for (const { name, lose, status, code } of losses) {
    it(`a change is refused with ${code} if its caller ${name} earlier in the batch`, async (t) => {
      const { world, token, uuid } = await openAs(t, "Ada", { members: { POLICE: 4 } });
      const [, answer] = await inOneBatch(
        t,
        world,
        () => lose(world, uuid),
        () => world.get(token, ...addReason),
      );
      assertFailure(answer, status, code);
      assert.equal(hasReason(world), false);
      assert.equal(world.log.at(-1)?.code, code);
      if (code === "RESTRICTED") assert.ok(world.log.at(-1)?.reason !== undefined, "the log has the reason");
    });

    it(`a change is accepted if its caller ${name} later in the batch`, async (t) => {
      const { world, token, uuid } = await openAs(t, "Ada", { members: { POLICE: 4 } });
      const [answer] = await inOneBatch(
        t,
        world,
        () => world.get(token, ...addReason),
        () => lose(world, uuid),
      );
      assert.equal(answer.status, 200);
      assert.equal(hasReason(world), true);
    });
  }

  it("a change is refused if its caller leaves the required group earlier in the batch", async (t) => {
    const { world, token } = await openAs(t, "Ada", { groups: ["TARGETLIST"] });
    const [, answer] = await inOneBatch(
      t,
      world,
      () => world.service.administer("group.remove", { player: "Ada", group: "TARGETLIST" }),
      () => world.get(token, "/targetlist/add", { name: "Mallory" }),
    );
    assertFailure(answer, 403, "RESTRICTED");
    assert.equal(world.service.store.data.targets.size, 0);
  });

  for (const [kind, name, code, path, query] of [
    ["group", "MOD", "UNKNOWN_GROUP", "/player/add", { name: "Bob", group: "MOD" }],
    [
      "faction",
      "GROVE",
      "UNKNOWN_FACTION",
      "/blacklistreason/GROVE/add",
      { reason: "Betrayal", price: 1, kills: 1 },
    ],
  ] as const) {
    it(`the operator's change is refused if its ${kind} is removed earlier in the batch`, async (t) => {
      const world = await openWorld(t);
      const [, answer] = await inOneBatch(
        t,
        world,
        () => world.service.administer("seed.remove", { kind, name }),
        () =>
          world.service.call(
            path,
            Object.entries(query).map(([key, value]) => [key, String(value)]),
          ),
      );
      assert.equal(answer.status, 404);
      assert.equal(((await answer.json()) as { code: string }).code, code);
      assert.deepEqual(await findInconsistencies(world.service.store.data), []);
    });
  }

  it("a change is refused by a restriction that depends on a parameter", async (t) => {
    const { world, token } = await openAs(t, "Ada", { members: { GROVE: 4 } });
    const query = { reason: "Betrayal", price: 1, kills: 1 };
    const [, answer] = await inOneBatch(
      t,
      world,
      () => world.service.administer("member.set", { player: "Ada", organisation: "GROVE", rank: 3 }),
      () => world.get(token, "/blacklistreason/GROVE/add", query),
    );
    assertFailure(answer, 403, "RESTRICTED");
    assert.equal(world.service.store.data.entries.size, 0);
  });

  it("a change is refused if its token expires before it is decided", async (t) => {
    const world = await openWorld(t);
    await world.player("Ada", everyRight);
    const { token } = await world.service.administer("token.issue", { player: "Ada", expiresIn: day });
    const held = new HeldChanges(t, world.service);
    const { outcome } = await held.submit(() => world.get(token, ...addReason));
    world.clock.advance(day);
    await held.release();
    assertFailure(await outcome, 401, "TOKEN_EXPIRED");
    assert.equal(hasReason(world), false);
  });

  it("a change is refused if its public token is revoked earlier in the batch", async (t) => {
    const world = await openWorld(t);
    const [, answer] = await inOneBatch(
      t,
      world,
      () => world.service.administer("token.revoke", { id: tokenId(world, null) }),
      () => world.get(world.publicToken, "/event/gangwar", { attacker: 1, defender: 2 }),
    );
    assertFailure(answer, 401, "TOKEN_REVOKED");
    assert.equal(world.service.store.data.scores.size, 0);
  });

  it("a change by the operator is never denied", async (t) => {
    const world = await openWorld(t);
    const response = await world.service.call("/wantedreason/add", [
      ["reason", "Theft"],
      ["points", "10"],
    ]);
    assert.equal(response.status, 200);
  });
});

describe("a change that the operator makes as a player", () => {
  const asAda = ({ service }: World) =>
    service.call(
      "/wantedreason/add",
      [
        ["reason", "Theft"],
        ["points", "10"],
      ],
      "Ada",
    );

  for (const { name, lose, code } of losses.filter((loss) => loss.code !== "TOKEN_REVOKED")) {
    it(`the operator's change as a player is refused if that player ${name} earlier`, async (t) => {
      const { world, uuid } = await openAs(t, "Ada", { members: { POLICE: 4 } });
      const [, response] = await inOneBatch(
        t,
        world,
        () => lose(world, uuid),
        () => asAda(world),
      );
      const expected = code === "TOKEN_UNKNOWN" ? "UNKNOWN_PLAYER" : code;
      assert.match(await response.text(), new RegExp(`"code":"${expected}"`));
      assert.equal(hasReason(world), false);
    });
  }
});

describe("a repeated change with an Idempotency-Key", () => {
  it("a repeated change is refused, not answered from storage, after its caller is excluded", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    const repeated = (): Promise<Answered> =>
      world.get(token, "/statistic/Ada/add", { type: "KILL" }, { headers: { "Idempotency-Key": "k-1" } });
    assert.equal((await repeated()).status, 200);
    const [, answer] = await inOneBatch(
      t,
      world,
      () => world.service.administer("group.add", { player: "Ada", group: "BLACKLIST" }),
      repeated,
    );
    assertFailure(answer, 403, "EXCLUDED");
  });
});

describe("an operator's change that is decided after a reload of the route table", () => {
  /** Holds a change back until a table with another text is in force. */
  async function decidedAfterReload<T>(
    t: TestContext,
    edit: (table: string) => string,
    ask: (world: World) => Promise<T>,
  ): Promise<{ world: World; outcome: Promise<T> }> {
    const text = await readFile(shippedRoutes, "utf8");
    const world = await openWorld(t, { routes: text });
    const held = new HeldChanges(t, world.service);
    const { outcome } = await held.submit(() => ask(world));
    outcome.catch(() => {});
    await writeFile(world.service.routes.file, edit(text));
    assert.equal((await world.service.routes.reload()).changed, true);
    await held.release();
    return { world, outcome };
  }

  it("an operator cannot remove a name that a table refers to since its reload", async (t) => {
    const { world, outcome } = await decidedAfterReload(
      t,
      (table) => table.replaceAll("group: TARGETLIST", "group: BETA"),
      ({ service }) => service.administer("seed.remove", { kind: "group", name: "BETA" }),
    );
    await assert.rejects(outcome, { code: "CONFLICT", message: /\/targetlist\/add/ });
    assert.ok(world.service.vocabulary().group.includes("BETA"));
  });

  it("an operator excludes a player by the group of the table reloaded meanwhile", async (t) => {
    const { world, outcome } = await decidedAfterReload(
      t,
      (table) => table.replace("excluded: { group: BLACKLIST }", "excluded: { group: BETA }"),
      ({ service }) => service.administer("player.exclude", { player: "Mallory" }),
    );
    await outcome;
    const groups = Array.from(world.service.store.data.groupMembers.values(), ({ group }) => group);
    assert.deepEqual(groups, ["BETA"]);
  });
});
