/** Administrators and groups: what the transcripts of `members.md` do not show. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertRefused } from "../_memory.ts";
import { Desk, one, two } from "./_desk.ts";

function filled(): Desk {
  const desk = new Desk();
  desk.register("Ada", one);
  desk.register("bob", two);
  return desk;
}

describe("the list of administrators", () => {
  it("is in the order of their names, whatever their case", () => {
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
    assert.deepEqual(add(one), { info: "Ada is already in VIP." });
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
