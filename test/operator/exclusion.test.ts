/** Excluding players and readmitting them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Desk, one } from "./_desk.ts";

describe("excluding a player", () => {
  it("notes that a name is not registered, which may be mistyped", () => {
    const desk = new Desk();
    desk.register("Mallory", one);
    assert.equal(
      desk.run("player.exclude", { player: "Malory" }).info,
      'Excluded Malory. No player of that name is registered yet. Did you mean "Mallory"?',
    );
    assert.equal(desk.run("player.exclude", { player: "malory" }).info, "malory is already excluded.");
    assert.deepEqual(
      [...desk.data.groupMembers.values()],
      [{ group: "BLACKLIST", name: "malory", uuid: null }],
    );
  });

  const hour = 3_600_000;
  const names: Readonly<Record<string, (desk: Desk) => void>> = {
    "a player takes a name": (desk) => desk.run("player.rename", { player: one, name: "Mallory" }),
    "a player registers a name": (desk) => desk.run("player.add", { name: "Mallory", uuid: one }),
  };
  for (const [how, takeName] of Object.entries(names)) {
    for (const [first, second] of [
      [hour, 2 * hour],
      [2 * hour, hour],
      [undefined, hour],
      [hour, undefined],
    ]) {
      it(`lasts as long as the longer of two that become one when ${how}: ${first}, ${second}`, () => {
        const desk = new Desk();
        const exclude = (player: string, lasting: number | undefined, reason: string) => {
          const until = lasting === undefined ? undefined : desk.now + lasting;
          desk.run("player.exclude", { player, until, reason });
          return until;
        };
        if (how.includes("takes")) desk.register("Ada", one);
        const ends = [exclude(one, first, "of the UUID"), exclude("Mallory", second, "of the name")];
        takeName(desk);
        const isFirst = (first ?? Number.POSITIVE_INFINITY) > (second ?? Number.POSITIVE_INFINITY);
        const until = isFirst ? ends[0] : ends[1];
        assert.deepEqual(
          [...desk.data.groupMembers.values()],
          [
            {
              ...{ group: "BLACKLIST", name: "Mallory", uuid: one },
              ...(until !== undefined && { until }),
              reason: isFirst ? "of the UUID" : "of the name",
            },
          ],
        );
      });
    }
  }

  it("changes nothing in a dry run, not even the spelling of a name", () => {
    const desk = new Desk();
    desk.run("player.exclude", { player: "eve" });
    desk.run("player.exclude", { player: "EVE", dryRun: true });
    assert.deepEqual(
      [...desk.data.groupMembers.values()].map(({ name }) => name),
      ["eve"],
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
