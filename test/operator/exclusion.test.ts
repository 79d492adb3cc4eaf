/** Excluding players and readmitting them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Desk, one } from "./_desk.ts";

describe("excluding a player", () => {
  it("excludes a player once, and readmits the player", () => {
    const desk = new Desk();
    desk.register("Ada", one);
    assert.deepEqual(desk.run("player.exclude", { player: "ada" }), { info: "Excluded Ada." });
    assert.deepEqual(desk.run("player.exclude", { player: one }), { info: "Ada is already excluded." });
    assert.deepEqual([...desk.data.groupMembers.values()], [{ group: "BLACKLIST", name: "Ada", uuid: one }]);
    assert.deepEqual(desk.run("player.readmit", { player: "ADA" }), { info: "Readmitted Ada." });
    assert.equal(desk.data.groupMembers.size, 0);
    assert.deepEqual(desk.run("player.readmit", { player: "Ada" }), { info: "Ada is not excluded." });
  });

  it("notes that a name is not registered, which may be mistyped", () => {
    const desk = new Desk();
    desk.register("Mallory", one);
    assert.deepEqual(desk.run("player.exclude", { player: "Malory" }), {
      info: 'Excluded Malory. No player of that name is registered yet. Did you mean "Mallory"?',
    });
    assert.deepEqual(desk.run("player.exclude", { player: "malory" }), {
      info: "malory is already excluded.",
    });
    assert.deepEqual(
      [...desk.data.groupMembers.values()],
      [{ group: "BLACKLIST", name: "malory", uuid: null }],
    );
  });

  it("uses the group of the route table", () => {
    const desk = new Desk();
    desk.excludedGroup = "MOD";
    desk.register("Ada", one);
    desk.run("player.exclude", { player: "Ada" });
    assert.deepEqual(
      desk.data.groupMembers.find("subject", one).map(({ group }) => group),
      ["MOD"],
    );
  });
});
