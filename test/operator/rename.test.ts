/** Renaming a player: which records get the name, and which refuse it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { houseBanReason } from "../_entries.ts";
import { assertRefused, copyOf } from "../_memory.ts";
import { Desk, one, three, two } from "./_desk.ts";

const day = 24 * 60 * 60 * 1000;

function filled(): Desk {
  const desk = new Desk();
  desk.register("Ada", one, { GROVE: 3 });
  desk.register("Bob", two);
  return desk;
}

const byAda = { creatorName: "Ada", creatorUUID: one };
const byBob = { creatorName: "Bob", creatorUUID: two };

describe("renaming a player", () => {
  it("replaces the name and nothing else of the player", () => {
    const desk = filled();
    const before = desk.data.players.get(one);
    const bob = desk.data.players.get(two);
    desk.now += day;
    assert.deepEqual(desk.run("player.rename", { player: "ada", name: "Countess" }), {
      info: "Renamed Ada to Countess.",
      name: "Countess",
      uuid: one,
    });
    assert.deepEqual(desk.data.players.get(one), { ...before, name: "Countess" });
    assert.equal(desk.data.players.get(two), bob);
    assert.equal(desk.data.memberships.get(`GROVE/${one}`)?.rank, 3);
  });

  it("changes nothing for the present name, but the case of one", () => {
    const desk = filled();
    const before = copyOf(desk.data);
    assert.deepEqual(desk.run("player.rename", { player: one, name: "Ada" }), {
      info: `The player ${one} is already called Ada.`,
      name: "Ada",
      uuid: one,
    });
    assert.deepEqual(copyOf(desk.data), before);
    assert.equal(desk.run("player.rename", { player: one, name: "ADA" }).info, "Renamed Ada to ADA.");
    assert.equal(desk.data.players.get(one)?.name, "ADA");
  });

  it("is refused for the name of another player, in any case", () => {
    const desk = filled();
    const before = copyOf(desk.data);
    assertRefused(() => desk.run("player.rename", { player: "Ada", name: "BOB" }), {
      code: "CONFLICT",
      message: `The name Bob is taken by the player ${two}.`,
      hint: "Choose another name, or rename that player first.",
    });
    assert.deepEqual(copyOf(desk.data), before);
  });

  it("takes over the records of the name, and says which", () => {
    const target = { name: "Eve", uuid: null, done: false, listed: 1 };
    const reasons = [{ reason: "Noise", days: 1, ...byBob }];
    const put = {
      group: ({ data }: Desk) => data.groupMembers.put({ group: "VIP", name: "Eve", uuid: null }),
      target: ({ data }: Desk) => data.targets.put(target),
      ban: ({ data, now }: Desk) => data.houseBans.put({ name: "Eve", uuid: null, startTime: now, reasons }),
    };
    const cases = [
      [["group"], "the group member Eve (VIP)"],
      [["target"], "the target Eve"],
      [["ban"], "the house ban Eve"],
      [["group", "target", "ban"], "the group member Eve (VIP), the target Eve and the house ban Eve"],
    ] as const;
    for (const [kinds, words] of cases) {
      const desk = filled();
      for (const kind of kinds) put[kind](desk);
      const { info } = desk.run("player.rename", { player: "Ada", name: "EVE" });
      assert.equal(info, `Renamed Ada to EVE. The player takes over ${words}.`);
      const { groupMembers, targets, houseBans } = desk.data;
      const all = [...groupMembers.values(), ...targets.values(), ...houseBans.values()];
      assert.deepEqual(
        all.map(({ name, uuid }) => [name, uuid]),
        kinds.map(() => ["EVE", one]),
      );
    }
  });

  it("renames the player's own entries in lists, also those bound to the UUID", () => {
    const desk = filled();
    const { groupMembers, targets, houseBans } = desk.data;
    for (const [name, uuid] of [
      ["Ada", one],
      ["Bob", two],
    ] as const) {
      groupMembers.put({ group: "VIP", name, uuid });
      targets.put({ name, uuid, done: true, listed: 7 });
      houseBans.put({ name, uuid, startTime: 5, reasons: [{ reason: "Noise", days: 1, ...byBob }] });
    }
    desk.run("player.rename", { player: "Ada", name: "Eve" });
    const named = (rows: Iterable<{ name: string; uuid: string | null }>) =>
      Array.from(rows, ({ name, uuid }) => `${name} ${uuid}`).sort();
    for (const rows of [groupMembers, targets, houseBans])
      assert.deepEqual(named(rows.values()), [`Bob ${two}`, `Eve ${one}`]);
    assert.deepEqual(targets.get(one), { name: "Eve", uuid: one, done: true, listed: 7 });
    assert.equal(houseBans.get(one)?.startTime, 5);
  });

  it("replaces the creator's name in reasons and bans of that player alone", () => {
    const desk = filled();
    const { entries, houseBans } = desk.data;
    const former = { creatorName: null, creatorUUID: null };
    const listed = [
      houseBanReason("Noise", 1, byAda),
      houseBanReason("Dirt", 2, byBob),
      houseBanReason("Old", 3),
    ];
    for (const reason of listed) entries.put(reason);
    const banned = [
      { reason: "Noise", days: 1, ...byAda },
      { reason: "Dirt", days: 2, ...byBob },
      { reason: "Gone", days: 3, ...former },
    ];
    const bans = [
      { name: "Eve", uuid: three, startTime: 1, reasons: banned },
      { name: "Carl", uuid: null, startTime: 2, reasons: banned.slice(1) },
    ];
    for (const ban of bans) houseBans.put(ban);
    const untouched = houseBans.get("~carl");
    desk.run("player.rename", { player: "Ada", name: "Countess" });
    const renamed = { creatorName: "Countess", creatorUUID: one };
    assert.deepEqual([...entries.values()], [{ ...listed[0], ...renamed }, ...listed.slice(1)]);
    assert.deepEqual(houseBans.get(three)?.reasons, [{ ...banned[0], ...renamed }, ...banned.slice(1)]);
    assert.equal(houseBans.get("~carl"), untouched);
  });
});

describe("of two records, a player who takes over a name keeps", () => {
  /** Returns the only target after Ada's and that of the name Eve were joined. */
  function joined(own: { done: boolean; listed: number }, adopted: { done: boolean; listed: number }) {
    const desk = filled();
    desk.data.targets.put({ name: "Ada", uuid: one, ...own });
    desk.data.targets.put({ name: "Eve", uuid: null, ...adopted });
    const { info } = desk.run("player.rename", { player: "Ada", name: "Eve" });
    assert.match(info, /takes over the target Eve \(one of two, of which one stays\)\.$/);
    const [target, ...others] = desk.data.targets.values();
    assert.deepEqual([target?.name, target?.uuid, others], ["Eve", one, []]);
    return [target?.done, target?.listed];
  }

  it("the target that is not done, and of equal ones the older", () => {
    const targets = [
      { done: false, listed: 2 },
      { done: true, listed: 1 },
    ] as const;
    assert.deepEqual(joined(targets[0], targets[1]), [false, 2]);
    assert.deepEqual(joined(targets[1], targets[0]), [false, 2]);
    for (const done of [false, true]) {
      assert.deepEqual(joined({ done, listed: 1 }, { done, listed: 2 }), [done, 1]);
      assert.deepEqual(joined({ done, listed: 2 }, { done, listed: 1 }), [done, 1]);
    }
  });

  it("the house ban that ends later", () => {
    for (const [own, adopted] of [
      [9, 1],
      [1, 9],
    ] as const) {
      const desk = filled();
      const reasons = (days: number) => [{ reason: "Noise", days, ...byBob }];
      desk.data.houseBans.put({ name: "Ada", uuid: one, startTime: 0, reasons: reasons(own) });
      desk.data.houseBans.put({ name: "Eve", uuid: null, startTime: day, reasons: reasons(adopted) });
      desk.run("player.rename", { player: "Ada", name: "Eve" });
      const bans = Array.from(desk.data.houseBans.values(), (ban) => [
        ban.name,
        ban.uuid,
        ban.reasons[0]?.days,
      ]);
      assert.deepEqual(bans, [["Eve", one, 9]]);
    }
  });
});
