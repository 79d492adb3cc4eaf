/** Tokens and their callers: which are valid, and until when. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callerOf, currentCaller, operatorCaller, playerCaller } from "../../src/identity/callers.ts";
import { hashOfToken, issueToken, liveTokenOf, requireToken } from "../../src/identity/tokens.ts";
import { assertRefused, type Memory, memory } from "../_memory.ts";

const now = 1_000_000;
const clock = () => now;
const [one, two] = ["1".repeat(32), "2".repeat(32)];
const details = { label: null, addonVersion: null, readOnly: false };
const ada = { uuid: one, name: "Ada", administrator: false, registeredAt: 0 };

/** Stores a token, and returns it with its record. */
function issue(data: Memory, uuid: string | null, expiresAt: number | null = null, issuedAt = now) {
  return issueToken(data, { ...details, uuid, expiresAt }, issuedAt);
}

const hint = "Ask an operator for a new token.";
const revoked = { code: "TOKEN_REVOKED", message: "This addon token was revoked.", hint } as const;
const expired = { code: "TOKEN_EXPIRED", message: "This addon token has expired.", hint } as const;
const unknown = {
  code: "TOKEN_UNKNOWN",
  message: "This addon token is unknown.",
  hint: "Ask an operator for a token.",
} as const;
const orphaned = {
  code: "TOKEN_UNKNOWN",
  message: "The player of this addon token is no longer registered.",
} as const;

describe("a token", () => {
  it("is valid until its end, and until it is revoked", () => {
    const data = memory();
    const { token, record } = issue(data, null, now + 10);
    assert.equal(requireToken(data, token, now + 9), record);
    assertRefused(() => requireToken(data, token, now + 10), expired);
    data.tokens.put({ ...record, revokedAt: now });
    assertRefused(() => requireToken(data, token, now), revoked);
    assertRefused(() => requireToken(data, token, now + 10), revoked);
  });

  it("is unknown without a record or in another form", () => {
    const data = memory();
    const { token } = issue(data, null);
    const foreign = issue(memory(), null).token;
    for (const text of [foreign, `${token}x`, token.slice(0, -1), ` ${token}`, "", "gat_"])
      assertRefused(() => requireToken(data, text, now), unknown);
    assert.equal(hashOfToken(`${token}x`), undefined);
    assert.match(hashOfToken(token) ?? "", /^[0-9a-f]{64}$/);
  });

  it("is the newest of its player if it is valid; of two at one instant, the later record", () => {
    const data = memory();
    assert.equal(liveTokenOf(data, one, now), undefined);
    const first = issue(data, one).record;
    assert.equal(liveTokenOf(data, one, now), first);
    const second = issue(data, one, now + 5).record;
    issue(data, one, null, now - 1);
    issue(data, two, null, now + 1);
    assert.equal(liveTokenOf(data, one, now), second);
    assert.equal(liveTokenOf(data, one, now + 5), first);
    data.tokens.put({ ...second, revokedAt: now });
    assert.equal(liveTokenOf(data, one, now), first);
  });
});

describe("the caller of a token", () => {
  it("is nobody for a public token, and else the player", () => {
    const data = memory();
    data.players.put(ada);
    const open = callerOf(data, { ...issue(data, null).record, readOnly: true }, clock);
    assert.deepEqual([open.id, open.administrator, open.unrestricted], [null, false, false]);
    assert.equal(open.readOnly, true);
    assert.deepEqual([open.isCalled("Ada"), open.rankIn("faction", "GROVE")], [false, undefined]);
    const { record } = issue(data, one);
    const player = callerOf(data, record, clock);
    assert.deepEqual([player.id, player.token, player.readOnly], [one, record.id, false]);
    assert.deepEqual([player.administrator, player.unrestricted], [false, false]);
    assertRefused(() => callerOf(data, issue(data, two).record, clock), orphaned);
  });

  it("is called by the name in any case and by the UUID in any form", () => {
    const caller = playerCaller(memory(), { ...ada, uuid: "a".repeat(32) }, clock);
    const dashed = "AAAAAAAA-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    for (const reference of ["Ada", "ADA", "a".repeat(32), dashed])
      assert.ok(caller.isCalled(reference), reference);
    for (const reference of ["Adam", "", "b".repeat(32)]) assert.ok(!caller.isCalled(reference), reference);
  });

  it("has the ranks and groups of the player", () => {
    const data = memory();
    data.memberships.put({ uuid: one, organisation: "GROVE", rank: 3 });
    data.memberships.put({ uuid: one, organisation: "VIP", rank: 7 });
    data.groupMembers.put({ group: "MOD", name: "Ada", uuid: one });
    const caller = playerCaller(data, ada, clock);
    const ranks = [
      caller.rankIn("faction", "GROVE"),
      caller.rankIn("service", "POLICE"),
      caller.rankIn("group", "MOD"),
      caller.rankIn("group", "VIP"),
    ];
    assert.deepEqual(ranks, [3, undefined, 0, undefined]);
  });
});

describe("the caller at the decision of a change", () => {
  it("is the operator as before, whatever the data", () => {
    assert.equal(currentCaller(memory(), operatorCaller, now), operatorCaller);
  });

  it("is found by the token, which must still be valid", () => {
    const data = memory();
    data.players.put(ada);
    const { record } = issue(data, one, now + 1);
    const caller = callerOf(data, record, clock);
    data.tokens.put({ ...record, readOnly: true });
    data.players.put({ ...ada, administrator: true });
    const current = currentCaller(data, caller, now);
    assert.deepEqual([current.readOnly, current.administrator, current.token], [true, true, record.id]);
    assertRefused(() => currentCaller(data, caller, now + 1), expired);
    data.tokens.put({ ...record, revokedAt: now });
    assertRefused(() => currentCaller(data, caller, now), revoked);
    data.tokens.put(record);
    data.players.delete(one);
    assertRefused(() => currentCaller(data, caller, now), orphaned);
    data.tokens.delete(record.id);
    assertRefused(() => currentCaller(data, caller, now), unknown);
  });

  it("is the player as whom the operator acts, while registered", () => {
    const data = memory();
    data.players.put(ada);
    const caller = playerCaller(data, ada, clock);
    data.players.put({ ...ada, administrator: true });
    assert.equal(currentCaller(data, caller, now).administrator, true);
    data.players.delete(one);
    const message = "The player is no longer registered.";
    assertRefused(() => currentCaller(data, caller, now), { code: "UNKNOWN_PLAYER", message });
  });
});
