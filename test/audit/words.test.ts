/** The words for the author, the operation, the key and the values of a change, one by one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AuditEntry, toAuditEntry } from "../../src/audit/entry.ts";
import { changeWords, keyWords, operationWords, whoWords } from "../../src/audit/format.ts";
import { PlayerNames } from "../../src/audit/names.ts";
import { ada, bob, changeOf, recordOf } from "./_history.ts";

const score = changeOf("scores", "gangwar", null, { attacker: 1, defender: 2 });

function entryOf(details: Parameters<typeof recordOf>[1], names = new PlayerNames()): AuditEntry {
  const entry = toAuditEntry(recordOf([score], details), names, false);
  assert.ok(entry !== undefined, "the change is shown");
  return entry;
}

function namesOf(uuid: string, name: string): PlayerNames {
  const names = new PlayerNames();
  names.learn(recordOf([changeOf("players", uuid, null, { uuid, name })]));
  return names;
}

describe("an entry of the audit", () => {
  it("has every field of the change, and the name of who made it", () => {
    const details = { sequence: 7, instant: 5, who: ada, request: "r1", table: "0123456789ab", undoes: 3 };
    assert.deepEqual(entryOf({ ...details, operation: "event.gangwar" }, namesOf(ada, "Ada")), {
      number: 7,
      instant: 5,
      who: ada,
      name: "Ada",
      token: null,
      operation: "event.gangwar",
      request: "r1",
      table: "0123456789ab",
      undoes: 3,
      changes: [score],
    });
  });

  it("has null for what is unknown", () => {
    const { name, token, request, table, undoes } = entryOf({ who: bob }, namesOf(ada, "Ada"));
    assert.deepEqual([name, token, request, table, undoes], [null, null, null, null, null]);
  });

  it("has the present name of a command", () => {
    assert.equal(entryOf({ operation: "player.register" }).operation, "player.add");
    assert.equal(entryOf({ operation: "player.delete" }).operation, "player.remove");
  });

  it("conceals the hashes of tokens that are added or removed, and nothing else", () => {
    const token = { id: "1a", hash: "0".repeat(64) };
    const other = changeOf("names", "1a", null, { hash: "x" });
    const changes = [changeOf("tokens", "1a", null, token), changeOf("tokens", "1a", token, null), other];
    const concealed = { id: "1a", hash: "…" };
    assert.deepEqual(toAuditEntry(recordOf(changes), new PlayerNames(), false)?.changes, [
      changeOf("tokens", "1a", null, concealed),
      changeOf("tokens", "1a", concealed, null),
      other,
    ]);
    const odd = changeOf("tokens", "1a", "text", { id: "1a" });
    assert.deepEqual(toAuditEntry(recordOf([odd]), new PlayerNames(), false)?.changes, [odd]);
  });
});

describe("the words for who made a change", () => {
  for (const [what, details, words] of [
    ["are the name if it is known", { who: ada }, "Ada"],
    ["are the UUID if the name is unknown", { who: bob }, bob],
    ["are those of the command line", { who: "operator" }, "operator"],
    [
      "have the id of a token, without invisible characters",
      { who: "public", token: "0a\u200b" },
      "public (token 0a\\u200b)",
    ],
    ["have the id of a token beside a name", { who: ada, token: "0a" }, "Ada (token 0a)"],
  ] as const) {
    it(what, () => assert.equal(whoWords(entryOf(details, namesOf(ada, "Ada"))), words));
  }

  it("have no invisible character of a name", () => {
    assert.equal(whoWords(entryOf({ who: ada }, namesOf(ada, "A\u200bda"))), "A\\u200bda");
  });
});

describe("the words for an operation", () => {
  it("are its name", () =>
    assert.equal(operationWords(entryOf({ operation: "houseban.add" })), "houseban.add"));
  it("have the number of the change that it undoes", () => {
    assert.equal(operationWords(entryOf({ operation: "undo", undoes: 12 })), "undo 12");
  });
  it("have no invisible character", () => {
    assert.equal(operationWords(entryOf({ operation: "a\u200b" })), "a\\u200b");
    assert.equal(operationWords(entryOf({ operation: "a\u200b", undoes: 1 })), "a\\u200b 1");
  });
});

describe("the words for a key", () => {
  const words = (key: string, names: PlayerNames) => keyWords(changeOf("memberships", key, null, {}), names);
  it("have the name for its UUID only if that is known", () => {
    assert.equal(words(`GROVE/${ada}`, namesOf(ada, "Ada")), `GROVE/${ada} (Ada)`);
    assert.equal(words(`GROVE/${bob}`, namesOf(ada, "Ada")), `GROVE/${bob}`);
    assert.equal(words("~ada", namesOf(ada, "Ada")), "~ada");
  });
  it("have no invisible character of a name", () => {
    assert.equal(words(ada, namesOf(ada, "A\u200bda")), `${ada} (A\\u200bda)`);
  });
});

describe("the words for a value", () => {
  for (const [field, value, words] of [
    ["startTime", 0, "1970-01-01T00:00:00.000Z"],
    ["startTime", -1, "1969-12-31T23:59:59.999Z"],
    ["registeredAt", 1, "1970-01-01T00:00:00.001Z"],
    ["issuedAt", 1, "1970-01-01T00:00:00.001Z"],
    ["expiresAt", 1, "1970-01-01T00:00:00.001Z"],
    ["revokedAt", 1, "1970-01-01T00:00:00.001Z"],
    ["lastSeen", 1, "1970-01-01T00:00:00.001Z"],
    ["instant", 1, "1970-01-01T00:00:00.001Z"],
    // The last and the first instant that a date can have.
    ["startTime", 8.64e15, "+275760-09-13T00:00:00.000Z"],
    ["startTime", 8.64e15 + 1, "8640000000000001"],
    ["startTime", -8.64e15, "-271821-04-20T00:00:00.000Z"],
    ["startTime", -8.64e15 - 1, "-8640000000000001"],
    ["startTime", "1", "1"],
    ["startTime", null, "null"],
    ["points", 1, "1"],
    ["points", 8.64e15, "8640000000000000"],
    ["name", "Bob", "Bob"],
    ["name", "a-b_c.d!€😀", "a-b_c.d!€😀"],
    ["name", "two words", '"two words"'],
    ["name", "", '""'],
    ["name", 'a"b', '"a\\"b"'],
    ["name", "a\\b", '"a\\\\b"'],
    ["name", "a\nb", '"a\\nb"'],
    ["done", true, "true"],
    ["uuid", null, "null"],
    ["all", ["a b", 1], '["a b",1]'],
    ["all", { a: 1 }, '{"a":1}'],
    ["name", undefined, "nothing"],
  ] as const) {
    it(`of ${field}: ${JSON.stringify(value)} are ${words}`, () => {
      assert.equal(changeWords(changeOf("any", "key", null, { [field]: value })), `added ${field}=${words}`);
    });
  }

  it("of an entry are those of its fields, a player's name and UUID among them", () => {
    const entry = {
      list: "lap",
      key: ["racer"],
      values: { time: 7 },
      player: "racer",
      name: "Ada",
      uuid: ada,
    };
    assert.equal(
      changeWords(changeOf("entries", `lap/${ada}`, null, entry)),
      `added time=7 racer=Ada racerUUID=${ada}`,
    );
  });

  it("of a change that has no record before or after say so", () => {
    for (const [before, after] of [
      [null, null],
      ["text", 5],
      [undefined, null],
    ]) {
      assert.equal(changeWords(changeOf("any", "key", before, after)), "unchanged");
    }
  });

  it("of something that was no record are those of an added one, and the reverse", () => {
    assert.equal(changeWords(changeOf("any", "key", "text", { a: 1 })), "added a=1");
    assert.equal(changeWords(changeOf("any", "key", { a: 1, b: 2 }, "text")), "removed a=1 b=2");
  });
});
