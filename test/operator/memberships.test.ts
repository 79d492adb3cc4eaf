/** Managing ranks, administrators and groups. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OperatorInput, OperatorOperationName } from "../../src/operator/index.ts";
import { assertRefused, copyOf } from "../_memory.ts";
import { Desk, one, two } from "./_desk.ts";

function filled(): Desk {
  const desk = new Desk();
  desk.register("Ada", one);
  desk.register("bob", two);
  return desk;
}

/** Runs an operation that must change nothing, and returns its sentence. */
function unchanged<N extends OperatorOperationName>(desk: Desk, name: N, input: OperatorInput<N>) {
  const before = copyOf(desk.data);
  const answer = desk.run(name, input);
  assert.deepEqual(copyOf(desk.data), before);
  return answer;
}

describe("the rank of a player", () => {
  it("is set, changed and removed, in one faction or service alone", () => {
    const desk = filled();
    const set = (organisation: string, rank: number) =>
      desk.run("member.set", { player: "ada", organisation, rank });
    assert.deepEqual(set("grove", 3), { info: "Ada has rank 3 in GROVE." });
    assert.deepEqual(set("Rescue", 1), { info: "Ada has rank 1 in RESCUE." });
    assert.deepEqual(set("GROVE", 5), { info: "Ada has rank 5 in GROVE." });
    assert.deepEqual(
      [...desk.data.memberships.values()],
      [
        { uuid: one, organisation: "GROVE", rank: 5 },
        { uuid: one, organisation: "RESCUE", rank: 1 },
      ],
    );
    const removal = { player: one, organisation: "grove" };
    assert.deepEqual(desk.run("member.remove", removal), { info: "Removed Ada from GROVE." });
    assert.deepEqual([...desk.data.memberships.values()], [{ uuid: one, organisation: "RESCUE", rank: 1 }]);
    assert.deepEqual(unchanged(desk, "member.remove", removal), { info: "Ada is not in GROVE." });
  });

  it("is refused for an unknown player or faction", () => {
    const desk = filled();
    const input = { player: "Bobb", organisation: "GROVE", rank: 1 };
    const message = 'There is no player "Bobb". Did you mean "bob"?';
    assertRefused(() => desk.run("member.set", input), { code: "UNKNOWN_PLAYER", message });
    const { rank: _, ...removal } = input;
    assertRefused(() => desk.run("member.remove", removal), { code: "UNKNOWN_PLAYER", message });
    const unknown = {
      code: "UNKNOWN_FACTION",
      message: 'There is no faction or service "RESCU". Did you mean "RESCUE"?',
      hint: "Expected GROVE, BALLAS, RESCUE or POLICE.",
    } as const;
    const other = { player: "Ada", organisation: "RESCU" };
    assertRefused(() => desk.run("member.set", { ...other, rank: 1 }), unknown);
    assertRefused(() => desk.run("member.remove", other), unknown);
  });
});

describe("the administrator flag of a player", () => {
  it("is granted and revoked once, and keeps the rest of the player", () => {
    const desk = filled();
    const ada = desk.data.players.get(one);
    assert.deepEqual(unchanged(desk, "admin.revoke", { player: "Ada" }), {
      info: "Ada is not an administrator.",
    });
    assert.deepEqual(desk.run("admin.grant", { player: "ada" }), { info: "Ada is now an administrator." });
    assert.deepEqual(desk.data.players.get(one), { ...ada, administrator: true });
    assert.equal(desk.data.players.get(two)?.administrator, false);
    assert.deepEqual(unchanged(desk, "admin.grant", { player: "Ada" }), {
      info: "Ada is already an administrator.",
    });
    assert.deepEqual(desk.run("admin.revoke", { player: one }), { info: "Ada is now not an administrator." });
    assert.deepEqual(desk.data.players.get(one), ada);
  });

  it("is refused for somebody unregistered", () => {
    for (const name of ["admin.grant", "admin.revoke"] as const) {
      assertRefused(() => filled().run(name, { player: "Eve" }), {
        code: "UNKNOWN_PLAYER",
        message: 'There is no player "Eve".',
      });
    }
  });

  it("is listed by name, whatever its case", () => {
    const desk = filled();
    desk.register("Carl", "3".repeat(32));
    assert.deepEqual(desk.run("admin.list", {}), []);
    for (const player of ["Carl", "bob", "Ada"]) desk.run("admin.grant", { player });
    desk.run("admin.revoke", { player: "Ada" });
    assert.deepEqual(
      desk.run("admin.list", {}).map(({ name, uuid }) => [name, uuid]),
      [
        ["bob", two],
        ["Carl", "3".repeat(32)],
      ],
    );
  });
});

