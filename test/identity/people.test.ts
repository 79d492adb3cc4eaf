/** Players, groups and the people that records name, in data in memory. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { currentVocabulary, joinGroup, namesOf } from "../../src/identity/memberships.ts";
import { findPlayer, formerPlayers, playerNames, requireVisibleSubject } from "../../src/identity/players.ts";
import { assertRefused, memory } from "../_memory.ts";

const [one, two] = ["1".repeat(32), "2".repeat(32)];
const ada = { uuid: one, name: "Ada", administrator: false, registeredAt: 0 };

describe("the vocabulary", () => {
  it("is the same until a name is added or removed", () => {
    const data = memory();
    data.names.put({ kind: "group", name: "VIP", position: 1 });
    const vocabulary = currentVocabulary(data);
    const first = vocabulary();
    assert.deepEqual(first, { group: ["VIP"], faction: [], service: [] });
    data.players.put(ada);
    assert.equal(vocabulary(), first);
    data.names.put({ kind: "group", name: "MOD", position: 0 });
    data.names.put({ kind: "service", name: "POLICE", position: 0 });
    const second = vocabulary();
    assert.deepEqual(second, { group: ["MOD", "VIP"], faction: [], service: ["POLICE"] });
    assert.equal(vocabulary(), second);
    data.names.delete("group/mod");
    assert.deepEqual(vocabulary().group, ["VIP"]);
    assert.deepEqual(namesOf(data, "service"), ["POLICE"]);
  });
});

describe("a group", () => {
  it("that was removed since the request was parsed gets no member", () => {
    const data = memory();
    data.names.put({ kind: "group", name: "VIP", position: 0 });
    assertRefused(() => joinGroup(data, "MOD", { name: "Ada", uuid: one }, 0), {
      code: "UNKNOWN_GROUP",
      message: 'There is no group "MOD".',
      hint: "Expected VIP.",
    });
    assert.equal(data.groupMembers.size, 0);
    assert.equal(joinGroup(data, "VIP", { name: "Ada", uuid: one }, 0), undefined);
    const member = { group: "VIP", name: "Ada", uuid: one };
    assert.deepEqual(joinGroup(data, "VIP", { name: "Ada", uuid: one }, 0), member);
  });
});

describe("a name", () => {
  it("is suggested among at most 300 players", () => {
    const data = memory();
    const name = (number: number) => `p${number}`;
    for (let number = 0; number < 300; number += 1)
      data.players.put({ ...ada, uuid: number.toString(16).padStart(32, "0"), name: name(number) });
    assert.deepEqual(
      playerNames(data),
      Array.from({ length: 300 }, (_, number) => name(number)),
    );
    data.players.put(ada);
    assert.deepEqual(playerNames(data), []);
  });

  it("refers to the registered player before a former one, and to a UUID before a name", () => {
    const data = memory();
    assert.deepEqual(requireVisibleSubject(data, "Ada"), { name: "Ada", uuid: null });
    assert.deepEqual(requireVisibleSubject(data, one.toUpperCase()), { name: one, uuid: one });
    data.houseBans.put({ name: "ada", uuid: two, startTime: 0, reasons: [] });
    assert.deepEqual(requireVisibleSubject(data, "ADA"), { name: "ada", uuid: two });
    data.players.put(ada);
    assert.deepEqual(requireVisibleSubject(data, "ADA"), { name: "Ada", uuid: one });
    assert.deepEqual(findPlayer(data, one), ada);
    assert.equal(findPlayer(data, two), undefined);
    // A name in the form of a UUID, as an older version may have accepted.
    const odd = { ...ada, uuid: two, name: "3".repeat(32) };
    data.players.put(odd);
    assert.equal(findPlayer(data, odd.name), odd);
  });

  it("of records whose player is registered is not that of a former player", () => {
    const data = memory();
    data.groupMembers.put({ group: "VIP", name: "Ada", uuid: one });
    data.houseBans.put({ name: "ada", uuid: two, startTime: 0, reasons: [] });
    data.targets.put({ name: "Ada", uuid: null, done: false, listed: 1 });
    const former = [
      { name: "Ada", uuid: one },
      { name: "ada", uuid: two },
    ];
    assert.deepEqual(formerPlayers(data, "ADA"), former);
    data.players.put({ ...ada, name: "Countess" });
    assert.deepEqual(formerPlayers(data, "Ada"), former.slice(1));
  });
});
