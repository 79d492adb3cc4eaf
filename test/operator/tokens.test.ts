/** Issuing, listing and revoking tokens. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hashOfToken } from "../../src/identity/tokens.ts";
import type { OperatorInput } from "../../src/operator/index.ts";
import { assertRefused, copyOf } from "../_memory.ts";
import { Desk, one, two } from "./_desk.ts";

function filled(): Desk {
  const desk = new Desk();
  desk.register("Ada", one);
  desk.register("Bob", two);
  return desk;
}

describe("issuing a token", () => {
  it("stores the token of nobody in particular as its hash, without an end", () => {
    const desk = filled();
    const { token, id, player, expires } = desk.run("token.issue", {});
    assert.match(token, /^gat_[\w-]{43}$/);
    assert.match(id, /^[0-9a-f]{8}$/);
    assert.deepEqual([player, expires], [null, null]);
    assert.deepEqual(
      [...desk.data.tokens.values()],
      [
        {
          id,
          hash: hashOfToken(token),
          uuid: null,
          label: null,
          addonVersion: null,
          readOnly: false,
          issuedAt: desk.now,
          expiresAt: null,
          revokedAt: null,
        },
      ],
    );
  });

  it("stores a player's token with everything that was stated", () => {
    const desk = filled();
    const details = { label: "laptop", addonVersion: "2.5.1", readOnly: true };
    const issued = desk.run("token.issue", { player: "ada", ...details, expiresIn: 1 });
    assert.deepEqual([issued.player, issued.expires], ["Ada", desk.now + 1]);
    const times = { issuedAt: desk.now, expiresAt: desk.now + 1, revokedAt: null };
    assert.deepEqual(desk.data.tokens.get(issued.id), {
      id: issued.id,
      hash: hashOfToken(issued.token),
      uuid: one,
      ...details,
      ...times,
    });
  });

  const refusals: readonly (readonly [OperatorInput<"token.issue">, RegExp | string])[] = [
    [{ label: "" }, "Expected a label of 1 to 64 characters."],
    [{ label: "x".repeat(65) }, "Expected a label of 1 to 64 characters."],
    [{ label: "a\nb" }, "Expected a label without control characters."],
    [
      { label: "a\u200bb" },
      "Expected a label without invisible characters; leave out the invisible character U+200B.",
    ],
    [{ label: `a gat_${"x".repeat(43)}` }, "Expected a label without a token in it."],
    [{ addonVersion: "2" }, "Expected a version such as 2.5.1."],
    [{ addonVersion: "2.5.1.0.0" }, "Expected a version such as 2.5.1."],
    [{ expiresIn: 0 }, /Expected >=1/],
    [{ expiresIn: 1.5 }, /safe integer/],
  ];
  for (const [input, message] of refusals) {
    it(`is refused with ${JSON.stringify(input)}`, () => {
      const desk = filled();
      assert.throws(() => desk.run("token.issue", { player: "Ada", ...input }), {
        code: "PARAMETER_INVALID",
        message,
      });
      assert.equal(desk.data.tokens.size, 0);
    });
  }

  it("accepts a label of 64 characters", () => {
    const desk = filled();
    const { id } = desk.run("token.issue", { label: "ü".repeat(64) });
    assert.equal(desk.data.tokens.get(id)?.label, "ü".repeat(64));
  });
});

describe("the list of tokens", () => {
  it("has the oldest token first, and the state of each", () => {
    const desk = filled();
    const start = desk.now;
    const last = desk.run("token.issue", { player: "Ada", addonVersion: "2.5.1" }).id;
    desk.now -= 3;
    const first = desk.run("token.issue", { player: "Bob", expiresIn: 10 }).id;
    desk.now += 1;
    const second = desk.run("token.issue", { label: "web", readOnly: true }).id;
    desk.now += 1;
    const third = desk.run("token.issue", { player: one, expiresIn: 11 }).id;
    desk.run("token.revoke", { id: third });
    const base = { label: null, addonVersion: null, readOnly: false, expires: null, state: "valid" };
    const expected = [
      { ...base, id: first, player: "Bob", issued: start - 3, expires: start + 7 },
      { ...base, id: second, player: null, label: "web", readOnly: true, issued: start - 2 },
      { ...base, id: third, player: "Ada", issued: start - 1, expires: start + 10, state: "revoked" },
      { ...base, id: last, player: "Ada", addonVersion: "2.5.1", issued: start },
    ];
    desk.now = start + 6;
    assert.deepEqual(desk.run("token.list", {}), expected);
    assert.deepEqual(desk.run("token.list", { player: "ada" }), expected.slice(2));
    desk.now = start + 7;
    const [expired, ...others] = desk.run("token.list", {});
    assert.deepEqual([expired?.state, others], ["expired", expected.slice(1)]);
    // Revoked and past its end: the revocation is what the operator did.
    desk.now = start + 10;
    assert.equal(desk.run("token.list", {})[2]?.state, "revoked");
    assertRefused(() => desk.run("token.list", { player: "Adda" }), {
      code: "UNKNOWN_PLAYER",
      message: 'There is no player "Adda". Did you mean "Ada"?',
    });
  });

  it("has the UUID of a player without a record, and tokens of older versions, which allow changes", () => {
    const desk = filled();
    const { id } = desk.run("token.issue", { player: "Ada", readOnly: true });
    const token = desk.data.tokens.get(id);
    assert.ok(token !== undefined);
    const { readOnly: _, ...older } = token;
    desk.data.tokens.put(older);
    desk.data.players.delete(one);
    const [listed] = desk.run("token.list", {});
    assert.deepEqual([listed?.player, listed?.readOnly], [one, false]);
  });
});

describe("revoking a token", () => {
  it("by its id in either case or by its hash sets the instant, once", () => {
    for (const byHash of [false, true]) {
      const desk = filled();
      const { id, token } = desk.run("token.issue", { player: "Ada" });
      const other = desk.run("token.issue", { player: "Ada" });
      const input = byHash ? { hash: hashOfToken(token) ?? "" } : { id: id.toUpperCase() };
      const before = desk.data.tokens.get(id);
      desk.now += 5;
      const revoked = desk.run("token.revoke", input);
      assert.deepEqual(revoked, { info: `Revoked the token ${id}.`, tokens: [id] });
      assert.deepEqual(desk.data.tokens.get(id), { ...before, revokedAt: desk.now });
      assert.equal(desk.data.tokens.get(other.id)?.revokedAt, null);
      const after = copyOf(desk.data);
      desk.now += 5;
      const again = desk.run("token.revoke", input);
      assert.deepEqual(again, { info: `The token ${id} is already revoked.`, tokens: [] });
      assert.deepEqual(copyOf(desk.data), after);
    }
  });

  it("of a player revokes all that are not revoked, expired ones too, and names them", () => {
    const desk = filled();
    const none = { info: "Ada has no tokens to revoke.", tokens: [] };
    assert.deepEqual(desk.run("token.revoke", { player: "ada" }), none);
    const ids = [{ expiresIn: 1 }, {}, {}].map(
      (more) => desk.run("token.issue", { player: "Ada", ...more }).id,
    );
    const others = [{}, { player: "Bob" }].map((input) => desk.run("token.issue", input).id);
    const [expired, first, second] = ids;
    desk.run("token.revoke", { id: second ?? "" });
    const earlier = desk.now;
    desk.now += 10;
    assert.deepEqual(desk.run("token.revoke", { player: "Ada" }), {
      info: `Revoked 2 tokens of Ada: ${expired}, ${first}.`,
      tokens: [expired, first],
    });
    const instants = [...ids, ...others].map((id) => desk.data.tokens.get(id)?.revokedAt);
    assert.deepEqual(instants, [desk.now, desk.now, earlier, null, null]);
    assert.deepEqual(desk.run("token.revoke", { player: "Ada" }), none);
    const { id } = desk.run("token.issue", { player: "Ada" });
    const last = desk.run("token.revoke", { player: one });
    assert.deepEqual(last, { info: `Revoked the token of Ada: ${id}.`, tokens: [id] });
  });

  it("is refused for an unknown id, with the nearest one", () => {
    const desk = filled();
    const { id } = desk.run("token.issue", {});
    const hint = "`addon-cli token list` shows the ids.";
    const typed = `${id.slice(0, -1)}z`;
    const message = `There is no token "${typed}". Did you mean "${id}"?`;
    assertRefused(() => desk.run("token.revoke", { id: typed }), { code: "UNKNOWN_ENTRY", message, hint });
    for (const [text, named] of [
      ["z".repeat(12), ` "${"z".repeat(12)}"`],
      ["z".repeat(13), " of that id"],
      ["", " of that id"],
      // Near the id, and not the form of one.
      [`${id}!`, " of that id"],
      [`gat_${"x".repeat(43)}`, " of that id"],
    ]) {
      const expected = { code: "UNKNOWN_ENTRY", message: `There is no token${named}.`, hint } as const;
      assertRefused(() => desk.run("token.revoke", { id: text ?? "" }), expected);
    }
  });

  it("is refused for the hash of a token of another service", () => {
    const desk = filled();
    desk.run("token.issue", {});
    assertRefused(() => desk.run("token.revoke", { hash: "0".repeat(64) }), {
      code: "UNKNOWN_ENTRY",
      message: "The token on standard input was not issued by this service.",
      hint: "Check that the whole token was copied; `addon-cli token list` shows the ids of all tokens.",
    });
  });
});
