/** `player show --everything`: all records and all changes of one person, and of nobody else. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertIncludes, assertLacks } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import type { Desk, IssuedDocument } from "./_setup.ts";

const uuid = "069a79f444e94726a5befca90e38aaf5";

interface Everything {
  readonly name: string;
  readonly uuids: readonly string[];
  readonly records: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly audit: readonly {
    readonly operation: string;
    readonly who: string;
    readonly changes: unknown[];
  }[];
}

const everything = (desk: Desk, who: string) => desk.json<Everything>("player", "show", who, "--everything");

/** Returns the number of records of each collection that is not empty. */
function counts({ records }: Everything): Record<string, number> {
  const filled = Object.entries(records).filter(([, all]) => all.length > 0);
  return Object.fromEntries(filled.map(([name, all]) => [name, all.length]));
}

async function withPeople(desk: Desk): Promise<IssuedDocument> {
  await desk.ok("player", "add", "Ada", "--uuid", uuid, "--member", "RESCUE:5", "--member", "GROVE:1");
  await desk.ok("player", "add", "Bob", "--member", "RESCUE:5");
  await desk.ok("group", "add", "Ada", "VIP");
  await desk.ok("call", "/statistic/Ada/set", "type=KILL", "amount=7");
  await desk.ok("call", "/housebanreason/add", "reason=Noise", "days=3", "--as", "Ada");
  await desk.ok("call", "/houseban/add", "name=Ada", "reason=Noise", "--as", "Bob");
  await desk.ok("call", "/houseban/add", "name=Mallory", "reason=Noise", "--as", "Ada");
  await desk.ok("call", "/houseban/add", "name=Trent", "reason=Noise", "--as", "Bob");
  await desk.ok("call", "/targetlist/add", "name=Ada");
  return desk.json("token", "issue", "--player", "Ada", "--label", "phone");
}

describeBothWays("player show --everything", (open) => {
  it("when a player is given, it prints every record of the player, without tokens and hashes", async (t) => {
    const desk = await open(t);
    const { token, id } = await withPeople(desk);
    const text = await desk.ok("player", "show", "Ada", "--everything");
    const shown: Everything = JSON.parse(text);
    assert.deepEqual([shown.name, shown.uuids], ["Ada", [uuid]]);
    assert.deepEqual(counts(shown), {
      players: 1,
      statistics: 1,
      memberships: 2,
      groupMembers: 1,
      targets: 1,
      houseBans: 2,
      houseBanReasons: 1,
      tokens: 1,
    });
    const [issued] = shown.records.tokens ?? [];
    assert.deepEqual([issued?.id, issued?.label, issued && "hash" in issued], [id, "phone", false]);
    assertLacks(text, token);
    assert.doesNotMatch(text, /[0-9a-f]{64}/);
  });

  it("when a player is given, it prints the changes by the player and to the player's records", async (t) => {
    const desk = await open(t);
    await withPeople(desk);
    const { audit } = await everything(desk, "Ada");
    assert.deepEqual(
      audit.map(({ operation }) => operation),
      [
        "player.add",
        "group.add",
        "statistic.set",
        "housebanreason.add",
        "houseban.add",
        "houseban.add",
        "targetlist.add",
        "token.issue",
      ],
    );
  });

  it("when a change has records of many players, it prints only those of the person", async (t) => {
    const desk = await open(t);
    await withPeople(desk);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("member", "set", "Ada", "GROVE", "2");
    await desk.ok("member", "set", "Bob", "RESCUE", "6");
    await desk.ok("data", "restore", "b.gz", "--yes");
    const restored = (await everything(desk, "Ada")).audit.at(-1);
    assert.equal(restored?.operation, "data.restore");
    assert.equal(restored.changes.length, 1);
    assertLacks(JSON.stringify(restored), "RESCUE");
  });

  it("when a person was never registered, it prints the records under that name", async (t) => {
    const desk = await open(t);
    await withPeople(desk);
    const shown = await everything(desk, "mallory");
    assert.deepEqual(shown.uuids, []);
    assert.deepEqual(counts(shown), { houseBans: 1 });
    assert.deepEqual(
      shown.audit.map(({ operation, who }) => [operation, who]),
      [["houseban.add", uuid]],
    );
  });

  it("when a player was removed, it finds the remaining records and the journal by the name", async (t) => {
    const desk = await open(t);
    await withPeople(desk);
    await desk.ok("player", "remove", "Ada", "--yes");
    const shown = await everything(desk, "Ada");
    assert.deepEqual(shown.uuids, [uuid]);
    assert.deepEqual(counts(shown), { targets: 1, houseBans: 2, houseBanReasons: 1 });
    assert.equal(shown.audit.at(-1)?.operation, "player.remove");
    await desk.ok("player", "add", "Zoe");
    await desk.ok("player", "remove", "Zoe", "--yes");
    assert.deepEqual(
      (await everything(desk, "Zoe")).audit.map(({ operation }) => operation),
      ["player.add", "player.remove"],
    );
  });

  it("when nobody ever had the name, it fails and suggests the nearest", async (t) => {
    const desk = await open(t);
    await withPeople(desk);
    assertIncludes(await desk.fails("player", "show", "Adda", "--everything"), 'Did you mean "Ada"?');
  });
});
