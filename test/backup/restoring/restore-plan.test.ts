/** The plan of a restore: which records it adds, changes and removes, and which of the present ones stay. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Overlay } from "../../../src/backup/overlay.ts";
import { RestorePlan } from "../../../src/backup/restore-plan.ts";
import { model, type Named, type Target, type Token } from "../../../src/domain/model.ts";
import { Database } from "../../../src/store/collection.ts";
import { wantedKey, wantedReason } from "../../_entries.ts";

type Records = Readonly<Record<string, readonly unknown[]>>;

const [ada, bob, cleo] = ["a".repeat(32), "b".repeat(32), "c".repeat(32)] as const;
const player = (uuid: string, name: string) => ({ uuid, name, administrator: false, registeredAt: 1 });

function token(id: string, uuid: string | null, rest: Partial<Token> = {}): Token {
  const unused = { label: null, addonVersion: null, issuedAt: 1, expiresAt: null, revokedAt: null };
  return { id, hash: "0".repeat(64), uuid, ...unused, ...rest };
}

function fill(database: Database<typeof model>, records: Records): Database<typeof model> {
  for (const [name, all] of Object.entries(records)) {
    const collection = database.collection(name);
    for (const record of all) collection.set(collection.definition.key(record), record);
  }
  return database;
}

/** Plans the restore of some records into a folder with others. */
async function planOf(
  present: Records,
  source: Records,
  { tokens = false, revoked = {}, sequence = 100 }: PlanOptions = {},
) {
  const database = fill(new Database(model), present);
  const overlay = new Overlay(database.view);
  fill(overlay.begin(), source);
  await overlay.end();
  const revocations = tokens ? new Map(Object.entries(revoked)) : undefined;
  const plan = new RestorePlan(database.view, overlay, sequence, revocations);
  return { plan, overlay };
}

interface PlanOptions {
  readonly tokens?: boolean;
  readonly revoked?: Readonly<Record<string, number>>;
  readonly sequence?: number;
}

/** Returns each change as `[collection, key, before, after]`. */
async function changesOf(...given: Parameters<typeof planOf>) {
  const { plan } = await planOf(...given);
  return (await plan.changes()).map(({ collection, key, before, after }) => [collection, key, before, after]);
}

describe("a restore of records", () => {
  it("adds, changes and removes them, and leaves equal ones alone", async () => {
    const present = {
      entries: [wantedReason("Same", 1), wantedReason("Changed", 1), wantedReason("Removed", 1)],
    };
    const source = {
      entries: [wantedReason("Same", 1), wantedReason("Changed", 2), wantedReason("Added", 1)],
    };
    const changes = await changesOf(present, source);
    assert.deepEqual(
      changes.sort(([, a], [, b]) => String(a).localeCompare(String(b))),
      [
        ["entries", wantedKey("Added"), null, wantedReason("Added", 1)],
        ["entries", wantedKey("Changed"), wantedReason("Changed", 1), wantedReason("Changed", 2)],
        ["entries", wantedKey("Removed"), wantedReason("Removed", 1), null],
      ],
    );
  });

  it("leaves bookkeeping alone, whether the source has it or not", async () => {
    const repetition = { scope: "operator", key: "k", request: "0".repeat(64), info: "Done.", instant: 1 };
    const present = {
      activity: [{ uuid: ada, lastSeen: 5, version: null }],
      counters: [{ name: "requests", value: 7 }],
      repetitions: [repetition],
    };
    const source = {
      activity: [{ uuid: bob, lastSeen: 1, version: "1.0" }],
      counters: [{ name: "requests", value: 3 }],
    };
    assert.deepEqual(await changesOf(present, source), []);
    assert.deepEqual(await changesOf(source, present), []);
  });
});

it("a restore leaves invitations alone, except those of players whom it removes", async () => {
  const unused = { hash: "0".repeat(64), issuedAt: 1, expiresAt: 9, revokedAt: null, token: null };
  const invitation = (uuid: string) => ({ uuid, ...unused, formerToken: null, usedAt: null });
  const present = {
    players: [player(ada, "Ada"), player(bob, "Bob")],
    invitations: [{ ...invitation(ada), usedAt: 5 }, invitation(bob)],
  };
  const source = {
    players: [player(ada, "Ada"), player(cleo, "Cleo")],
    invitations: [invitation(ada), invitation(cleo)],
  };
  for (const tokens of [false, true]) {
    const changes = await changesOf(present, source, { tokens });
    assert.deepEqual(
      changes.filter(([collection]) => collection === "invitations"),
      [["invitations", bob, invitation(bob), null]],
    );
  }
});

