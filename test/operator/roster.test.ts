/** `roster apply`: a CSV file becomes one change of players, memberships and groups, or a list of all its faults. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatCSV } from "../../src/backup/csv.ts";
import { Failure } from "../../src/domain/errors.ts";
import { rosterColumns } from "../../src/operator/roster/standing.ts";
import { openWorld, type World } from "../_setup.ts";

const [one, two, six] = ["1", "2", "6"].map((digit) => digit.repeat(32)) as [string, string, string];

/** Who is registered, with everything that a roster sets, and who is in a group without being registered. */
async function people({ service }: World) {
  const players = await service.administer("player.list", {});
  const groups = await service.administer("group.list", {});
  return [
    ...players.map(({ name, uuid, members, groups, administrator }) =>
      [
        name,
        uuid[0],
        ...members.map((member) => `${member.organisation}:${member.rank}`),
        ...groups,
        administrator,
      ]
        .filter((word) => word !== false)
        .join(" "),
    ),
    ...groups.flatMap(({ group, members }) =>
      members.flatMap(({ name, uuid }) => (uuid === null ? `${name} ${group}` : [])),
    ),
  ];
}

async function worldOfThree(t: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(t);
  const { service } = world;
  const register = (name: string, uuid: string, organisation: string, administrator = false) =>
    service.administer("player.add", { name, uuid, members: [{ organisation, rank: 4 }], administrator });
  await register("Ada", one, "GROVE", true);
  await register("Bob", two, "GROVE");
  await register("Fay", six, "POLICE");
  for (const player of ["Fay", "Eve", "Gus"])
    await service.administer("group.add", { player, group: "BLACKLIST" });
  for (const player of ["Bob", "Cleo"]) await service.administer("group.add", { player, group: "VIP" });
  const apply = (
    text: string,
    options: { only?: string[]; remove?: boolean; preview?: boolean; basis?: string } = {},
  ) => service.administer("roster.apply", { file: "r.csv", text, remove: false, preview: false, ...options });
  const faultsOf = async (text: string, options = {}) => {
    const error = await apply(text, options).catch((error: unknown) => error);
    assert.ok(error instanceof Failure && error.faultyFile !== undefined, String(error));
    return error.faultyFile.faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
  };
  return { world, service, apply, faultsOf };
}

