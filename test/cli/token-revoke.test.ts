/** `token revoke --player`: all tokens of a player, as one confirmed change. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertIncludes } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import { answering, type Desk, type FailureDocument, type IssuedDocument } from "./_setup.ts";

/** Returns a desk on which Ada has two valid tokens and a revoked one, and others have tokens, with the ids of the two. */
async function withTokens(desk: Desk): Promise<string[]> {
  await desk.ok("player", "add", "Ada");
  await desk.ok("player", "add", "Bob");
  const issue = (...who: readonly string[]) => desk.json<IssuedDocument>("token", "issue", ...who);
  await desk.ok("token", "revoke", (await issue("--player", "Ada")).id);
  await issue("--player", "Bob");
  await issue("--public");
  return [(await issue("--player", "Ada")).id, (await issue("--player", "Ada", "--expires", "30d")).id];
}

async function validTokens(desk: Desk): Promise<(string | null)[]> {
  const rows = await desk.json<{ player: string | null; state: string }[]>("token", "list");
  return rows.filter(({ state, player }) => state === "valid" && player !== null).map(({ player }) => player);
}

const line = ["token", "revoke", "--player", "Ada"] as const;

describeBothWays("token revoke --player", (open) => {
  it("when --yes is given, all tokens of the player are revoked as one change, and nobody else's", async (t) => {
    const desk = await open(t);
    const ids = await withTokens(desk);
    const { info, tokens } = await desk.json<{ info: string; tokens: string[] }>(...line, "--yes");
    assert.deepEqual([...tokens].sort(), [...ids].sort());
    assert.match(info, /^Revoked 2 tokens of Ada: \w{8}, \w{8}\.$/);
    assert.deepEqual(await validTokens(desk), ["Bob"]);
    const change = await desk.json<{ number: number; changes: unknown[] }>("audit", "--limit", "1");
    assert.equal(change.changes.length, 2);
    await desk.ok("undo", String(change.number));
    assert.deepEqual(await validTokens(desk), ["Bob", "Ada", "Ada"]);
  });

  it("when a terminal asks, only yes revokes them", async (t) => {
    const desk = await open(t);
    await withTokens(desk);
    const no = await answering(desk, "n", ...line);
    assert.deepEqual([no.exitCode, no.questions], [1, ["Revoke all 2 tokens of Ada? [y/N] "]]);
    assert.equal((await validTokens(desk)).length, 3);
    assert.equal((await answering(desk, "y", ...line)).exitCode, 0);
    assert.deepEqual(await validTokens(desk), ["Bob"]);
  });

  it("when there is nobody to ask, it fails and revokes none", async (t) => {
    const desk = await open(t);
    await withTokens(desk);
    assertIncludes(await desk.fails(...line), "This revokes all 2 tokens of Ada, and there is nobody to ask");
    const { code, hint } = await desk.failsAs<FailureDocument>(...line);
    assert.equal(code, "CONFLICT");
    assertIncludes(hint ?? "", "--yes");
    assert.equal((await validTokens(desk)).length, 3);
  });

  it("when the player has no valid token, it asks nothing and changes nothing", async (t) => {
    const desk = await open(t);
    await withTokens(desk);
    await desk.ok(...line, "--yes");
    assert.equal(await desk.ok(...line), "Ada has no tokens to revoke.\n");
  });

  it("when the player is unknown, or an id and a player are given, it fails", async (t) => {
    const desk = await open(t);
    const [id = ""] = await withTokens(desk);
    assertIncludes(await desk.fails("token", "revoke", "--player", "Adda", "--yes"), 'Did you mean "Ada"?');
    assertIncludes(await desk.misused("token", "revoke", id, "--player", "Ada"), "one of <id> and --player");
    assert.equal((await validTokens(desk)).length, 3);
  });
});
