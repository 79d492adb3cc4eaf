/** Which records of a change can be undone, and why the others cannot. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entryKey } from "../../../src/domain/entry.ts";
import { undoable, undoing } from "../../../src/operator/undo/undo.ts";
import type { RecordChange } from "../../../src/store/change.ts";
import { blacklistReason, wantedReason } from "../../_entries.ts";
import { changeOf, recordOf } from "../../audit/_history.ts";
import { Desk, one, two } from "../_desk.ts";

const ada = { uuid: one, name: "Ada", administrator: false, registeredAt: 5 };
const bob = { uuid: two, name: "Bob", administrator: false, registeredAt: 6 };
const counters = { uuid: one, deaths: 1, kills: 2, playTime: 3, revives: 4, services: 5 };
const token = {
  id: "11223344",
  hash: "0".repeat(64),
  uuid: one,
  label: null,
  addonVersion: null,
  issuedAt: 1,
  expiresAt: null,
  revokedAt: null,
};
const theft = wantedReason("Theft", 10);
const arson = wantedReason("Arson", 20);

/** Returns the change with its values exchanged. */
const reversed = ({ collection, key, before, after }: RecordChange): RecordChange => {
  return { collection, key, before: after, after: before };
};

/** Asserts which changes an undo makes, and why it cannot make the others; undefined for a record changed since. */
async function assertUndoing(
  desk: Desk,
  changes: readonly RecordChange[],
  undone: readonly RecordChange[],
  obstacles: readonly (readonly [RecordChange, string | undefined])[] = [],
  exceptChanged = false,
): Promise<void> {
  const decided = await undoing(desk.data, undoable(recordOf(changes)), exceptChanged);
  assert.deepEqual(decided, {
    changes: undone.map(reversed),
    obstacles: obstacles.map(([change, why]) => ({ change, why })),
  });
}

/** Asserts that a change with these values cannot be undone for this reason alone, or can for none. */
async function assertFault(desk: Desk, change: RecordChange, why: string | undefined): Promise<void> {
  await assertUndoing(
    desk,
    [change],
    why === undefined ? [change] : [],
    why === undefined ? [] : [[change, why]],
  );
}

const removed = (collection: string, key: string, before: object) => changeOf(collection, key, before, null);
const added = (collection: string, key: string, after: object) => changeOf(collection, key, null, after);

describe("the undo of a change", () => {
  it("gives its records their former values", async () => {
    const desk = new Desk();
    desk.data.entries.put(theft);
    const changes = [
      added("entries", "wantedreason/theft", theft),
      removed("entries", "wantedreason/arson", arson),
    ];
    await assertUndoing(desk, changes, changes);
    const edited = [changeOf("entries", "wantedreason/theft", wantedReason("Theft", 1), theft)];
    await assertUndoing(desk, edited, edited);
  });

  for (const exceptChanged of [false, true]) {
    it(`leaves records that have changed since, with exceptChanged ${exceptChanged}`, async () => {
      const desk = new Desk();
      desk.data.entries.put(theft);
      desk.data.entries.put(wantedReason("Arson", 21));
      const kept = added("entries", "wantedreason/theft", theft);
      const others = [
        added("entries", "wantedreason/arson", arson),
        added("entries", "wantedreason/fraud", wantedReason("Fraud")),
        removed("entries", "wantedreason/theft", theft),
      ];
      const obstacles = others.map((change) => [change, undefined] as const);
      await assertUndoing(
        desk,
        [...others.slice(0, 2), kept, ...others.slice(2)],
        [kept],
        obstacles,
        exceptChanged,
      );
    });
  }

  it("leaves bookkeeping out", async () => {
    const desk = new Desk();
    desk.data.entries.put(theft);
    const seen = added("activity", one, { uuid: one, lastSeen: 1, version: null });
    const repetition = added("repetitions", "Ada k", {});
    const counted = changeOf("counters", "requests", { name: "requests", value: 1 }, null);
    const kept = added("entries", "wantedreason/theft", theft);
    await assertUndoing(desk, [seen, kept, repetition, counted], [kept]);
    for (const changes of [[seen, repetition, counted], []]) {
      const record = recordOf(changes, { sequence: 8, operation: "player.register" });
      assert.throws(() => undoable(record), {
        code: "CONFLICT",
        message: "Change 8 (player.add) contains nothing to undo.",
      });
    }
  });

  it("lets other work run between its records, once a slice of time is over", async (t) => {
    let time = 0;
    let step = 0;
    t.mock.method(performance, "now", () => {
      time += step;
      return time;
    });
    const desk = new Desk();
    const reasons = Array.from({ length: 20 }, (_, points) => wantedReason(`r-${points}`, points));
    for (const reason of reasons) desk.data.entries.put(reason);
    const changes = reasons.map((reason) => added("entries", entryKey(reason), reason));
    /** Returns how often the event loop turned during an undo. */
    const turns = async () => {
      let count = 0;
      let isDone = false;
      const turn = () => {
        count += 1;
        if (!isDone) setImmediate(turn);
      };
      setImmediate(turn);
      await assertUndoing(desk, changes, changes);
      isDone = true;
      return count;
    };
    assert.equal(await turns(), 0);
    step = 1000;
    assert.ok((await turns()) >= changes.length - 1);
  });
});

