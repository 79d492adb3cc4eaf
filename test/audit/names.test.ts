/** The persons of names and UUIDs in the audit, from the data and its journal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAuditEntry } from "../../src/audit/entry.ts";
import { findNames } from "../../src/audit/find-names.ts";
import { belongsTo, PlayerNames } from "../../src/audit/names.ts";
import { model } from "../../src/domain/model.ts";
import { Database } from "../../src/store/collection.ts";
import { inMemory } from "../backup/_setup.ts";
import { ada, bob, changeOf, recordOf } from "./_history.ts";

/** The collections whose records have a name: entries, where a field names a player. */
const naming = ["players", "groupMembers", "targets", "entries", "houseBans"];

describe("a name", () => {
  for (const collection of naming) {
    it(`is learned from a record of ${collection}, even a removed one`, () => {
      for (const change of [
        changeOf(collection, "key", null, { name: "Ada", uuid: ada }),
        changeOf(collection, "key", { name: "Ada", uuid: ada }, null),
      ]) {
        const names = new PlayerNames();
        names.learn(recordOf([change]));
        assert.equal(names.of(ada), "Ada");
        assert.deepEqual(names.person("ADA"), { uuids: new Set([ada]), name: "ada" });
      }
    });

    it(`in a record of ${collection} without a UUID is a person without a UUID`, () => {
      const names = new PlayerNames();
      const record = { name: "Mallory", uuid: null };
      names.learn(recordOf([changeOf(collection, "key", null, record)]));
      assert.equal(names.has("mallory"), true);
      assert.deepEqual(names.all, ["Mallory"]);
      const person = names.person("mallory");
      assert.deepEqual(person, { uuids: new Set(), name: "mallory" });
      assert.equal(belongsTo(person, collection, record), true);
      assert.equal(belongsTo(person, collection, { name: "Other", uuid: null }), false);
      assert.equal(belongsTo(person, collection, { name: "Mallory", uuid: bob }), false);
    });
  }

  it("is learned from no other record of that form", () => {
    const names = new PlayerNames();
    const others = Object.keys(model).filter((collection) => !naming.includes(collection));
    names.learn(
      recordOf(others.map((collection) => changeOf(collection, "key", null, { name: "Base", uuid: ada }))),
    );
    assert.deepEqual([names.all, names.of(ada)], [[], undefined]);
    const person = names.person("Base");
    for (const collection of others)
      assert.equal(belongsTo(person, collection, { name: "Base", uuid: null }), false, collection);
  });

  it("is found in the changes themselves, even if no file has the player any more", async () => {
    const entries = naming.flatMap((collection, index) => {
      const uuid = String(index).repeat(32);
      const change = changeOf(collection, "key", null, { name: `Player${index}`, uuid });
      return toAuditEntry(recordOf([change]), new PlayerNames(), true) ?? [];
    });
    const names = await findNames(inMemory(new Map()), "/data", entries);
    assert.deepEqual([...names.all].sort(), ["Player0", "Player1", "Player2", "Player3", "Player4"]);
    for (const index of naming.keys()) assert.equal(names.of(String(index).repeat(32)), `Player${index}`);
  });

  it("that two players have had means both, and a UUID has its last name", () => {
    const names = new PlayerNames();
    const change = (uuid: string, name: string) => changeOf("players", uuid, null, { name, uuid });
    names.learn(recordOf([change(ada, "Ada"), change(bob, "Ada"), change(bob, "Bob")]));
    assert.deepEqual(names.person("ada").uuids, new Set([ada, bob]));
    assert.deepEqual([names.of(ada), names.of(bob)], ["Ada", "Bob"]);
    const byUUID = names.person("00000000-0000-0000-0000-000000000B0B");
    assert.deepEqual(byUUID, { uuids: new Set([bob]), name: "bob" });
    assert.equal(belongsTo(byUUID, "statistics", { uuid: bob }), true);
    assert.equal(belongsTo(byUUID, "statistics", { uuid: ada }), false);
  });

  it("is learned from all records of the data", () => {
    const names = new PlayerNames();
    const database = new Database(model);
    const player = { uuid: ada, name: "Ada", administrator: false, registeredAt: 0 };
    database.collection("players").set(ada, player);
    const target = { name: "Mallory", uuid: null, done: false, listed: 1 };
    database.collection("targets").set(model.targets.key(target), target);
    names.learnAll(database);
    assert.deepEqual([...names.all].sort(), ["Ada", "Mallory"]);
  });
});
