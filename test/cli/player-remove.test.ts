/** `player remove` asks, and shows what is removed, what remains, and how long the history is kept. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertIncludes, day } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import { answering, type Desk, type FailureDocument } from "./_setup.ts";

async function withAda(desk: Desk): Promise<void> {
  await desk.ok("player", "add", "Ada", "--member", "RESCUE:5", "--member", "GROVE:1");
  await desk.ok("group", "add", "Ada", "VIP");
  await desk.ok("token", "issue", "--player", "Ada");
  await desk.ok("call", "/targetlist/add", "name=Ada");
  await desk.ok("call", "/housebanreason/add", "reason=Noise", "days=3", "--as", "Ada");
}

async function isThere(desk: Desk): Promise<boolean> {
  return (await desk.json<unknown[]>("player", "list")).length > 0;
}

describeBothWays("player remove", (open) => {
  it("when a terminal asks, it shows what is removed and what remains, and only yes removes the player", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    const no = await answering(desk, "", "player", "remove", "ada");
    assert.deepEqual([no.exitCode, no.questions], [1, ["Remove Ada? [y/N] "]]);
    assertIncludes(no.stderr, "This removes Ada with statistics, 2 memberships, 1 group and 1 token.");
    assertIncludes(no.stderr, "It keeps 1 target, 1 house-ban reason and an exclusion");
    const [, until = ""] = /keep the history for at least 14 days, until (\S+);/.exec(no.stderr) ?? [];
    assert.ok(Math.abs(Date.parse(until) - Date.now() - 14 * day) < day);
    assertIncludes(no.stderr, "Nothing was changed.");
    assert.equal(await isThere(desk), true);
    const yes = await answering(desk, "yes", "player", "remove", "ada");
    assert.equal(yes.exitCode, 0);
    assertIncludes(yes.stdout, "Removed Ada, with statistics, memberships and tokens.");
    assert.equal(await isThere(desk), false);
  });

  it("when there is nobody to ask, it fails and removes nobody", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    assertIncludes(
      await desk.fails("player", "remove", "Ada"),
      "This removes Ada, and there is nobody to ask",
    );
    assert.equal((await desk.failsAs<FailureDocument>("player", "remove", "Ada")).code, "CONFLICT");
    assert.equal(await isThere(desk), true);
  });

  it("when --json and --yes are given, the document shows until when the history is kept", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    const { historyUntil } = await desk.json<{ historyUntil: number }>("player", "remove", "Ada", "--yes");
    assert.ok(Math.abs(historyUntil - Date.now() - 14 * day) < day);
    assert.equal(await isThere(desk), false);
  });
});
