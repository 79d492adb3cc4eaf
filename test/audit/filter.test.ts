/** The changes that each filter matches. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAuditEntry } from "../../src/audit/entry.ts";
import { asksForBookkeeping, type Filter, needsNames, toRecordTest, toTest } from "../../src/audit/filter.ts";
import { PlayerNames } from "../../src/audit/names.ts";
import type { Failure } from "../../src/domain/errors.ts";
import type { JournalRecord } from "../../src/store/change.ts";
import { houseBanReason, naviPoint, wantedReason } from "../_entries.ts";
import { ada, bob, changeOf, recordOf } from "./_history.ts";

const history: readonly JournalRecord[] = [
  recordOf([changeOf("players", ada, null, { uuid: ada, name: "Ada" })], {
    sequence: 1,
    operation: "player.register",
  }),
  recordOf([changeOf("players", bob, null, { uuid: bob, name: "Bob" })], {
    sequence: 2,
    operation: "player.add",
  }),
  recordOf([changeOf("targets", "~cleo", null, { name: "Cleo", uuid: null })], {
    sequence: 3,
    who: ada,
    operation: "targetlist.add",
  }),
  recordOf([changeOf("houseBans", bob, null, { name: "Bob", uuid: bob })], {
    sequence: 4,
    who: ada,
    operation: "houseban.add",
  }),
  recordOf([changeOf("entries", "housebanreason/spam", null, houseBanReason("Spam"))], {
    sequence: 5,
    who: bob,
    operation: "housebanreason.add",
  }),
  recordOf([changeOf("scores", "gangwar", null, { attacker: 1, defender: 2 })], {
    sequence: 6,
    who: "public",
    token: "0a1b2c3d",
    operation: "event.gangwar",
  }),
  recordOf([changeOf("entries", "navipoint/bob", null, naviPoint("Bob"))], {
    sequence: 7,
    operation: "navipoint.add",
  }),
  recordOf([changeOf("players", bob, { uuid: bob, name: "Bob" }, null)], {
    sequence: 8,
    operation: "player.delete",
  }),
  recordOf([changeOf("groupMembers", "VIP/~dora", { group: "VIP", name: "Dora", uuid: null }, null)], {
    sequence: 9,
    operation: "player.remove",
    table: "0123456789ab",
  }),
].map((record) => ({ ...record, instant: record.sequence * 1000 }));

/** The numbers of the changes that a filter lets through. */
function numbers(filter: Filter): number[] {
  const names = new PlayerNames();
  for (const record of history) names.learn(record);
  const test = toTest(filter, names);
  return history.flatMap((record) => {
    const entry = toAuditEntry(record, names, false);
    return entry !== undefined && test(entry) ? entry.number : [];
  });
}

