/** Filtered lists: `player list --member --group --limit`, `token list --player`. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertIncludes } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import type { Desk } from "./_setup.ts";

async function withPlayers(desk: Desk): Promise<void> {
  await desk.ok("player", "add", "Ada", "--member", "GROVE:4", "--member", "RESCUE:1");
  await desk.ok("player", "add", "Bob", "--member", "GROVE:1");
  await desk.ok("player", "add", "Cleo", "--member", "RESCUE:2");
  for (const name of ["Ada", "Cleo", "Stranger"]) await desk.ok("group", "add", name, "VIP");
}

async function listed(desk: Desk, ...options: readonly string[]): Promise<string[]> {
  return (await desk.json<{ name: string }[]>("player", "list", ...options)).map(({ name }) => name);
}

describeBothWays("player list", (open) => {
  it("when memberships are given, it lists the players who have all of them", async (t) => {
    const desk = await open(t);
    await withPlayers(desk);
    assert.deepEqual(await listed(desk), ["Ada", "Bob", "Cleo"]);
    assert.deepEqual(await listed(desk, "--member", "grove"), ["Ada", "Bob"]);
    assert.deepEqual(await listed(desk, "--group", "VIP"), ["Ada", "Cleo"]);
    assert.deepEqual(await listed(desk, "--member", "RESCUE", "--group", "VIP"), ["Ada", "Cleo"]);
    assert.deepEqual(await listed(desk, "--member", "RESCUE", "--member", "GROVE"), ["Ada"]);
    assert.deepEqual(await listed(desk, "--member", "POLICE"), []);
  });

  it("when a limit is given, it lists the first ones, and a remark shows the total", async (t) => {
    const desk = await open(t);
    await withPlayers(desk);
    const { stdout, stderr } = await desk.run(["player", "list", "--member", "GROVE", "--limit", "1"]);
    assert.match(stdout, /^Ada\t[^\n]*\n$/);
    assert.equal(stderr, "Showing 1 of 2 players.\n");
    assert.equal((await desk.run(["player", "list", "--limit", "3"])).stderr, "");
  });

  it("when there is no such faction or group, it fails and suggests the nearest", async (t) => {
    const desk = await open(t);
    assertIncludes(await desk.fails("player", "list", "--member", "GROV"), 'Did you mean "GROVE"?');
    assertIncludes(await desk.fails("player", "list", "--group", "VIPS"), 'Did you mean "VIP"?');
  });
});

describeBothWays("token list --player", (open) => {
  it("when a player is given, it lists only the player's tokens", async (t) => {
    const desk = await open(t);
    await withPlayers(desk);
    const issue = (...who: readonly string[]) => desk.json<{ id: string }>("token", "issue", ...who);
    const ids = [await issue("--player", "Ada"), await issue("--player", "Ada")].map(({ id }) => id);
    await issue("--player", "Bob");
    await issue("--public");
    const rows = await desk.json<{ id: string }[]>("token", "list", "--player", "ada");
    assert.deepEqual(rows.map(({ id }) => id).sort(), ids.sort());
  });

  it("when the player has none, a remark reports that, and an unknown player fails", async (t) => {
    const desk = await open(t);
    await withPlayers(desk);
    const { exitCode, stdout, stderr } = await desk.run(["token", "list", "--player", "Cleo"]);
    assert.deepEqual([exitCode, stdout, stderr], [0, "", "Cleo has no tokens.\n"]);
    assertIncludes(await desk.fails("token", "list", "--player", "Cleu"), 'Did you mean "Cleo"?');
  });
});
