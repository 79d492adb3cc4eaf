/** `seed remove`: removes an unreferenced name, or names the references. */
import assert from "node:assert/strict";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertIncludes, assertLacks, shippedRoutes } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import { type Desk, type FailureDocument, seededDesk } from "./_setup.ts";

async function addNames(desk: Desk, yaml: string): Promise<void> {
  await desk.write("more.yaml", yaml);
  await desk.ok("seed", "groups", "more.yaml");
}

async function groupsOf(desk: Desk): Promise<string[]> {
  return (await desk.json<{ group: string }[]>("group", "list")).map(({ group }) => group);
}

async function lastNumber(desk: Desk): Promise<number> {
  return (await desk.json<{ number: number }>("audit", "--limit", "1")).number;
}

describeBothWays("seed remove", (open) => {
  it("when nothing refers to a name, it is gone, and the next one comes behind all others", async (t) => {
    const desk = await open(t);
    await addNames(desk, "groups: [VIPP, EVENT]\n");
    const { exitCode, stdout, stderr } = await desk.run(["seed", "remove", "group", "vipp", "--yes"]);
    assert.deepEqual([exitCode, stdout], [0, "Removed the group VIPP.\n"]);
    assert.equal(stderr, `\`addon-cli undo ${await lastNumber(desk)}\` undoes it.\n`);
    await addNames(desk, "groups: [LATER]\n");
    assert.deepEqual((await groupsOf(desk)).slice(-2), ["EVENT", "LATER"]);
  });

  it("when nobody answers for it, nothing is removed", async (t) => {
    const desk = await open(t);
    const before = await groupsOf(desk);
    assertIncludes(await desk.fails("seed", "remove", "group", "MOD"), "--yes does it without asking.");
    assert.deepEqual(await groupsOf(desk), before);
  });

  it("when it is undone, the name is where it was", async (t) => {
    const desk = await open(t);
    const before = await groupsOf(desk);
    await desk.ok("seed", "remove", "group", "MOD", "--yes");
    assert.deepEqual(
      await groupsOf(desk),
      before.filter((name) => name !== "MOD"),
    );
    await desk.ok("undo", String(await lastNumber(desk)));
    assert.deepEqual(await groupsOf(desk), before);
  });

  it("when an added name is to be undone, the advice removes it", async (t) => {
    const desk = await open(t);
    await addNames(desk, "services: [TAXY]\n");
    const number = await lastNumber(desk);
    const { info, hint = "" } = await desk.failsAs<FailureDocument>("undo", String(number));
    assertIncludes(info, "the name TAXY stays");
    const [, command = ""] = /`addon-cli (.+?)`/.exec(hint) ?? [];
    assert.equal(await desk.ok(...command.split(" "), "--yes"), "Removed the service TAXY.\n");
  });

  it("when members refer to a group, the first five are named, and how many more", async (t) => {
    const desk = await open(t);
    for (const name of ["Gil", "Ada", "Bob", "Cleo", "Dan", "Eve", "Fay"]) {
      await desk.ok("group", "add", name, "VIP");
    }
    const { code, info, hint } = await desk.failsAs<FailureDocument>(
      "seed",
      "remove",
      "group",
      "VIP",
      "--yes",
    );
    assert.equal(code, "CONFLICT");
    // No route refers to it, so the advice does not name the route table.
    assert.equal(hint, "`addon-cli group remove <player> VIP` removes a member.");
    assert.equal(info, "The group VIP is in use: 7 members (Ada, Bob, Cleo, Dan, Eve and 2 more).");
    assert.ok((await groupsOf(desk)).includes("VIP"));
  });

  it("when members and blacklist reasons refer to a faction, both are named", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    await desk.ok("call", "/blacklistreason/GROVE/add", "reason=Betrayal", "price=1", "kills=1");
    const stderr = await desk.fails("seed", "remove", "faction", "GROVE", "--yes");
    assertIncludes(stderr, "The faction GROVE is in use: 1 member (Ada); 1 blacklist reason (Betrayal).");
    await desk.ok("member", "remove", "Ada", "GROVE");
    await desk.ok("call", "/blacklistreason/GROVE/remove", "reason=Betrayal");
    await desk.ok("seed", "remove", "faction", "GROVE", "--yes");
    assertIncludes(await desk.fails("call", "/blacklistreason/GROVE"), 'no faction "GROVE"');
  });

  it("when routes refer to a name, they are named, and the exclusion as well", async (t) => {
    const desk = await open(t);
    assertIncludes(
      await desk.fails("seed", "remove", "group", "TARGETLIST", "--yes"),
      "3 routes of the route table (/targetlist/add, /targetlist/done and /targetlist/remove)",
    );
    assertIncludes(
      await desk.fails("seed", "remove", "service", "RESCUE", "--yes"),
      "5 routes of the route table (/houseban,",
    );
    assertIncludes(
      await desk.fails("seed", "remove", "group", "BLACKLIST", "--yes"),
      "the route table excludes its members",
    );
  });

  it("when a removed member's rank was in a faction that is gone, undoing the removal reports that", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    await desk.ok("group", "add", "Ada", "VIP");
    await desk.ok("player", "remove", "Ada", "--yes");
    const number = String(await lastNumber(desk));
    await desk.ok("seed", "remove", "faction", "GROVE", "--yes");
    assertIncludes(
      await desk.fails("undo", number),
      "the faction or service GROVE of the membership Ada (GROVE)",
    );
    await desk.ok("undo", String(await lastNumber(desk)));
    await desk.ok("undo", number);
    assertIncludes(await desk.ok("player", "show", "Ada"), "GROVE:4");
  });

  it("when the name was given to the other kind since, undoing the removal reports that", async (t) => {
    const desk = await open(t);
    await desk.ok("seed", "remove", "faction", "GROVE", "--yes");
    const number = String(await lastNumber(desk));
    await addNames(desk, "services: [Grove]\n");
    assertIncludes(await desk.fails("undo", number), "GROVE is now a service");
  });

  it("when there is no such name, the nearest of its kind is suggested", async (t) => {
    const desk = await open(t);
    const { code, info } = await desk.failsAs<FailureDocument>("seed", "remove", "faction", "GROV", "--yes");
    assert.deepEqual([code, info], ["UNKNOWN_FACTION", 'There is no faction "GROV". Did you mean "GROVE"?']);
    assertIncludes(
      await desk.fails("seed", "remove", "service", "GROVE", "--yes"),
      'There is no service "GROVE".',
    );
  });
});

