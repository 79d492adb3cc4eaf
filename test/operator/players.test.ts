/** Managing players: registration, repeated registration, lists and removal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OperatorInput } from "../../src/operator/index.ts";
import { copyOf } from "../_memory.ts";
import { Desk, one, three, two } from "./_desk.ts";

describe("registering a player", () => {
  it("stores the player with the instant, the ranks and the flag", () => {
    const desk = new Desk();
    const members = [
      { organisation: "grove", rank: 4 },
      { organisation: "Police", rank: 1 },
    ];
    const dashed = "AAAAAAAA-aaaa-AAAA-aaaa-aaaaaaaaaaaa";
    const answer = desk.run("player.add", { name: "Ada", uuid: dashed, members, administrator: true });
    const uuid = "a".repeat(32);
    assert.deepEqual(answer, { info: "Registered Ada.", name: "Ada", uuid });
    assert.deepEqual(
      [...desk.data.players.values()],
      [{ uuid, name: "Ada", administrator: true, registeredAt: desk.now }],
    );
    assert.deepEqual(
      [...desk.data.memberships.values()],
      [
        { uuid, organisation: "GROVE", rank: 4 },
        { uuid, organisation: "POLICE", rank: 1 },
      ],
    );
  });

  it("creates a UUID for a player without one, and no administrator", () => {
    const desk = new Desk();
    const answers = ["Ada", "Bob"].map((name) => desk.run("player.add", { name }));
    for (const { uuid } of answers) {
      assert.match(uuid, /^[0-9a-f]{32}$/);
      assert.equal(desk.data.players.get(uuid)?.administrator, false);
    }
    assert.notEqual(answers[0]?.uuid, answers[1]?.uuid);
    assert.equal(desk.data.memberships.size, 0);
  });

  it("names the groups that have the name already, in the seed's order", () => {
    const desk = new Desk();
    for (const group of ["BETA", "MOD"]) desk.run("group.add", { player: "ada", group });
    desk.run("group.add", { player: "Bob", group: "VIP" });
    const { info } = desk.run("player.add", { name: "Ada", uuid: one });
    assert.equal(info, "Registered Ada, who is already in MOD and BETA.");
    assert.deepEqual(desk.data.groupMembers.get(`MOD/${one}`), { group: "MOD", name: "Ada", uuid: one });
  });

  it("gives a former player the UUID that an exclusion is bound to", () => {
    const desk = new Desk();
    desk.register("Ada", one);
    desk.run("player.exclude", { player: "Ada" });
    desk.run("player.remove", { player: "Ada" });
    const { info, uuid } = desk.run("player.add", { name: "ADA" });
    assert.equal(uuid, one);
    assert.equal(info, "Registered ADA, who is already in BLACKLIST.");
  });
});

describe("registering a player again", () => {
  /** The registrations of a desk where Ada is an administrator with rank 3 in GROVE, and Bob has no rights. */
  function filled(): Desk {
    const desk = new Desk();
    const members = [{ organisation: "GROVE", rank: 3 }];
    desk.run("player.add", { name: "Ada", uuid: one, members, administrator: true });
    desk.register("Bob", two);
    return desk;
  }
  const grove = (rank: number) => [{ organisation: "grove", rank }];

  const same: readonly OperatorInput<"player.add">[] = [
    { name: "Ada", uuid: one, members: grove(3), administrator: true },
    { name: "ADA" },
    { name: "ada", uuid: one.toUpperCase(), administrator: false },
  ];
  for (const input of same) {
    it(`changes nothing for the same player: ${JSON.stringify(input)}`, () => {
      const desk = filled();
      const before = copyOf(desk.data);
      const answer = desk.run("player.add", input);
      assert.deepEqual(answer, { info: "Ada is already registered.", name: "Ada", uuid: one });
      assert.deepEqual(copyOf(desk.data), before);
    });
  }
});

