/** The summary of the changes of a restore: counts by resource, and the names of the first records. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { summarize } from "../../../src/backup/preview.ts";
import { model } from "../../../src/domain/model.ts";
import type { RecordChange } from "../../../src/store/change.ts";
import { Database } from "../../../src/store/collection.ts";
import { blacklistReason, wantedReason } from "../../_entries.ts";

const [ada, bob, cleo] = ["a".repeat(32), "b".repeat(32), "c".repeat(32)] as const;

/** Data in which Ada is registered. */
function data() {
  const database = new Database(model);
  const player = { uuid: ada, name: "Ada", administrator: false, registeredAt: 1 };
  database.collection("players").set(ada, player);
  return database.view;
}

const added = (collection: string, key: string, after: unknown): RecordChange => {
  return { collection, key, before: null, after };
};
const removed = (collection: string, key: string, before: unknown): RecordChange => {
  return { collection, key, before, after: null };
};

const none = { count: 0, first: [] };
const one = (name: string) => ({ count: 1, first: [name] });

describe("the summary of changes", () => {
  it("counts each kind by resource, in the order of the changes", () => {
    const changes = [
      added("entries", "wantedreason/a", wantedReason("A")),
      removed("targets", "~x", { name: "X", uuid: null }),
      { collection: "entries", key: "wantedreason/b", before: wantedReason("b"), after: wantedReason("B") },
      removed("entries", "wantedreason/c", wantedReason("C")),
      removed("entries", "wantedreason/d", wantedReason("D")),
    ];
    assert.deepEqual(summarize(changes, data()), [
      {
        resource: "entries",
        added: one("wantedreason/A"),
        changed: one("wantedreason/B"),
        removed: { count: 2, first: ["wantedreason/C", "wantedreason/D"] },
      },
      { resource: "targets", added: none, changed: none, removed: one("X") },
    ]);
  });

  it("names the first three records of a kind, and counts all", () => {
    const players = ["A", "B", "C", "D", "E"];
    for (let count = 1; count <= players.length; count += 1) {
      const changes = players.slice(0, count).map((name) => added("players", name, { name }));
      const [summary] = summarize(changes, data());
      assert.deepEqual(summary?.added, { count, first: players.slice(0, Math.min(count, 3)) });
    }
  });
});

describe("in the summary of changes", () => {
  for (const [what, collection, key, record, label] of [
    ["a player has the name", "players", bob, { uuid: bob, name: "Bob" }, "Bob"],
    ["a player without a name has the key", "players", bob, { uuid: bob }, bob],
    [
      "an entry has its list and its key as it is spelled",
      "entries",
      "blacklistreason/grove/theft",
      blacklistReason("GROVE", "Theft"),
      "blacklistreason/GROVE/Theft",
    ],
    [
      "a member of a faction has the player's name and the faction",
      "memberships",
      `GROVE/${ada}`,
      { uuid: ada, organisation: "GROVE", rank: 1 },
      "Ada (GROVE)",
    ],
    [
      "a member of a group has the name and the group",
      "groupMembers",
      "CEO/~x",
      { group: "CEO", name: "X", uuid: null },
      "X (CEO)",
    ],
    ["statistics have the player's name", "statistics", ada, { uuid: ada, kills: 1 }, "Ada"],
    ["statistics of somebody unknown have the UUID", "statistics", cleo, { uuid: cleo, kills: 1 }, cleo],
    [
      "a player's token has its id and the player's name",
      "tokens",
      "1a",
      { id: "1a", uuid: ada },
      "1a of Ada",
    ],
    ["a public token has its id", "tokens", "1a", { id: "1a", uuid: null }, "1a"],
    ["the score has its key", "scores", "gangwar", { attacker: 1, defender: 2 }, "gangwar"],
    ["an event has its key", "events", "bomb", { kind: "bomb", startTime: 1 }, "bomb"],
    ["anything but an object has its key", "scores", "gangwar", "text", "gangwar"],
    [
      "a malformed entry has its key",
      "entries",
      "wantedreason/a",
      { list: "wantedreason" },
      "wantedreason/a",
    ],
  ] as const) {
    it(what, () => {
      const [summary] = summarize([added(collection, key, record)], data());
      assert.deepEqual(summary?.added, one(label));
      const [reverse] = summarize([removed(collection, key, record)], data());
      assert.deepEqual(reverse?.removed, one(label));
    });
  }

  it("a changed record has its later name", () => {
    const change = { collection: "targets", key: "~x", before: { name: "x" }, after: { name: "X" } };
    assert.deepEqual(summarize([change], data())[0]?.changed, one("X"));
  });

  it("records of a player whom the same changes add, rename or remove have that player's name", () => {
    const statistics = [ada, bob, cleo].map((uuid) => added("statistics", uuid, { uuid }));
    const changes = [
      { collection: "players", key: ada, before: { name: "Ada" }, after: { name: "Adele" } },
      added("players", bob, { name: "Bob" }),
      removed("players", cleo, { name: "Cleo" }),
      ...statistics,
    ];
    assert.deepEqual(summarize(changes, data())[1]?.added, { count: 3, first: ["Adele", "Bob", "Cleo"] });
  });

  it("only players give names to UUIDs", () => {
    const changes = [
      added("targets", bob, { uuid: bob, name: "Robert" }),
      added("statistics", bob, { uuid: bob }),
    ];
    assert.deepEqual(summarize(changes, data())[1]?.added, one(bob));
  });
});
