/** `seed groups`: adds names from a YAML file, and never removes any (contract, sections 2 and 4). */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Desk, emptyDesk, seededDesk } from "./_setup.ts";

const shippedGroups = ["CEO", "DEV", "MOD", "SUP", "BETA", "VIP", "BLACKLIST", "TARGETLIST"];

async function groupsOf(desk: Desk): Promise<string[]> {
  return (await desk.json<{ group: string }[]>("group", "list")).map(({ group }) => group);
}

/** Returns whether a player can have a rank in it. */
async function isOrganisation(desk: Desk, name: string): Promise<boolean> {
  await desk.ok("player", "add", "Probe");
  return (await desk.run(["member", "set", "Probe", name, "1"])).exitCode === 0;
}

/** Invalid seed files, and the expected message. */
const wrongFiles = [
  ["is no YAML", "groups: [CEO\n", /YAML/],
  ["has a list of that name twice", "groups: [EVENT]\ngroups: [OTHER]\n", /duplicate key/],
  ["is empty", "", /groups, factions and services/],
  ["is a list", "- CEO\n", /groups, factions and services/],
  ["is a text", "CEO\n", /groups, factions and services/],
  ["has a list of another name", "groups: [EVENT]\nteams: [RED]\n", /teams/],
  ["has a text in place of a list", "groups: CEO\n", /list/],
  ["has a number in place of a name", "groups: [1]\n", /name/],
  ["has a name with a space", "groups: [THE BOSS]\n", /space/],
  ["has an empty name", 'groups: [EVENT, ""]\n', /name/],
  ["has a faction that is a service", "groups: [EVENT]\nfactions: [RESCUE]\n", /RESCUE/],
] as const;

describe("seed groups", () => {
  it("when a folder is created without a file, it has the shipped names", async (t) => {
    const desk = await emptyDesk(t);
    await desk.ok("seed", "groups");
    assert.deepEqual(await groupsOf(desk), shippedGroups);
    for (const name of ["GROVE", "RESCUE", "POLICE"]) assert.ok(await isOrganisation(desk, name), name);
  });

  it("when a folder is created, the result shows what was added", async (t) => {
    const desk = await emptyDesk(t);
    const result = await desk.ok("seed", "groups");
    for (const name of ["CEO", "GROVE", "RESCUE"]) assert.ok(result.includes(name), result);
  });

  it("when it is repeated, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    await desk.ok("group", "add", "Ada", "VIP");
    const before = await desk.json("player", "list");
    await desk.ok("seed", "groups");
    assert.deepEqual(await groupsOf(desk), shippedGroups);
    assert.deepEqual(await desk.json("player", "list"), before);
  });

  it("when a file has new names, they come behind the others, and nothing is removed", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("more.yaml", "groups: [EVENT, vip]\nfactions: [YAKUZA]\nservices: [TAXI]\n");
    const result = await desk.ok("seed", "groups", "more.yaml");
    for (const name of ["EVENT", "YAKUZA", "TAXI"]) assert.ok(result.includes(name), result);
    assert.doesNotMatch(result, /vip/i);
    assert.deepEqual(await groupsOf(desk), [...shippedGroups, "EVENT"]);
    for (const name of ["YAKUZA", "TAXI", "GROVE"]) assert.ok(await isOrganisation(desk, name), name);
  });

  it("when a file has only one of the lists, the others stay as they are", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("more.yaml", "factions: [YAKUZA]\n");
    await desk.ok("seed", "groups", "more.yaml");
    assert.deepEqual(await groupsOf(desk), shippedGroups);
    assert.ok(await isOrganisation(desk, "YAKUZA"));
  });

  it("when the file in the data folder was edited, its names are added by default", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("data/seed.yaml", "groups: [EVENT]\n");
    await desk.ok("seed", "groups");
    assert.deepEqual(await groupsOf(desk), [...shippedGroups, "EVENT"]);
  });

  it("when a group was added, players can be put into it and operations name it", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("more.yaml", "groups: [EVENT]\n");
    await desk.ok("seed", "groups", "more.yaml");
    await desk.ok("group", "add", "Ada", "EVENT");
    const groups: unknown = JSON.parse(await desk.ok("call", "/player/groups"));
    assert.deepEqual(groups, [...shippedGroups, "EVENT"]);
  });

  for (const [what, text, says] of wrongFiles) {
    it(`when the file ${what}, the exit code is 1, the error names it, and nothing is added`, async (t) => {
      const desk = await seededDesk(t);
      await desk.write("more.yaml", text);
      assert.match(await desk.fails("seed", "groups", "more.yaml"), says);
      assert.deepEqual(await groupsOf(desk), shippedGroups);
    });
  }

  it("when a file is refused, whatever is wrong with it, the message names the file", async (t) => {
    const desk = await seededDesk(t);
    const unnamed: string[] = [];
    for (const [what, text] of wrongFiles) {
      const path = await desk.write("more.yaml", text);
      if (!(await desk.fails("seed", "groups", "more.yaml")).includes(path)) unnamed.push(what);
    }
    assert.deepEqual(unnamed, []);
  });

  it("when the YAML is broken, line and column are shown", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("more.yaml", "groups:\n  - EVENT\n - OTHER\n");
    assert.match(await desk.fails("seed", "groups", "more.yaml"), /more\.yaml:3:\d+: invalid YAML/);
  });

  it("when there is no such file, the exit code is 1 and the message names it", async (t) => {
    const desk = await seededDesk(t);
    const stderr = await desk.fails("seed", "groups", "none.yaml");
    assert.ok(stderr.includes(join(desk.folder, "none.yaml")));
  });

  it("when there is no such file and no data either, no folder is begun", async (t) => {
    const desk = await emptyDesk(t);
    await desk.fails("seed", "groups", "none.yaml");
    await assert.rejects(desk.files(), { code: "ENOENT" });
  });

  it("when the seed file of the data folder is gone, the shipped one is used", async (t) => {
    const desk = await seededDesk(t);
    await rm(join(desk.data, "seed.yaml"));
    await desk.ok("seed", "groups");
    assert.deepEqual(await groupsOf(desk), shippedGroups);
  });
});
