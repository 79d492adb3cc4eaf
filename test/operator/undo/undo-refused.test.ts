/** Changes that cannot be undone at all: those that only added names, and malformed ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { undoable, undoing } from "../../../src/operator/undo/undo.ts";
import { wantedReason } from "../../_entries.ts";
import { changeOf, recordOf } from "../../audit/_history.ts";
import { Desk, one } from "../_desk.ts";

describe("the names that a change added", () => {
  const named = (name: string, kind = "group") =>
    changeOf("names", `${kind}/${name.toLowerCase()}`, null, { name, kind, position: 9 });
  const command = (name: string, kind = "group") => `\`addon-cli seed remove ${kind} ${name}\``;

  it("stay, and the other records are undone", async () => {
    const desk = new Desk();
    const theft = wantedReason("Theft", 10);
    desk.data.entries.put(theft);
    const kept = changeOf("entries", "wantedreason/theft", null, theft);
    const { changes, obstacles } = await undoing(desk.data, undoable(recordOf([named("CEO"), kept])), false);
    assert.deepEqual(obstacles, []);
    assert.deepEqual(changes, [changeOf("entries", "wantedreason/theft", theft, null)]);
  });

  const letters = ["A", "B", "C", "D", "E", "F", "G"];
  for (const [count, stay, more] of [
    [1, "the name A stays", ""],
    [
      5,
      letters
        .slice(0, 5)
        .map((name) => `the name ${name} stays`)
        .join("; "),
      "",
    ],
    [
      7,
      `${letters
        .slice(0, 5)
        .map((name) => `the name ${name} stays`)
        .join("; ")}; and 2 more records`,
      ", and likewise the other 2",
    ],
  ] as const) {
    it(`cannot be undone if there is nothing else: ${count}`, () => {
      const names = letters.slice(0, count);
      const record = recordOf(
        names.map((name) => named(name, "service")),
        { sequence: 3 },
      );
      assert.throws(() => undoable(record), {
        code: "CONFLICT",
        message: `Change 3 cannot be undone: ${stay}.`,
        hint:
          "Remove a name that nothing refers to: " +
          `${names
            .slice(0, 5)
            .map((name) => command(name, "service"))
            .join(", ")}${more}.`,
      });
    });
  }
});

describe("a malformed record", () => {
  const hint = "`addon-cli data verify` shows what is wrong with the data.";
  for (const [what, change] of [
    ["statistics without a player", changeOf("statistics", one, { uuid: 5 }, null)],
    ["a name without a kind", changeOf("names", "group/x", { name: "X" }, null)],
    ["a player without a name", changeOf("players", one, { uuid: one }, null)],
    ["a membership in a number", changeOf("groupMembers", "x", { group: 7 }, null)],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(undoing(new Desk().data, [change], false), {
        code: "CONFLICT",
        message: /^A record of the change is malformed: .+\.$/,
        hint,
      });
    });
  }

  it("of an unknown collection is an internal error", async () => {
    const change = changeOf("colours", "red", null, {});
    await assert.rejects(undoing(new Desk().data, [change], false), {
      name: "Error",
      message: 'there is no collection "colours"',
    });
  });
});