describe("seed remove", () => {
  it("when the seed file still lists the name, the operator is shown", async (t) => {
    const desk = await seededDesk(t);
    const { stdout, stderr } = await desk.run(["seed", "remove", "group", "MOD", "--yes"]);
    assert.equal(stdout, "Removed the group MOD.\n");
    assertIncludes(stderr, `${join(desk.data, "seed.yaml")} still lists MOD`);
    // A start seeds nothing, so the name does not return.
    const serving = desk.serve();
    await serving.shows(/Listening/);
    assert.equal((await groupsOf(desk)).includes("MOD"), false);
  });

  it("when only the table in the file refers to the name, not yet in force, it is refused", async (t) => {
    const desk = await seededDesk(t);
    await copyFile(shippedRoutes, join(desk.folder, "routes.yaml"));
    const serving = desk.serve(["--no-watch"]);
    await serving.shows(/Listening/);
    const text = await readFile(shippedRoutes, "utf8");
    await desk.write("routes.yaml", text.replaceAll("group: TARGETLIST", "group: MOD"));
    const ofFile = await desk.fails("seed", "remove", "group", "MOD", "--yes");
    assertIncludes(ofFile, "3 routes of the route table (/targetlist/add, /targetlist/done");
    assertIncludes(
      await desk.fails("seed", "remove", "group", "TARGETLIST", "--yes"),
      "3 routes of the route table",
    );
    await desk.ok("routes", "reload", "--yes");
    assertLacks(await desk.ok("seed", "remove", "group", "TARGETLIST", "--yes"), "routes");
  });

  it("when a parameter's default or a case names a group, its route refers to it", async (t) => {
    const desk = await seededDesk(t);
    const text = await readFile(shippedRoutes, "utf8");
    const restriction = /(\/player\/add:\n(?: {4}.*\n)*? {4}restriction: )administrators\n/;
    assert.match(text, restriction);
    const withCase = text.replace(
      restriction,
      "$1\n      - { when: { group: MOD }, service: POLICE }\n      - administrators\n",
    );
    await desk.write("routes.yaml", withCase);
    assertIncludes(
      await desk.fails("seed", "remove", "group", "MOD", "--yes"),
      "1 route of the route table (/player/add)",
    );
    await desk.write("routes.yaml", text.replaceAll("group: group", "group: { type: group, default: MOD }"));
    assertIncludes(
      await desk.fails("seed", "remove", "group", "MOD", "--yes"),
      "(/player/add and /player/remove)",
    );
  });

  it("when the kind is none, it is wrong usage", async (t) => {
    const desk = await seededDesk(t);
    assertIncludes(await desk.misused("seed", "remove", "team", "RED", "--yes"), "group, faction, service");
  });
});