describe("a roster", () => {
  it("registers, renames, promotes and groups players in one change, which can be undone", async (t) => {
    const { world, service, apply } = await worldOfThree(t);
    const caller = await world.player("Ban", { administrator: true, groups: ["TARGETLIST"] });
    await world.ok(caller.token, "/targetlist/add", { name: "Bob" });
    const [before, former] = [world.snapshot(), await people(world)];
    const text = [
      "groups;name;uuid;organisations;administrator",
      `;Adele;${one.slice(0, 8)}-1111-1111-1111-${one.slice(0, 12)};GROVE:5 police:1;`,
      `"vip BETA";"Ada"; ${two.toUpperCase()};"GROVE:3";no`,
      "VIP;Cleo;;RESCUE:2;yes",
      ";Eve;;;",
      ";;;;",
    ].join("\r\n");

    const preview = await apply(text, { preview: true });
    assert.deepEqual(world.snapshot(), before, "a preview changes nothing");
    const applied = await apply(text);
    assert.deepEqual(applied.report, {
      registered: ["Cleo", "Eve (already in BLACKLIST; add that to the cell, or the next roster readmits)"],
      renamed: ["Ada to Adele", "Bob to Ada"],
      ranksGained: ["Adele GROVE:5 (was 4)", "Adele POLICE:1", "Cleo RESCUE:2"],
      ranksLost: ["Ada GROVE:3 (was 4)"],
      groupsGained: ["Ada BETA"],
      groupsLost: [],
      endsChanged: [],
      alreadyEnded: [],
      readmitted: [],
      administratorsGained: ["Cleo"],
      administratorsLost: ["Adele"],
      notInTheFile: ["Ban", "Fay"],
    });
    assert.deepEqual(
      { ...applied, sequence: null },
      preview,
      "it does what the preview says, and the result is consistent",
    );
    assert.deepEqual(applied.problems, []);
    const [cleo, eve] = await people(world).then((all) => all.filter((who) => /^(?:Cleo|Eve)/.test(who)));
    assert.match(String(cleo), /^Cleo \w RESCUE:2 VIP true$/);
    assert.match(String(eve), /^Eve \w BLACKLIST$/, "an export cannot show that Eve is excluded");
    assert.deepEqual(
      (await people(world)).filter((who) => !/^(?:Cleo|Eve)/.test(who)),
      [
        "Ada 2 GROVE:3 BETA VIP",
        "Adele 1 GROVE:5 POLICE:1",
        "Ban b TARGETLIST true",
        "Fay 6 POLICE:4 BLACKLIST",
        "Gus BLACKLIST",
      ].map((who) => who.replace("Ban b", `Ban ${caller.uuid[0]}`)),
    );
    const [target] = await world.ok(caller.token, "/targetlist");
    assert.equal(target.name, "Ada", "what names a player follows the new name");

    const again = await apply(text.replace(";Eve", "BLACKLIST;Eve"));
    assert.deepEqual([again.changes, again.sequence], [0, null]);
    await service.administer("undo", { sequence: applied.sequence ?? 0 });
    assert.deepEqual(await people(world), former);
    const [same] = await world.ok(caller.token, "/targetlist");
    assert.equal(same.name, "Bob");
  });

  it("is not applied if what it would change has changed since its preview", async (t) => {
    const { service, apply } = await worldOfThree(t);
    const text = "name,groups,organisations\nBob,VIP,GROVE:2\nZoe,,GROVE:1\n";
    const { basis } = await apply(text, { preview: true });
    await service.administer("player.add", { name: "Amy" });
    await service.administer("player.exclude", { player: "Bob" });
    await assert.rejects(apply(text, { basis }), { code: "CONFLICT", message: /changed meanwhile/ });
    const again = await apply(text, { preview: true });
    assert.deepEqual(again.report.readmitted, ["Bob"]);
    assert.equal((await apply(text, { basis: again.basis })).changes, again.changes);

    // What others have removed would come back as something new.
    const asIs =
      "name,groups,organisations,administrator\nBob,VIP,GROVE:2,\nAda,,GROVE:4,yes\nCleo,,RESCUE:1,\n";
    const seen = await apply(asIs, { preview: true });
    assert.equal((await apply(asIs, { preview: true })).basis, seen.basis);
    await service.administer("admin.revoke", { player: "Ada" });
    await assert.rejects(apply(asIs, { basis: seen.basis }), { code: "CONFLICT" });
    const { basis: later } = await apply(asIs, { preview: true });
    await service.administer("member.remove", { player: "Bob", organisation: "GROVE" });
    await assert.rejects(apply(asIs, { basis: later }), { code: "CONFLICT" });
    const two = "name,organisations\nBob,GROVE:2\nAda,GROVE:2\n";
    await service.administer("member.set", { player: "Ada", organisation: "GROVE", rank: 2 });
    const { basis: bobs } = await apply(two, { preview: true });
    await service.administer("member.set", { player: "Bob", organisation: "GROVE", rank: 2 });
    await service.administer("member.remove", { player: "Ada", organisation: "GROVE" });
    await assert.rejects(apply(two, { basis: bobs }), { code: "CONFLICT" });
  });

  it("names a removed player of the same name who is still excluded, as a registration does", async (t) => {
    const { service, apply } = await worldOfThree(t);
    await service.administer("player.remove", { player: "Fay" });
    const former = "a removed player of this name, 66666666666666666666666666666666, is still in BLACKLIST";
    const text = `name,uuid\nFay,${"9".repeat(32)}\n`;
    assert.deepEqual((await apply(text, { preview: true })).report.registered, [`Fay (${former})`]);
    const { info } = await service.administer("player.add", { name: "Fay", uuid: "9".repeat(32) });
    assert.equal(info, `Registered Fay; ${former}.`);
  });

  it("sets, changes and removes ends, and what is exported changes nothing", async (t) => {
    const { world, service, apply } = await worldOfThree(t);
    const ends = ["@2099-12-01T00:00Z", "@2099-12-01T00:00:30Z"] as const;
    const { report } = await apply(
      `name,organisations,groups\nAda,GROVE:4${ends[0]},VIP${ends[1]}\nBob,GROVE:2${ends[1]},VIP\n`,
    );
    assert.deepEqual(report.endsChanged, [`Ada GROVE:4${ends[0]} (was GROVE:4)`]);
    assert.deepEqual(report.ranksLost, [`Bob GROVE:2${ends[1]} (was 4)`]);
    assert.deepEqual(report.groupsGained, [`Ada VIP${ends[1]}`]);
    const rows = await service.administer("roster.export", {});
    assert.deepEqual(rows.slice(0, 2), [
      ["Ada", one, `GROVE:4${ends[0]}`, `VIP${ends[1]}`, "yes"],
      ["Bob", two, `GROVE:2${ends[1]}`, "VIP", ""],
    ]);
    const text = formatCSV(rosterColumns, rows);
    // An excluded player has a reason; another end keeps it, and a rank that has ended is about to be removed.
    const excluded = { group: "BLACKLIST", name: "Fay", uuid: six, reason: "Cheats" };
    const origin = { who: "operator", operation: "test" };
    await world.service.store.change(origin, (draft) => {
      draft.groupMembers.put(excluded);
      draft.memberships.put({ uuid: six, organisation: "RESCUE", rank: 3, until: 1 });
    });
    assert.equal((await apply(text)).changes, 0);
    // A name can look like one with an end.
    await service.administer("seed.groups", { groups: ["VIP@2"] });
    const late = { uuid: six, organisation: "POLICE", rank: 4, until: 8e15 };
    await world.service.store.change(origin, (draft) => draft.memberships.put(late));
    await service.administer("group.add", { player: "Ada", group: "VIP@2", until: Date.UTC(2099, 11, 1) });
    const own = formatCSV(rosterColumns, await service.administer("roster.export", {}));
    assert.ok(own.includes(`VIP@2${ends[0]}`), own);
    assert.equal((await apply(own)).changes, 0);
    await service.administer("group.remove", { player: "Ada", group: "VIP@2" });
    await apply(text.replace("BLACKLIST", `BLACKLIST${ends[0]}`));
    const until = Date.UTC(2099, 11, 1);
    assert.deepEqual(world.service.store.data.groupMembers.get(`BLACKLIST/${six}`), { ...excluded, until });
    const { endsChanged } = (await apply("name,organisations,groups\nAda,GROVE:4,VIP\n")).report;
    assert.deepEqual(endsChanged, [`Ada GROVE:4 (was GROVE:4${ends[0]})`, `Ada VIP (was VIP${ends[1]})`]);
  });

  it("says which operations its players gain and lose, once for players with the same change", async (t) => {
    const { apply } = await worldOfThree(t);
    const { operations } = await apply(
      "name,organisations,groups,administrator\nAda,GROVE:4,TARGETLIST,yes\nBob,GROVE:4,TARGETLIST,\nFay,POLICE:4,,\n",
      { preview: true },
    );
    const of = (path: string) => operations.filter((one) => one.path === path);
    assert.deepEqual(of("/targetlist/add"), [
      { path: "/targetlist/add", when: {}, gains: ["Ada", "Bob"], loses: [] },
    ]);
    assert.deepEqual(of("/event/bomb")[0]?.gains, ["Fay"], "who is readmitted");
  });

  it("leaves alone the columns that it lacks or that are not asked for, and whoever it lacks", async (t) => {
    const { world, apply, faultsOf } = await worldOfThree(t);
    const unregistered = ["Cleo VIP", "Eve BLACKLIST", "Gus BLACKLIST"];
    await apply(`name,groups\nAda,VIP\n`);
    assert.deepEqual((await people(world)).slice(0, 3), [
      "Ada 1 GROVE:4 VIP true",
      "Bob 2 GROVE:4 VIP",
      "Fay 6 POLICE:4 BLACKLIST",
    ]);
    const all = `name,uuid,organisations,groups,administrator\nAdele,${one},GROVE:1,,\nFay,,,,yes\n`;
    await apply(all, { only: ["organisations"] });
    assert.deepEqual((await people(world)).slice(0, 3), [
      "Ada 1 GROVE:1 VIP true",
      "Bob 2 GROVE:4 VIP",
      "Fay 6 BLACKLIST",
    ]);
    assert.deepEqual(await faultsOf("name,groups\nNew,VIP\n", { only: ["groups"] }), [
      '2:1 there is no player "New"',
    ]);
    await apply("name,organisations\nBob,GROVE:4\n", { remove: true });
    const report = (await apply("name,groups\nBob,VIP\n", { remove: true })).report;
    assert.deepEqual([report.readmitted, report.groupsLost], [["Fay"], ["Ada VIP"]]);
    assert.deepEqual(await people(world), ["Ada 1 true", "Bob 2 GROVE:4 VIP", "Fay 6", ...unregistered]);
  });

  it("reports all its faults at once, at their places, and changes nothing", async (t) => {
    const { world, service, faultsOf } = await worldOfThree(t);
    const before = world.snapshot();
    const text = [
      "name,uuid,organisations,groups,administrator",
      "3-May,069a79f4e94726a5befca90e38aaf5,GROV:3,VPI,maybe",
      "04.05.2026,6.9E+31,GROVE:0 GROVE,BLACKLIS,",
      `Bob,${two},"RESCUE:2@2026-12-01, GROVE:1 GROVE:2",,`,
      `Ida,${two},,,`,
      "Fay,,",
      '"fay",,,,',
      ",,GROVE:1,,",
      "a b,,,,,more",
      "two words,x,,,",
    ].join("\n");
    const asText = ": a spreadsheet may have changed it; format the column as text";
    const names = "expected GROVE, BALLAS, VAGOS, TRIADS, CARTEL, RESCUE or POLICE";
    const groups = "expected CEO, DEV, MOD, SUP, BETA, VIP, BLACKLIST or TARGETLIST";
    assert.deepEqual(await faultsOf(text), [
      `2:1 expected a player name, got "3-May"${asText}, or use \`player add\``,
      `2:7 expected a UUID of 32 hex digits, or nothing, got "069a79f4e94726a5befca90e38aaf5"${asText}`,
      `2:38 unknown faction or service "GROV"; ${names}. Did you mean "GROVE"?`,
      `2:45 unknown group "VPI"; ${groups}`,
      '2:49 expected yes, no or nothing, got "maybe"',
      `3:1 expected a player name, got "04.05.2026"${asText}, or use \`player add\``,
      `3:12 expected a UUID of 32 hex digits, or nothing, got "6.9E+31"${asText}`,
      "3:20 expected a rank from 1 to 2147483647, got 0",
      '3:28 expected <organisation>:<rank>, such as GROVE:4, got "GROVE"',
      `3:34 unknown group "BLACKLIS"; ${groups}. Did you mean "BLACKLIST"?`,
      '4:39 expected an end with date, time and zone, such as @2099-12-31T00:00Z, got "@2026-12-01,"',
      "4:68 GROVE is in the cell twice",
      `5:1 the UUID ${two} is also that of line 4`,
      "7:2 the name Fay is also that of line 6",
      "8:1 expected a player name, got nothing",
      '9:1 expected a player name of 1 to 32 letters, digits, "_", "." or "-", got "a b"',
      "9:9 expected 5 cells, got 6",
      '10:1 expected a player name of 1 to 32 letters, digits, "_", "." or "-", got "two words"',
      '10:11 expected a UUID of 32 hex digits, or nothing, got "x"',
    ]);
    assert.deepEqual(await faultsOf(`name,rang,name\nBob,,\n`, { only: ["groups"] }), [
      '1:1 expected a column "groups"',
      '1:6 unknown column "rang"',
      '1:11 the column "name" is there twice',
    ]);
    assert.deepEqual(await faultsOf(`name,uuid\nBob,${one}\n`), [
      `2:5 the player Bob is ${two}, and the UUID beside it is that of Ada; correct one, or leave the UUID empty`,
    ]);
    assert.deepEqual(await faultsOf('name,uuid\n"Ida" x,\nZoe,\n'), [
      "2:2 expected the quote that ends a cell; one within a cell is written twice",
    ]);
    assert.deepEqual(world.snapshot(), before);
    await service.administer("player.add", { name: "3-May" });
    const { changes } = await service.administer("roster.apply", {
      ...{ file: "r.csv", text: "name\n3-May\n", remove: false, preview: true },
    });
    assert.equal(changes, 0, "a registered player may be called like a date");
  });

  it("of 3,000 players is applied within 3 seconds", async (t) => {
    const { apply } = await worldOfThree(t);
    const rows = Array.from(
      { length: 3000 },
      (_, index) => `P${index},GROVE:${1 + (index % 6)} RESCUE:1,VIP`,
    );
    const text = ["name,organisations,groups", ...rows].join("\n");
    // The time of the processor, since the machine may have other work.
    const began = process.cpuUsage();
    const { changes } = await apply(text);
    const promoted = await apply(text.replaceAll("GROVE:1 ", "GROVE:2 "));
    const { user, system } = process.cpuUsage(began);
    assert.deepEqual([changes, promoted.changes], [12_000, 500]);
    assert.ok(user + system < 6_000_000, `${user + system} µs for two rosters`);
  });
});