describe("the undo of a removal", () => {
  it("needs the player of statistics, memberships and tokens", async () => {
    const rank = { uuid: one, organisation: "GROVE", rank: 1 };
    const changes = [
      ["statistics", one, counters, `statistic ${one}`],
      ["memberships", `GROVE/${one}`, rank, `membership ${one} (GROVE)`],
      ["tokens", token.id, token, `token ${token.id} of ${one}`],
    ] as const;
    for (const [collection, key, before, words] of changes) {
      const why = `the player of the ${words} is no longer registered`;
      const desk = new Desk();
      await assertFault(desk, removed(collection, key, before), why);
      const player = removed("players", one, ada);
      await assertUndoing(
        desk,
        [removed(collection, key, before), player],
        [removed(collection, key, before), player],
      );
      desk.data.players.put(ada);
      await assertFault(desk, removed(collection, key, before), undefined);
    }
    await assertFault(new Desk(), removed("tokens", token.id, { ...token, uuid: null }), undefined);
    // Other records do without a player.
    await assertFault(
      new Desk(),
      removed("targets", one, { name: "Ada", uuid: one, done: true, listed: 1 }),
      undefined,
    );
  });

  it("is not needed to take away what a former player was given", async () => {
    const desk = new Desk();
    desk.data.statistics.put(counters);
    await assertFault(desk, added("statistics", one, counters), undefined);
  });

  it("needs the group, the faction or the service of a record", async () => {
    const cases = [
      [
        "groupMembers",
        "CEO/~eve",
        { group: "CEO", name: "Eve", uuid: null },
        "group CEO of the group member Eve (CEO)",
        "group",
      ],
      [
        "memberships",
        `CEO/${one}`,
        { uuid: one, organisation: "CEO", rank: 1 },
        "faction or service CEO of the membership Ada (CEO)",
        "service",
      ],
      [
        "memberships",
        `CEO/${one}`,
        { uuid: one, organisation: "CEO", rank: 1 },
        "faction or service CEO of the membership Ada (CEO)",
        "faction",
      ],
      [
        "entries",
        "blacklistreason/ceo/x",
        blacklistReason("CEO", "x"),
        "faction CEO of the entry blacklistreason/CEO/x",
        "faction",
      ],
    ] as const;
    for (const [collection, key, before, words, kind] of cases) {
      const desk = new Desk();
      desk.data.players.put(ada);
      const change = removed(collection, key, before);
      await assertFault(desk, change, `the ${words} has been removed since`);
      const restored = removed("names", `${kind}/ceo`, { name: "CEO", kind, position: 0 });
      await assertUndoing(desk, [change, restored], [change, restored]);
      desk.data.names.put({ name: "CEO", kind, position: 0 });
      await assertFault(desk, change, undefined);
    }
  });

  it("does not let a name be both a faction and a service", async () => {
    const desk = new Desk();
    desk.run("seed.groups", { groups: ["X"], factions: ["F"], services: ["S"] });
    const of = (kind: string, name: string) =>
      removed("names", `${kind}/${name.toLowerCase()}`, { name, kind, position: 9 });
    await assertFault(desk, of("faction", "S"), "S is now a service");
    await assertFault(desk, of("service", "F"), "F is now a faction");
    await assertFault(desk, of("service", "X"), undefined);
    await assertFault(desk, of("faction", "X"), undefined);
    await assertFault(desk, of("group", "S"), undefined);
    await assertFault(desk, of("group", "F"), undefined);
  });

  it("does not give a player a name that another one has by now", async () => {
    const desk = new Desk();
    desk.data.players.put({ ...bob, name: "ADA" });
    await assertFault(desk, removed("players", one, ada), `the player ${two} now has the name Ada`);
    // The undo gives the other one another name.
    const exchanged = changeOf("players", two, bob, { ...bob, name: "ADA" });
    await assertUndoing(
      desk,
      [removed("players", one, ada), exchanged],
      [removed("players", one, ada), exchanged],
    );
    desk.data.players.put(bob);
    await assertFault(desk, removed("players", one, ada), undefined);
  });
});

describe("the undo of an addition of a player", () => {
  const addition = added("players", one, ada);

  it("is possible while the player has nothing, or only what is undone as well", async () => {
    const desk = new Desk();
    desk.register("Bob", two, { GROVE: 1 });
    desk.data.players.put(ada);
    await assertFault(desk, addition, undefined);
    desk.data.statistics.put(counters);
    desk.data.tokens.put(token);
    const target = { name: "Ada", uuid: one, done: false, listed: 1 };
    desk.data.targets.put(target);
    const changes = [
      addition,
      added("statistics", one, counters),
      added("tokens", token.id, token),
      added("targets", one, target),
    ];
    await assertUndoing(desk, changes, changes);
    await assertUndoing(desk, changes.slice(0, 2), changes.slice(1, 2), [
      [addition, "other records refer to the player Ada: 1 token"],
    ]);
  });
});

describe("an undo except for the records that cannot be undone", () => {
  it("leaves what depends on such a record", async () => {
    const desk = new Desk();
    desk.data.players.put({ ...bob, name: "Ada" });
    const statistics = removed("statistics", one, counters);
    const player = removed("players", one, ada);
    const reason = removed("entries", "wantedreason/theft", theft);
    const taken = `the player ${two} now has the name Ada`;
    const gone = `the player of the statistic ${one} is no longer registered`;
    const changes = [statistics, player, reason];
    const [first, second] = [[player, taken] as const, [statistics, gone] as const];
    await assertUndoing(desk, changes, [reason], [first, second], true);
    await assertUndoing(desk, changes, [statistics, reason], [first]);
  });
});
