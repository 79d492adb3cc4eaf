/** The format of changes, and what is never shown of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAuditEntry } from "../../src/audit/entry.ts";
import { changeWords, keyWords, whoWords } from "../../src/audit/format.ts";
import { PlayerNames } from "../../src/audit/names.ts";
import { escapeInvisible } from "../../src/domain/escape.ts";
import { wantedReason } from "../_entries.ts";
import { assertLacks } from "../_setup.ts";
import { ada, changeOf, recordOf } from "./_history.ts";

const hash = "0123456789abcdef".repeat(4);

function words(before: unknown, after: unknown): string {
  return changeWords(changeOf("any", "key", before, after));
}

describe("the change of a record", () => {
  it("shows each changed field with both values", () => {
    assert.equal(words({ a: 1, b: "x", c: null }, { a: 2, b: "x", c: true }), "a 1 -> 2, c null -> true");
  });
  it("shows an added record with its values", () => {
    assert.equal(words(null, { name: "Bob", done: false }), "added name=Bob done=false");
  });
  it("shows a removed record with its values", () => {
    assert.equal(words({ name: "Bob", done: true }, null), "removed name=Bob done=true");
  });
  it("shows texts with a space in quotes, and lists as JSON", () => {
    assert.equal(words(null, { label: "for Ada", all: [1, "a"] }), 'added label="for Ada" all=[1,"a"]');
    assert.equal(words({ label: "" }, { label: 'a"b' }), 'label "" -> "a\\"b"');
  });
  it("shows instants in ISO 8601", () => {
    assert.equal(
      words({ revokedAt: null }, { revokedAt: 1795262400000 }),
      "revokedAt null -> 2026-11-21T12:00:00.000Z",
    );
  });
  it("shows a field that only one of the two has", () => {
    assert.equal(words({ a: 1 }, { b: 2 }), "a 1 -> nothing, b nothing -> 2");
  });
  it("has no character that controls a terminal or breaks a line", () => {
    const evil = "a\u001b[2Jb\nc\td\u202ee\u009bf\u2028g";
    const control = /[\p{C}\p{Zl}\p{Zp}]/u;
    assert.doesNotMatch(words(null, { [evil]: evil }), control);
    assert.doesNotMatch(keyWords(changeOf("any", evil, null, {}), new PlayerNames()), control);
    assert.equal(escapeInvisible("a\u001bb"), "a\\u001bb");
  });
});

it("an invisible character is shown by its number, so that texts that differ look different", () => {
  assert.equal(words(null, { name: "Mallory\u3164" }), "added name=Mallory\\u3164");
  assert.equal(
    keyWords(changeOf("targets", "~a\u2800\ufe0f", null, {}), new PlayerNames()),
    "~a\\u2800\\ufe0f",
  );
});

describe("a record's key", () => {
  it("is shown with the name for its UUID", () => {
    const names = new PlayerNames();
    names.learn(recordOf([changeOf("players", ada, null, { uuid: ada, name: "Ada" })]));
    assert.equal(keyWords(changeOf("memberships", `GROVE/${ada}`, null, {}), names), `GROVE/${ada} (Ada)`);
    assert.equal(keyWords(changeOf("entries", "wantedreason/theft", null, {}), names), "wantedreason/theft");
  });
});

describe("an entry", () => {
  it("has no hash of a token, before or after", () => {
    const token = { id: "1a2b", hash, revokedAt: null };
    const record = recordOf([changeOf("tokens", "1a2b", token, { ...token, revokedAt: 5 })]);
    const entry = toAuditEntry(record, new PlayerNames(), true);
    assertLacks(JSON.stringify(entry), hash);
    assert.deepEqual(entry?.changes[0]?.before, { id: "1a2b", hash: "…", revokedAt: null });
    assert.deepEqual(entry?.changes[0]?.after, { id: "1a2b", hash: "…", revokedAt: 5 });
    assert.equal(
      changeWords(entry?.changes[0] ?? changeOf("", "", null, null)),
      "revokedAt null -> 1970-01-01T00:00:00.005Z",
    );
  });
  it("has no bookkeeping, unless requested", () => {
    const noted = changeOf("activity", ada, null, { uuid: ada, lastSeen: 1, version: null });
    const reason = changeOf("entries", "wantedreason/theft", null, wantedReason("Theft"));
    assert.equal(toAuditEntry(recordOf([noted]), new PlayerNames(), false), undefined);
    assert.deepEqual(toAuditEntry(recordOf([noted, reason]), new PlayerNames(), false)?.changes, [reason]);
    const both = [noted, reason];
    assert.deepEqual(toAuditEntry(recordOf(both), new PlayerNames(), true)?.changes, both);
  });
});

describe("the author of a change", () => {
  const whoOf = (details: Parameters<typeof recordOf>[1]) => {
    const entry = toAuditEntry(
      recordOf([changeOf("scores", "gangwar", null, {})], details),
      new PlayerNames(),
      false,
    );
    assert.ok(entry !== undefined, "the change is shown");
    return { words: whoWords(entry), token: entry.token };
  };

  it("is shown with the token's id for a public caller", () => {
    assert.deepEqual(whoOf({ who: "public", token: "0a1b2c3d" }), {
      words: "public (token 0a1b2c3d)",
      token: "0a1b2c3d",
    });
  });
  it("is only `public` in changes from before the id was recorded", () => {
    assert.deepEqual(whoOf({ who: "public" }), { words: "public", token: null });
  });
});