describe("a restore without tokens", () => {
  const present = {
    players: [player(ada, "Ada"), player(bob, "Bob")],
    tokens: [
      token("adas", ada),
      token("bobs", bob),
      token("public", null),
      token("lost", cleo),
      token("revoked", null, { revokedAt: 5 }),
    ],
  };
  const source = {
    players: [player(ada, "Ada")],
    tokens: [
      token("adas", ada, { label: "earlier" }),
      token("older", null),
      token("adas-older", ada),
      token("revoked", null),
      token("old-revoked", null, { revokedAt: 3 }),
    ],
  };

  it("removes only the tokens of players who are not in the source", async () => {
    const changes = await changesOf(present, source);
    assert.deepEqual(changes, [
      ["players", bob, player(bob, "Bob"), null],
      ["tokens", "bobs", token("bobs", bob), null],
      ["tokens", "lost", token("lost", cleo), null],
    ]);
  });

  it("keeps the token of a player who is only in the source", async () => {
    const withCleo = { players: [...present.players, player(cleo, "Cleo")] };
    assert.deepEqual(await changesOf(present, withCleo), [["players", cleo, null, player(cleo, "Cleo")]]);
  });

  it("counts the valid tokens of the source that are not present", async () => {
    const { plan } = await planOf(present, source);
    assert.equal(plan.tokensLeftOut, 2);
  });

  it("has the remaining tokens in its result, each once", async () => {
    const { result } = (await planOf(present, source)).plan;
    assert.deepEqual(
      [...result.tokens.values()],
      [token("adas", ada), token("public", null), token("revoked", null, { revokedAt: 5 })],
    );
    assert.deepEqual(
      ["adas", "bobs", "older", "lost", "nowhere"].map((id) => result.tokens.has(id)),
      [true, false, false, false, false],
    );
    assert.equal(result.tokens.get("bobs"), undefined);
    assert.equal(result.tokens.get("older"), undefined);
  });
});

describe("a restore with tokens", () => {
  const label = (text: string, revokedAt: number | null = null) => ({ label: text, revokedAt });
  const now = (revokedAt: number | null = null) => token("t", null, label("now", revokedAt));
  const then = (revokedAt: number | null = null) => token("t", null, label("then", revokedAt));

  for (const [what, present, source, revoked, result] of [
    ["adds a token that was removed since", [], [then()], {}, then()],
    ["adds a token that was revoked and removed since as revoked", [], [then()], { t: 5 }, then(5)],
    ["adds a revoked token with its own instant", [], [then(3)], { t: 5 }, then(3)],
    ["removes a token that was added since", [now()], [], {}, undefined],
    ["keeps a token that was added and revoked since", [now(7)], [], { t: 7 }, now(7)],
    ["changes a token back", [now()], [then()], {}, then()],
    ["changes a token back, but it stays revoked", [now(7)], [then()], { t: 7 }, then(7)],
    ["revokes a token that was revoked then", [now()], [then(3)], {}, then(3)],
    ["keeps the later revocation of a token that was revoked then", [now(7)], [then(3)], { t: 7 }, then(7)],
    [
      "revokes a token that both have, if the journal has its revocation",
      [then()],
      [then()],
      { t: 5 },
      then(5),
    ],
    ["does not create a token of which there is only the revocation", [], [], { t: 5 }, undefined],
  ] as const) {
    it(what, async () => {
      const options = { tokens: true, revoked };
      const { plan } = await planOf({ tokens: present }, { tokens: source }, options);
      const [before] = present;
      const change = { collection: "tokens", key: "t", before: before ?? null, after: result ?? null };
      const isChange = JSON.stringify(change.before) !== JSON.stringify(change.after);
      assert.deepEqual(await plan.changes(), isChange ? [change] : []);
      const { tokens } = plan.result;
      assert.deepEqual([...tokens.values()], result === undefined ? [] : [result]);
      assert.deepEqual([tokens.get("t"), tokens.has("t")], [result, result !== undefined]);
      assert.equal(plan.tokensLeftOut, 0);
    });
  }

  it("removes a player's token with the player, unless the source has the token", async () => {
    const present = { players: [player(ada, "Ada")], tokens: [token("new", ada), token("old", ada)] };
    const source = { players: [], tokens: [token("old", ada)] };
    assert.deepEqual(await changesOf(present, source, { tokens: true }), [
      ["players", ada, player(ada, "Ada"), null],
      ["tokens", "new", token("new", ada), null],
    ]);
  });

  it("keeps the tokens of players who are in both, if the source has them", async () => {
    const both = { players: [player(ada, "Ada")], tokens: [token("t", ada)] };
    assert.deepEqual(await changesOf(both, both, { tokens: true }), []);
  });
});

