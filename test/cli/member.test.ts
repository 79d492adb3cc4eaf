/** `member`, `admin` and `group`: ranks, the administrator flag, and groups (contract, sections 2 and 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Desk, type FailureDocument, linesOf, type PlayerDocument, seededDesk } from "./_setup.ts";

const uuid = "069a79f444e94726a5befca90e38aaf5";

async function membersOf(desk: Desk, player: string): Promise<Record<string, number>> {
  const { members } = await desk.json<PlayerDocument>("player", "show", player);
  return Object.fromEntries(members.map(({ organisation, rank }) => [organisation, rank]));
}

async function groupsOf(desk: Desk, player: string): Promise<readonly string[]> {
  return (await desk.json<PlayerDocument>("player", "show", player)).groups;
}

describe("member", () => {
  it("when a rank is set, it decides which operations the player may call", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const add = ["call", "/wantedreason/add", "reason=Theft", "points=1", "--as", "Ada"];
    assert.equal((await desk.failsAs<FailureDocument>(...add)).code, "RESTRICTED");
    await desk.ok("member", "set", "Ada", "POLICE", "3");
    assert.equal((await desk.failsAs<FailureDocument>(...add)).code, "RESTRICTED");
    await desk.ok("member", "set", "Ada", "POLICE", "4");
    await desk.ok(...add);
  });

  it("when a rank is set again, the new one replaces the old one", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    await desk.ok("member", "set", "ada", "grove", "12");
    await desk.ok("member", "set", "Ada", "RESCUE", "1");
    assert.deepEqual(await membersOf(desk, "Ada"), { GROVE: 12, RESCUE: 1 });
  });

  it("when the same rank is set twice, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    await desk.ok("member", "set", uuid, "GROVE", "4");
    await desk.ok("member", "set", uuid, "GROVE", "4");
    assert.deepEqual(await membersOf(desk, "Ada"), { GROVE: 4 });
  });

  it("when a membership is removed, only that one is gone", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4", "--member", "RESCUE:2");
    await desk.ok("member", "remove", "Ada", "GROVE");
    assert.deepEqual(await membersOf(desk, "Ada"), { RESCUE: 2 });
  });

  it("when a missing membership is removed, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    assert.match(await desk.ok("member", "remove", "Ada", "GROVE"), /Ada is not in GROVE/);
  });

  it("when the player is not registered, the exit code is 1", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("member", "set", "Nobody", "GROVE", "4"), /Nobody/);
    assert.match(await desk.fails("member", "remove", "Nobody", "GROVE"), /Nobody/);
  });
});

describe("admin", () => {
  it("when the flag is granted, the player is listed and has the rights of administrators", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    await desk.ok("player", "add", "Bob");
    const line = ["call", "/mgmt/version", "type=add", "version=2.5.1", "--as", "Ada"];
    assert.equal((await desk.failsAs<FailureDocument>(...line)).code, "RESTRICTED");
    await desk.ok("admin", "grant", "Ada");
    assert.deepEqual(await desk.json("admin", "list"), [{ name: "Ada", uuid }]);
    assert.deepEqual(linesOf(await desk.ok("admin", "list")), [`Ada\t${uuid}`]);
    await desk.ok(...line);
  });

  it("when the flag is granted, a faction's reasons remain closed to other players", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--admin");
    const failure = await desk.failsAs<FailureDocument>("call", "/blacklistreason/GROVE", "--as", "Ada");
    assert.equal(failure.code, "RESTRICTED");
  });

  it("when the flag is revoked, the player is no longer an administrator", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--admin");
    await desk.ok("admin", "revoke", "Ada");
    assert.deepEqual(await desk.json("admin", "list"), []);
  });

  it("when the flag is granted or revoked twice, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    assert.match(await desk.ok("admin", "grant", "Ada"), /Ada is now an administrator\./);
    assert.match(await desk.ok("admin", "grant", "Ada"), /Ada is already an administrator\./);
    assert.deepEqual(await desk.json("admin", "list"), [{ name: "Ada", uuid }]);
    assert.match(await desk.ok("admin", "revoke", "Ada"), /Ada is now not an administrator\./);
    assert.match(await desk.ok("admin", "revoke", "Ada"), /Ada is already not an administrator\./);
  });

  it("when the player is not registered, the exit code is 1", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("admin", "grant", "Nobody"), /Nobody/);
    assert.match(await desk.fails("admin", "revoke", "Nobody"), /Nobody/);
  });
});

describe("group", () => {
  it("when groups are listed, all appear in the seed's order, including empty ones", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    await desk.ok("group", "add", "Ada", "vip");
    await desk.ok("group", "add", "Stranger", "VIP");
    const lines = linesOf(await desk.ok("group", "list"));
    assert.deepEqual(
      lines.map((line) => line.split("\t")[0]),
      ["CEO", "DEV", "MOD", "SUP", "BETA", "VIP", "BLACKLIST", "TARGETLIST"],
    );
    const groups = await desk.json<{ group: string; members: unknown[] }[]>("group", "list");
    assert.deepEqual(groups[5], {
      group: "VIP",
      members: [
        { name: "Ada", uuid },
        { name: "Stranger", uuid: null },
      ],
    });
    assert.deepEqual(groups[0], { group: "CEO", members: [] });
  });

  it("when a name is put into a group before it registers, the membership is bound at registration", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("group", "add", "Ada", "TARGETLIST");
    await desk.ok("player", "add", "ada", "--uuid", uuid);
    assert.deepEqual(await groupsOf(desk, uuid), ["TARGETLIST"]);
    // It is bound to the UUID, and does not pass to the next player of that name.
    await desk.ok("player", "remove", "ada", "--yes");
    await desk.ok("player", "add", "Ada");
    assert.deepEqual(await groupsOf(desk, "Ada"), []);
  });

  it("when an unregistered UUID is put into a group, the player who registers it is a member of the group", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("group", "add", uuid, "VIP");
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    assert.deepEqual(await groupsOf(desk, "Ada"), ["VIP"]);
  });

  it("when a player is put into a group twice, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    await desk.ok("group", "add", "Ada", "VIP");
    assert.match(await desk.ok("group", "add", uuid, "VIP"), /already/);
    await desk.ok("group", "remove", "ADA", "VIP");
    assert.deepEqual(await groupsOf(desk, "Ada"), []);
  });

  it("when a player who is not a member is removed, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    assert.match(await desk.ok("group", "remove", "Ada", "VIP"), /Ada.*VIP/);
    assert.match(await desk.ok("group", "remove", "Stranger", "VIP"), /Stranger.*VIP/);
  });

  it("when an unregistered name is removed from a group, it is no longer a member", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("group", "add", "Stranger", "VIP");
    await desk.ok("group", "remove", "stranger", "vip");
    assert.doesNotMatch(await desk.ok("group", "list"), /stranger/i);
  });

  for (const name of ["", "Ada Lovelace", "x".repeat(33), "a/b"]) {
    it(`when ${JSON.stringify(name)} is put into a group, it is refused, since no player can have that name`, async (t) => {
      const desk = await seededDesk(t);
      assert.match(await desk.misused("group", "add", name, "VIP"), /1 to 32 letters, digits/);
    });
  }
});