describe("a filter", () => {
  for (const [what, filter, expected] of [
    ["nothing lets everything through", {}, [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ["a player is who did it, and whose records were touched", { player: "Bob" }, [2, 4, 5, 8]],
    ["a player is found in any case", { player: "bOB" }, [2, 4, 5, 8]],
    ["a player is found by UUID", { player: bob }, [2, 4, 5, 8]],
    [
      "a player is found by a UUID with dashes",
      { player: "00000000-0000-0000-0000-000000000B0B" },
      [2, 4, 5, 8],
    ],
    ["a player who is not registered is found by name", { player: "Cleo" }, [3]],
    ["a UUID that is not known has no changes", { player: "f".repeat(32) }, []],
    ["by a player", { by: "ada" }, [3, 4]],
    ["by the operator", { by: "operator" }, [1, 2, 7, 8, 9]],
    ["by the holder of a public token", { by: "PUBLIC" }, [6]],
    ["with a public token, by its id in any case", { token: "0A1B2C3D" }, [6]],
    ["with a public token that made no change", { token: "ffffffff" }, []],
    ["by the service itself", { by: "system" }, []],
    ["an operation", { operation: "houseban.add" }, [4]],
    ["an operation up to its dot, and not up to anywhere", { operation: "houseban" }, [4]],
    ["an operation with its dot, in any case", { operation: "Player." }, [1, 2, 8, 9]],
    ["an operation that there is not", { operation: "house" }, []],
    ["a command, under its former name as well", { operation: "player.add" }, [1, 2]],
    ["a command by its former name", { operation: "player.delete" }, [8]],
    ["a command as it is typed, and not the handler of the same name", { operation: "Player  Remove" }, [8]],
    [
      "an operation, whether by the command or the handler of that name",
      { operation: "player.remove" },
      [8, 9],
    ],
    ["a collection", { record: "entries" }, [5, 7]],
    ["a collection in any case", { record: "HOUSEBANS" }, [4]],
    ["a part of a key", { record: "targets/cle" }, [3]],
    ["a part of a key in any case", { record: "entries/houseBanReason/SP" }, [5]],
    ["a player's key by name", { record: "houseBans/Bob" }, [4]],
    [
      "a player's key by a UUID with dashes",
      { record: "players/00000000-0000-0000-0000-000000000b0b" },
      [2, 8],
    ],
    ["a key that there is not", { record: "targets/emil" }, []],
    ["since an instant, with it", { since: 7000 }, [7, 8, 9]],
    ["until an instant, with it", { until: 2000 }, [1, 2]],
    ["several at once", { by: "operator", operation: "player", since: 2000 }, [2, 8, 9]],
  ] as const satisfies readonly (readonly [string, Filter, readonly number[]])[]) {
    it(what, () => assert.deepEqual(numbers(filter), expected));
  }

  it("refuses an unknown player, with the nearest name", () => {
    const refusal = { code: "UNKNOWN_PLAYER", message: /"Clio".*Did you mean "Cleo"\?/ };
    assert.throws(() => numbers({ player: "Clio" }), refusal);
    assert.throws(() => numbers({ by: "Clio" }), refusal);
  });

  it("refuses an unknown collection, with the nearest and all names", () => {
    assert.throws(
      () => numbers({ record: "housebans2/x" }),
      ({ code, message, hint }: Failure) => {
        assert.equal(code, "UNKNOWN_ENTRY");
        assert.match(message, /"housebans2"\. Did you mean "houseBans"\?/);
        assert.match(hint ?? "", /players/);
        return true;
      },
    );
  });
});

describe("the records of a change that a filter matches", () => {
  const changes = [
    changeOf("players", ada, null, { uuid: ada, name: "Ada" }),
    changeOf("players", bob, null, { uuid: bob, name: "Bob" }),
    changeOf("houseBans", bob, { name: "Bob", uuid: bob }, null),
    changeOf("entries", "wantedreason/theft", null, wantedReason("Theft")),
  ];
  const names = new PlayerNames();
  names.learn(recordOf(changes));

  for (const [what, filter, expected] of [
    ["are all without a player or a record", { by: "operator", since: 5 }, [0, 1, 2, 3]],
    ["are those of the player", { player: "bob" }, [1, 2]],
    ["are those of the collection", { record: "PLAYERS" }, [0, 1]],
    ["are those with the key", { record: "players/Ada" }, [0]],
    ["are those of the player in the collection", { player: "Bob", record: "players" }, [1]],
    ["are none if the player has none in the collection", { player: "Ada", record: "houseBans" }, []],
  ] as const satisfies readonly (readonly [string, Filter, readonly number[]])[]) {
    it(what, () => {
      const found = changes.filter(toRecordTest(filter, names));
      assert.deepEqual(
        found.map((change) => changes.indexOf(change)),
        expected,
      );
    });
  }
});

describe("a filter asks for bookkeeping", () => {
  for (const [filter, expected] of [
    [{}, false],
    [{ player: "activity" }, false],
    [{ record: "players" }, false],
    [{ record: "activity" }, true],
    [{ record: "ACTIVITY/ada" }, true],
    [{ record: "repetitions" }, true],
    [{ record: "counters" }, true],
    [{ record: "players/activity" }, false],
  ] as const) {
    it(`${JSON.stringify(filter)}: ${expected}`, () => assert.equal(asksForBookkeeping(filter), expected));
  }
});

describe("a filter needs the names of players", () => {
  for (const [filter, expected] of [
    [{}, false],
    [{ operation: "houseban", token: "0a", since: 1 }, false],
    [{ player: "Ada" }, true],
    [{ player: "operator" }, true],
    [{ by: "Ada" }, true],
    [{ by: "operator" }, false],
    [{ by: "PUBLIC" }, false],
    [{ by: "system" }, false],
    [{ record: "players" }, false],
    [{ record: "players/Ada" }, true],
    [{ by: "operator", record: "players/Ada" }, true],
    [{ by: "operator", player: "Ada" }, true],
    [{ by: "Ada", record: "players" }, true],
  ] as const) {
    it(`${JSON.stringify(filter)}: ${expected}`, () => assert.equal(needsNames(filter), expected));
  }
});