describe("a restore of names", () => {
  const named = (kind: Named["kind"], name: string, position: number): Named => ({ name, kind, position });
  const namesOf = async (present: readonly Named[], source: readonly Named[]) => {
    const { plan } = await planOf({ names: present }, { names: source });
    return [...plan.result.names.values()];
  };

  for (const [what, present, source, expected] of [
    [
      "never removes one, and those that the source lacks come last in their kind",
      [named("group", "B", 0), named("faction", "G", 0), named("group", "C", 1)],
      [named("group", "A", 0), named("group", "Z", 1), named("faction", "F", 0)],
      [named("group", "B", 2), named("faction", "G", 1), named("group", "C", 3)],
    ],
    [
      "keeps a position that is free",
      [named("service", "P", 7), named("service", "Q", 3)],
      [named("service", "R", 2), named("service", "S", 1)],
      [named("service", "P", 7), named("service", "Q", 8)],
    ],
    [
      "keeps a group that has the name of a faction or a service of the source",
      [named("group", "F", 0), named("group", "S", 1)],
      [named("faction", "F", 0), named("service", "S", 0)],
      [named("group", "F", 0), named("group", "S", 1)],
    ],
  ] as const) {
    it(what, async () => assert.deepEqual(await namesOf(present, source), [...source, ...expected]));
  }

  it("changes the spelling and the position of one that both have", async () => {
    const present = [named("group", "ceo", 4), named("group", "DEV", 5)];
    const source = [named("group", "CEO", 0), named("group", "DEV", 1)];
    assert.deepEqual(await namesOf(present, source), source);
    assert.deepEqual(await changesOf({ names: present }, { names: source }), [
      ["names", "group/ceo", named("group", "ceo", 4), named("group", "CEO", 0)],
      ["names", "group/dev", named("group", "DEV", 5), named("group", "DEV", 1)],
    ]);
  });

  it("removes a faction that is a service in the source, and the reverse, but no group of that name", async () => {
    const present = [named("faction", "Rescue", 0), named("service", "GROVE", 0), named("group", "GROVE", 0)];
    const source = [named("service", "RESCUE", 0), named("faction", "Grove", 0)];
    assert.deepEqual(await namesOf(present, source), [...source, named("group", "GROVE", 0)]);
    assert.deepEqual(await changesOf({ names: present }, { names: source }), [
      ["names", "service/rescue", null, named("service", "RESCUE", 0)],
      ["names", "faction/grove", null, named("faction", "Grove", 0)],
      ["names", "faction/rescue", named("faction", "Rescue", 0), null],
      ["names", "service/grove", named("service", "GROVE", 0), null],
    ]);
  });

  it("changes nothing where both have the same", async () => {
    const names = [named("group", "A", 0), named("faction", "F", 0), named("service", "S", 0)];
    assert.deepEqual(await changesOf({ names }, { names }), []);
  });
});

describe("a restore of a target list", () => {
  const target = (name: string, listed: number): Target => ({ name, uuid: null, done: false, listed });
  const targetsOf = (listed: readonly number[]) => listed.map((number, index) => target(`T${index}`, number));
  const numbersOf = async (sequence: number, listed: readonly number[], present: readonly number[] = []) => {
    const { plan } = await planOf(
      { targets: targetsOf(present) },
      { targets: targetsOf(listed) },
      { sequence },
    );
    const targets = Array.from(plan.result.targets.values());
    return targets.map((target) => [target.name, "listed" in target && target.listed]).sort();
  };

  for (const [what, listed, expected, present] of [
    ["with numbers before the next change keeps them", [3, 9, 5], [3, 9, 5], []],
    ["whose last number is that of the last change keeps them", [3, 10, 5], [3, 10, 5], []],
    ["with later numbers moves them before the next change, in their order", [20, 11, 8], [10, 1, -2], []],
    ["that is one number too late moves all by one", [11, 4], [10, 3], []],
    ["in the present order changes nothing, whatever its numbers are", [11, 4], [9, 2], [9, 2]],
    ["in the present order changes nothing, also of the own past", [8, 4], [9, 2], [9, 2]],
    ["in another order is as it is there", [8, 4], [8, 4], [2, 9]],
  ] as const) {
    it(what, async () => {
      assert.deepEqual(
        await numbersOf(10, listed, present),
        expected.map((number, index) => [`T${index}`, number]),
      );
    });
  }
});
