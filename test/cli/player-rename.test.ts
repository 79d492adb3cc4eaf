/** `player rename` changes the name everywhere, as one change. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertIncludes } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import type { Desk, FailureDocument, IssuedDocument, PlayerDocument } from "./_setup.ts";

const read = (desk: Desk, path: string, ...args: readonly string[]) => desk.json("call", path, ...args);

/** Returns everything visible to a caller or an operator that may contain Ada's name or UUID. */
async function everything(desk: Desk): Promise<string> {
  const seen = [
    await desk.json("player", "list"),
    await desk.json("group", "list"),
    await desk.json("token", "list"),
    await desk.json("admin", "list"),
  ];
  for (const path of ["/statistic/top", "/player", "/targetlist", "/housebanreason", "/mgmt/users"])
    seen.push(await read(desk, path));
  seen.push(await read(desk, "/houseban", "advanced=true"));
  return JSON.stringify(seen);
}

/** Returns a desk on which Ada has every kind of record, and has created every kind that shows its creator. */
async function withAda(desk: Desk): Promise<IssuedDocument> {
  await desk.ok("player", "add", "Ada", "--member", "RESCUE:5", "--admin");
  await desk.ok("group", "add", "Ada", "TARGETLIST");
  await desk.ok("call", "/statistic/Ada/set", "type=KILL", "amount=7");
  await desk.ok("call", "/targetlist/add", "name=Ada");
  await desk.ok("call", "/housebanreason/add", "reason=Noise", "days=3", "--as", "Ada");
  await desk.ok("call", "/houseban/add", "name=Ada", "reason=Noise", "--as", "Ada");
  await desk.ok("call", "/houseban/add", "name=Mallory", "reason=Noise", "--as", "Ada");
  return desk.json("token", "issue", "--player", "Ada");
}

describeBothWays("player rename", (open) => {
  it("when a player is renamed, nothing shows the former name, and everything else is unchanged", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    const before = await everything(desk);
    assert.equal(await desk.ok("player", "rename", "Ada", "Countess"), "Renamed Ada to Countess.\n");
    const inOrder = (text: string) => [...text].sort().join("");
    const after = await everything(desk);
    assert.equal(inOrder(after), inOrder(before.replaceAll('"Ada"', '"Countess"')));
    const { statistic, members } = await desk.json<PlayerDocument>("player", "show", "countess");
    assert.deepEqual([statistic.kills, members], [7, [{ organisation: "RESCUE", rank: 5 }]]);
    assertIncludes(await desk.fails("player", "show", "Ada"), 'no player "Ada"');
  });

  it("when a player is renamed, it is one change, by the operator, found by either name", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    await desk.ok("player", "rename", "Ada", "Countess");
    for (const name of ["Ada", "Countess"]) {
      const line = await desk.ok("--json", "audit", "--player", name, "--operation", "player.rename");
      const { who, changes } = JSON.parse(line) as { who: string; changes: { collection: string }[] };
      assert.equal(who, "operator");
      assert.deepEqual(
        changes.map(({ collection }) => collection),
        ["players", "groupMembers", "targets", "houseBans", "houseBans", "houseBanReasons"],
      );
    }
  });

  it("when the renaming is undone, everything is as it was before", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    const before = await everything(desk);
    await desk.ok("player", "rename", "Ada", "Countess");
    const { number } = await desk.json<{ number: number }>("audit", "--limit", "1");
    await desk.ok("undo", String(number));
    assert.equal(await everything(desk), before);
  });

  it("when only the case of the name changes, there is no conflict", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    assert.equal(await desk.ok("player", "rename", "Ada", "ADA"), "Renamed Ada to ADA.\n");
    assert.equal((await desk.json<PlayerDocument>("player", "show", "ada")).name, "ADA");
    assertIncludes(await desk.ok("player", "rename", "Ada", "ADA"), "is already called ADA");
  });

  it("when the name is another player's, in whatever case, it is refused and nothing changes", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    const bob = await desk.json<PlayerDocument>("player", "add", "Bob");
    const before = await everything(desk);
    const { code, info, hint } = await desk.failsAs<FailureDocument>("player", "rename", "Ada", "bOB");
    assert.equal(code, "CONFLICT");
    assert.equal(info, `The name Bob is taken by the player ${bob.uuid}.`);
    assertIncludes(hint ?? "", "another name");
    assert.equal(await everything(desk), before);
  });

  it("when nobody has the former name, it fails and suggests the nearest", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    assertIncludes(await desk.fails("player", "rename", "Adda", "Countess"), 'Did you mean "Ada"?');
  });

  it("when the new name is already excluded, the player is excluded, and the result reports that", async (t) => {
    const desk = await open(t);
    await withAda(desk);
    await desk.ok("player", "exclude", "Zoe", "--yes");
    assert.equal(
      await desk.ok("player", "rename", "Ada", "zoe"),
      "Renamed Ada to zoe. The player takes over the group member Zoe (BLACKLIST).\n",
    );
    assert.equal((await desk.failsAs<FailureDocument>("call", "/event", "--as", "zoe")).code, "EXCLUDED");
  });

  for (const name of ["operator", "Public", "SYSTEM"]) {
    it(`when the new name is ${name}, it is refused, since the audit gives it another meaning`, async (t) => {
      const desk = await open(t);
      await withAda(desk);
      assertIncludes(
        await desk.misused("player", "rename", "Ada", name),
        "other than operator, public or system",
      );
      assertIncludes(await desk.misused("player", "add", name), "other than operator, public or system");
    });
  }
});