describe("the list of players", () => {
  function filled(): Desk {
    const desk = new Desk();
    desk.register("bob", two, { BALLAS: 2, GROVE: 2, RESCUE: 1, POLICE: 7 });
    desk.register("Ada", one, { GROVE: 1 });
    desk.register("Eve", three);
    for (const [player, group] of [
      ["bob", "VIP"],
      ["bob", "MOD"],
      ["Eve", "VIP"],
    ] as const)
      desk.run("group.add", { player, group });
    return desk;
  }

  it("has each player with ranks and groups, in the order of names whatever their case", () => {
    const none = { administrator: false, members: [], groups: [] };
    assert.deepEqual(filled().run("player.list", {}), [
      { ...none, name: "Ada", uuid: one, members: [{ organisation: "GROVE", rank: 1 }] },
      {
        ...none,
        name: "bob",
        uuid: two,
        // Factions first; the highest rank first, equal ones in the seed's order.
        members: [
          { organisation: "GROVE", rank: 2 },
          { organisation: "BALLAS", rank: 2 },
          { organisation: "POLICE", rank: 7 },
          { organisation: "RESCUE", rank: 1 },
        ],
        groups: ["MOD", "VIP"],
      },
      { ...none, name: "Eve", uuid: three, groups: ["VIP"] },
    ]);
  });
});

describe("showing a player", () => {
  it("has the version of the client's last request, or that of a later token", () => {
    const desk = new Desk();
    desk.register("Ada", one);
    const shown = () => {
      const { version, lastSeen, tokens } = desk.run("player.show", { player: one });
      return [version, lastSeen, tokens.length];
    };
    const seen = desk.now;
    desk.activity.note(one, "2.5.1", seen);
    assert.deepEqual(shown(), ["2.5.1", seen, 0]);
    desk.now += 1000;
    desk.run("token.issue", { player: "Ada", addonVersion: "2.6", expiresIn: 10 });
    assert.deepEqual(shown(), ["2.6", seen, 1]);
    desk.now += 10;
    assert.deepEqual(shown(), ["2.5.1", seen, 1]);
  });
});

describe("removing a player", () => {
  /** Gives a player one record of each kind. */
  function furnish(desk: Desk, name: string, uuid: string): void {
    desk.register(name, uuid, { GROVE: 2, POLICE: 3 });
    for (const group of ["VIP", "BLACKLIST"]) desk.run("group.add", { player: name, group });
    for (let count = 0; count < 2; count += 1) desk.run("token.issue", { player: name });
    desk.data.statistics.put({ uuid, deaths: 1, kills: 2, playTime: 3, revives: 4, services: 5 });
    desk.data.activity.put({ uuid, lastSeen: desk.now, version: null });
  }

  it("removes everything but the exclusion, and nothing of anybody else", () => {
    const desk = new Desk();
    furnish(desk, "Bob", two);
    const others = copyOf(desk.data);
    furnish(desk, "Ada", one);
    assert.deepEqual(desk.run("player.remove", { player: "ada" }), {
      info: "Removed Ada, with statistics, memberships and tokens. The exclusion stays.",
      isExcluded: true,
      sequence: desk.sequence,
    });
    const exclusion = { group: "BLACKLIST", name: "Ada", uuid: one };
    assert.deepEqual(desk.data.groupMembers.get(`BLACKLIST/${one}`), exclusion);
    desk.data.groupMembers.delete(`BLACKLIST/${one}`);
    assert.deepEqual(copyOf(desk.data), others);
  });

  it("says nothing of an exclusion for a player who is not excluded", () => {
    const desk = new Desk();
    desk.register("Ada", one);
    desk.excludedGroup = "MOD";
    desk.run("group.add", { player: "Ada", group: "BLACKLIST" });
    const { info } = desk.run("player.remove", { player: "Ada" });
    assert.equal(info, "Removed Ada, with statistics, memberships and tokens.");
    assert.equal(desk.data.groupMembers.size, 0);
  });
});