describe("a group", () => {
  it("has players and names that are not registered", () => {
    const desk = filled();
    const add = (player: string, group = "vip") => desk.run("group.add", { player, group });
    assert.deepEqual(add("ADA"), { info: "Added Ada to VIP." });
    assert.deepEqual(unchanged(desk, "group.add", { player: one, group: "VIP" }), {
      info: "Ada is already in VIP.",
    });
    assert.deepEqual(add("Bobb"), {
      info: 'Added Bobb to VIP. No player of that name is registered yet. Did you mean "bob"?',
    });
    assert.deepEqual(add("Somebody"), {
      info: "Added Somebody to VIP. No player of that name is registered yet.",
    });
    assert.deepEqual(add("bob", "MOD"), { info: "Added bob to MOD." });
    assert.deepEqual(desk.run("group.list", {}), [
      { group: "MOD", members: [{ name: "bob", uuid: two }] },
      {
        group: "VIP",
        members: [
          { name: "Ada", uuid: one },
          { name: "Bobb", uuid: null },
          { name: "Somebody", uuid: null },
        ],
      },
      { group: "BLACKLIST", members: [] },
      { group: "BETA", members: [] },
    ]);
  });

  it("has the latest spelling of a name that is not registered, and the registered one of a player", () => {
    const desk = filled();
    const spelled = (player: string) => {
      desk.run("group.add", { player, group: "VIP" });
      return desk.data.groupMembers.find("group", "VIP").map(({ name }) => name);
    };
    assert.deepEqual(spelled("eve"), ["eve"]);
    assert.deepEqual(spelled("EVE"), ["EVE"]);
    assert.deepEqual(spelled("ADA"), ["EVE", "Ada"]);
    assert.deepEqual(spelled("ada"), ["EVE", "Ada"]);
  });

  it("loses a member by name or UUID, and no other", () => {
    const desk = filled();
    for (const player of ["Ada", "bob", "Eve"]) desk.run("group.add", { player, group: "VIP" });
    desk.run("group.add", { player: "Ada", group: "MOD" });
    const remove = (player: string) => desk.run("group.remove", { player, group: "vip" });
    assert.deepEqual(remove("ada"), { info: "Removed Ada from VIP." });
    assert.deepEqual(remove("eve"), { info: "Removed Eve from VIP." });
    assert.deepEqual(
      [...desk.data.groupMembers.values()].map(({ group, name }) => [group, name]),
      [
        ["VIP", "bob"],
        ["MOD", "Ada"],
      ],
    );
    assert.deepEqual(remove("Ada"), { info: "Ada is not in the group VIP." });
    assert.deepEqual(remove("bobo"), { info: 'bobo is not in the group VIP. Did you mean "bob"?' });
    assert.deepEqual(remove(two), { info: "Removed bob from VIP." });
  });

  it("loses a former player by name or UUID", () => {
    for (const reference of ["ADA", one]) {
      const desk = filled();
      desk.data.groupMembers.put({ group: "VIP", name: "Ada", uuid: one });
      desk.data.players.delete(one);
      assert.deepEqual(desk.run("group.remove", { player: reference, group: "VIP" }), {
        info: "Removed Ada from VIP.",
      });
      assert.equal(desk.data.groupMembers.size, 0);
    }
  });

  it("is refused if it does not exist", () => {
    for (const name of ["group.add", "group.remove"] as const) {
      assertRefused(() => filled().run(name, { player: "Ada", group: "vipp" }), {
        code: "UNKNOWN_GROUP",
        message: 'There is no group "vipp". Did you mean "VIP"?',
        hint: "Expected MOD, VIP, BLACKLIST or BETA.",
      });
    }
  });

  it("does not get an unregistered name with an invisible character, but a player who has one", () => {
    const desk = filled();
    // A letter to Unicode, and invisible.
    const name = "Eve\u3164";
    assertRefused(() => desk.run("group.add", { player: name, group: "VIP" }), {
      code: "PARAMETER_INVALID",
      message: '"player" is invalid: leave out the invisible character U+3164.',
      parameter: "player",
    });
    desk.data.players.put({ uuid: "3".repeat(32), name, administrator: false, registeredAt: 0 });
    assert.deepEqual(desk.run("group.add", { player: name, group: "VIP" }), {
      info: `Added ${name} to VIP.`,
    });
  });
});
