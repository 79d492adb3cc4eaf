/** The consistency check: each of its rules, and data that passes it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CheckedData, findInconsistencies } from "../../src/backup/consistency.ts";
import { model } from "../../src/domain/model.ts";
import { Database } from "../../src/store/collection.ts";
import { blacklistReason } from "../_entries.ts";

const ada = "0123456789abcdef0123456789abcdef";
const bob = "123456789abcdef0123456789abcdef0";
const nobody = "f".repeat(32);

const player = (uuid: string, name: string) => ({ uuid, name, administrator: false, registeredAt: 1 });
const counters = { deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
const token = (id: string, uuid: string | null, digit = id) => ({
  id,
  hash: digit.repeat(64).slice(0, 64),
  uuid,
  label: null,
  addonVersion: null,
  issuedAt: 1,
  expiresAt: null,
  revokedAt: null,
});
const track = (name: string) => ({ list: "track", key: ["name"], values: { name } });
/** An entry that refers to one of another list. */
const lap = (on: string) => ({ list: "lap", key: ["on"], values: { on }, entries: { on: "track" } });
const reason = (text: string) => ({ reason: text, days: 1, creatorName: null, creatorUUID: null });

function lookup<T>(rows: { get(key: string): T | undefined; has(key: string): boolean }) {
  return { get: (key: string) => rows.get(key), has: (key: string) => rows.has(key) };
}

/** Every collection with a record that fits the others. */
const sound = {
  names: [
    { name: "CEO", kind: "group", position: 0 },
    { name: "GROVE", kind: "faction", position: 0 },
    { name: "RESCUE", kind: "service", position: 0 },
  ],
  players: [player(ada, "Ada"), player(bob, "Bob")],
  statistics: [{ uuid: ada, ...counters }],
  memberships: [
    { uuid: ada, organisation: "GROVE", rank: 1 },
    { uuid: ada, organisation: "RESCUE", rank: 1 },
  ],
  // A member of a group need not be registered; one who was removed keeps the UUID.
  groupMembers: [
    { group: "CEO", name: "Ada", uuid: ada },
    { group: "CEO", name: "Stranger", uuid: null },
    { group: "CEO", name: "Removed", uuid: nobody },
  ],
  targets: [{ name: "Stranger", uuid: null, done: false, listed: 1 }],
  entries: [blacklistReason("GROVE", "Theft"), lap("Monza"), track("Monza")],
  houseBans: [{ name: "Bob", uuid: bob, startTime: 1, reasons: [reason("Noise"), reason("Theft")] }],
  tokens: [token("a", ada), token("b", null)],
  // Bookkeeping is of anybody.
  activity: [{ uuid: nobody, lastSeen: 1, version: null }],
} as const;

function dataOf(...collections: Readonly<Record<string, readonly unknown[]>>[]): CheckedData {
  const database = new Database(model);
  for (const declared of collections) {
    for (const [name, records] of Object.entries(declared)) {
      const collection = database.collection(name);
      for (const record of records) collection.set(collection.definition.key(record), record);
    }
  }
  return database.view;
}

describe("the consistency check", () => {
  it("finds nothing in consistent data", async () => {
    assert.deepEqual(await findInconsistencies(dataOf(sound)), []);
  });

  it("does not take a record for its own duplicate if it is read twice while data changes", async () => {
    const data = dataOf(sound);
    const players = [...data.players.values()];
    const tokens = [...data.tokens.values()];
    const twice = {
      ...data,
      players: { ...lookup(data.players), values: () => [...players, ...players] },
      tokens: { ...lookup(data.tokens), values: () => [...tokens, ...tokens] },
    };
    assert.deepEqual(await findInconsistencies(twice), []);
  });

  for (const [collection, record, key, what] of [
    ["players", player(nobody, "ADA"), nobody, /the name ADA is also that of the player 0123/],
    ["names", { name: "rescue", kind: "faction", position: 1 }, "service/rescue", /RESCUE is also a faction/],
    ["statistics", { uuid: nobody, ...counters }, nobody, /there is no player f+$/],
    ["memberships", { uuid: nobody, organisation: "GROVE", rank: 1 }, `GROVE/${nobody}`, /no player/],
    [
      "memberships",
      { uuid: bob, organisation: "NONE", rank: 1 },
      `NONE/${bob}`,
      /no faction or service NONE/,
    ],
    [
      "memberships",
      { uuid: bob, organisation: "grove", rank: 1 },
      `grove/${bob}`,
      /spelled GROVE, not grove/,
    ],
    ["groupMembers", { group: "NONE", name: "Bob", uuid: bob }, `NONE/${bob}`, /there is no group NONE/],
    [
      "groupMembers",
      { group: "CEO", name: "bob", uuid: null },
      "CEO/~bob",
      /bob is registered, with the UUID/,
    ],
    ["targets", { name: "Bob", uuid: null, done: false, listed: 2 }, "~bob", /Bob is registered/],
    ["targets", { name: "Ada", uuid: bob, done: false, listed: 2 }, bob, /is called Bob, not Ada/],
    [
      "houseBans",
      { name: "ada", uuid: null, startTime: 1, reasons: [reason("Noise")] },
      "~ada",
      /registered/,
    ],
    ["houseBans", { name: "X", uuid: null, startTime: 1, reasons: [] }, "~x", /it has no reason/],
    [
      "houseBans",
      { name: "X", uuid: null, startTime: 1, reasons: [reason("Noise"), reason("noise")] },
      "~x",
      /a reason twice/,
    ],
    [
      "entries",
      blacklistReason("RESCUE", "Theft"),
      "blacklistreason/rescue/theft",
      /there is no faction RESCUE/,
    ],
    ["entries", lap("Spa"), "lap/spa", /there is no entry track\/spa/],
    ["tokens", token("c", nobody), "c", /there is no player/],
    ["tokens", token("d", null, "a"), "d", /its hash is also that of the token a/],
  ] as const) {
    it(`finds ${collection} ${key}: ${what.source}`, async () => {
      const found = await findInconsistencies(dataOf(sound, { [collection]: [record] }));
      const [first] = found.filter((problem) => problem.key === key);
      assert.equal(first?.collection, collection, JSON.stringify(found));
      assert.match(first?.what ?? "", what);
    });
  }
});
