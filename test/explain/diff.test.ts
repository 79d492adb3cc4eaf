/** The difference between two tables, in routes and players, compared with the answers to requests. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Crowd, listPlayers, type TableDiff } from "../../src/explain/diff.ts";
import type { TableText } from "../../src/table-in-force/questions.ts";
import { runs } from "../_depth.ts";
import { openWorld, shippedRoutes, type World } from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");

async function diff(world: World, text: string): Promise<TableDiff> {
  return between(world, { file: "routes.yaml", text: shipped }, { file: "next.yaml", text });
}

async function between(
  world: World,
  before: TableText | undefined,
  after: TableText | undefined,
): Promise<TableDiff> {
  return listPlayers(await world.service.questions.diff(after, before));
}

/** Replaces a part of a text, which must exist. */
function edit(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), from);
  return text.replace(from, to);
}

const namesOf = ({ players, public: isPublic }: Pick<Crowd, "players" | "public">) => [
  ...players.map(({ name }) => name),
  ...(isPublic ? ["public"] : []),
];

async function openCrew(t: Parameters<typeof openWorld>[0]): Promise<World> {
  const world = await openWorld(t);
  await world.player("Ada", { members: { GROVE: 4, POLICE: 4 } });
  await world.player("Bob", { members: { GROVE: 3, BALLAS: 5 } });
  await world.player("Cleo", { members: { RESCUE: 2 }, groups: ["VIP"] });
  await world.player("Eve", { members: { GROVE: 9, POLICE: 9 }, groups: ["BLACKLIST"] });
  return world;
}

describe("the diff of two tables", () => {
  it("of a table and itself is empty", async (t) => {
    const { routes, settings, takesAway } = await diff(await openCrew(t), shipped);
    assert.deepEqual({ routes, settings, takesAway }, { routes: [], settings: [], takesAway: false });
  });

  it("of comments alone has another revision, but no route", async (t) => {
    const { before, after, routes, takesAway } = await diff(await openCrew(t), `${shipped}# a remark\n`);
    assert.notEqual(before.revision, after.revision);
    assert.deepEqual({ routes, takesAway }, { routes: [], takesAway: false });
  });

  it("names players who lose access by a higher rank, but not excluded ones", async (t) => {
    const next = edit(shipped, "{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 5 }");
    const { routes, counts, takesAway } = await diff(await openCrew(t), next);
    const [route] = routes;
    assert.equal(routes.length, 1);
    assert.equal(route?.path, "/wantedreason/add");
    assert.equal(route?.restriction?.before, "members of the service POLICE with rank 4 or higher");
    assert.equal(route?.restriction?.after, "members of the service POLICE with rank 5 or higher");
    assert.deepEqual(
      route?.people.map(({ loses }) => namesOf(loses)),
      [["Ada"]],
    );
    assert.deepEqual(counts, { added: 0, removed: 0, changed: 1, gain: 0, lose: 1 });
    assert.equal(takesAway, true);
  });

  it("names players who lose access by a further part of an allOf, or gain it without that part", async (t) => {
    const world = await openCrew(t);
    await world.player("Dora", { members: { POLICE: 4 }, groups: ["VIP"] });
    const both = "{ allOf: [{ service: POLICE, rank: 4 }, { group: VIP }] }";
    const stricter = edit(shipped, "{ service: POLICE, rank: 4 }", both);
    const there = await diff(world, stricter);
    assert.equal(
      there.routes[0]?.restriction?.after,
      "those who are both members of the service POLICE with rank 4 or higher and members of the group VIP",
    );
    assert.deepEqual(
      there.routes[0]?.people.map(({ gains, loses }) => [namesOf(gains), namesOf(loses)]),
      [[[], ["Ada"]]],
    );
    assert.equal(there.takesAway, true);
    const back = await between(
      world,
      { file: "next.yaml", text: stricter },
      { file: "routes.yaml", text: shipped },
    );
    assert.deepEqual(
      back.routes[0]?.people.map(({ gains, loses }) => [namesOf(gains), namesOf(loses)]),
      [[["Ada"], []]],
    );
    assert.equal(back.takesAway, false);
  });

  it("contains each player once before it is listed, however many routes they lose", async (t) => {
    const world = await openCrew(t);
    const text = shipped.replaceAll("restriction: open", "restriction: administrators");
    const found = await world.service.questions.diff({ file: "next.yaml", text });
    const losing = listPlayers(found).routes.flatMap(({ people }) =>
      people.map(({ loses }) => namesOf(loses)),
    );
    assert.ok(losing.length > 5 && losing.every((names) => names.includes("Ada")), `${losing}`);
    assert.equal(JSON.stringify(found).split('"Ada"').length, 2);
  });

  it("lists a route with a faction parameter faction by faction", async (t) => {
    const next = edit(
      shipped,
      "{ faction: $factionString, rank: 4 }",
      "{ faction: $factionString, rank: 3 }",
    );
    const { routes, takesAway } = await diff(await openCrew(t), next);
    assert.deepEqual(
      routes[0]?.people.map(({ when, gains }) => [when, namesOf(gains)]),
      [[{ factionString: "GROVE" }, ["Bob"]]],
    );
    assert.equal(takesAway, false);
  });

  it("lists a route with cases case by case", async (t) => {
    const next = edit(
      shipped,
      "{ when: { advanced: true }, service: RESCUE }",
      "{ when: { advanced: true }, group: VIP }",
    );
    const world = await openCrew(t);
    assert.deepEqual((await diff(world, next)).routes[0]?.people, [], "Cleo is in both");
    const stricter = edit(
      shipped,
      "{ when: { advanced: true }, service: RESCUE }",
      "{ when: { advanced: true }, administrators }".replace(
        "administrators }",
        "restriction: administrators }",
      ),
    );
    const [route] = (await diff(world, stricter)).routes;
    assert.deepEqual(
      route?.people.map(({ when, loses }) => [when, namesOf(loses)]),
      [[{ advanced: "true" }, ["Cleo"]]],
    );
  });

  it("includes a change of a default that decides", async (t) => {
    const next = edit(shipped, "default: false", "default: true");
    const [route] = (await diff(await openCrew(t), next)).routes;
    assert.deepEqual(
      route?.people.map(({ when, loses }) => [when, namesOf(loses)]),
      [[{ advanced: "omitted" }, ["Ada", "Bob", "public"]]],
    );
  });

  it("counts public tokens as one caller", async (t) => {
    const next = edit(
      shipped,
      "summary: Returns the target list.\n    restriction: open",
      "summary: Returns the target list.\n    restriction: identified",
    );
    const { routes, counts, takesAway } = await diff(await openCrew(t), next);
    assert.deepEqual(
      routes[0]?.people.map(({ loses }) => namesOf(loses)),
      [["public"]],
    );
    assert.equal(counts.lose, 0);
    assert.equal(takesAway, true);
  });

  it("lists what players lose for themselves", async (t) => {
    const next = edit(shipped, "restriction: { self: player }", "restriction: administrators");
    const [route] = (await diff(await openCrew(t), next)).routes;
    assert.deepEqual(
      route?.people.map(({ when, loses }) => [when, namesOf(loses)]),
      [[{ player: "the caller's own name" }, ["Ada", "Bob", "Cleo"]]],
    );
  });

  it("distinguishes a player whom a case names from players with the same rights", async (t) => {
    const world = await openCrew(t);
    await world.player("Dan", { members: { GROVE: 4, POLICE: 4 } });
    const next = edit(
      shipped,
      "restriction: { self: player }",
      "restriction: [{ when: { player: DAN }, self: player }, administrators]",
    );
    const [route] = (await diff(world, next)).routes;
    assert.deepEqual(
      route?.people.map(({ when, loses }) => [when, namesOf(loses)]),
      [[{ player: "the caller's own name" }, ["Ada", "Bob", "Cleo"]]],
    );
  });

  it("names players who are newly excluded, and who no longer are", async (t) => {
    const next = edit(shipped, "excluded: { group: BLACKLIST }", "excluded: { group: VIP }");
    const { exclusion, routes, takesAway } = await diff(await openCrew(t), next);
    assert.deepEqual(exclusion && [namesOf(exclusion.excludes), namesOf(exclusion.readmits)], [
      ["Cleo"],
      ["Eve"],
    ]);
    assert.deepEqual(routes, []);
    assert.equal(takesAway, true);
  });

  it("includes narrowed parameters and another prefix", async (t) => {
    const tighter = edit(shipped, "minimum: 1, maximum: 3650", "minimum: 1, maximum: 30");
    const next = edit(tighter, "prefix: /gameaddon/v1", "prefix: /gameaddon/v2");
    const { routes, settings, takesAway } = await diff(await openCrew(t), next);
    assert.deepEqual(
      routes.map(({ path, parameters }) => [path, parameters]),
      [
        [
          "/housebanreason/add",
          [
            {
              name: "days",
              before: "integer, minimum 1, maximum 3650",
              after: "integer, minimum 1, maximum 30",
            },
          ],
        ],
      ],
    );
    assert.deepEqual(
      settings.map(({ name }) => name),
      ["prefix"],
    );
    assert.equal(takesAway, true, "nobody finds the old address");
  });

  it("of a faulty table fails with its faults", async (t) => {
    await assert.rejects(diff(await openCrew(t), "routes: 1\n"), { name: "TableFaults", file: "next.yaml" });
  });

  it("agrees with who-can for random edits, and is the inverse if the tables are swapped", async (t) => {
    const world = await openCrew(t);
    const forms = [
      "open",
      "identified",
      "administrators",
      "{ group: VIP }",
      "{ service: POLICE, rank: 5 }",
      "{ faction: GROVE, rank: 4 }",
    ];
    const lines = shipped.split("\n");
    const places = lines.flatMap((line, index) => (/^ {4}restriction: \S/.test(line) ? [index] : []));
    const edits = fc.array(fc.tuple(fc.constantFrom(...places), fc.constantFrom(...forms)), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(edits, async (chosen) => {
        const edited = [...lines];
        for (const [place, form] of chosen) edited[place] = `    restriction: ${form}`;
        const tables = [shipped, edited.join("\n")].map((text, index) => ({ file: `${index}.yaml`, text }));
        const there = await between(world, tables[0], tables[1]);
        const back = await between(world, tables[1], tables[0]);
        assert.equal(there.counts.gain, back.counts.lose);
        assert.equal(there.counts.lose, back.counts.gain);
        for (const route of there.routes) {
          // A route that depends on a parameter on one side only is asked with each of its values.
          if (route.path.includes("{")) continue;
          const may = async (by: { file: string; text: string } | undefined) =>
            (await world.service.questions.whoCan(route.path, [], by)).allowed.flatMap(namesOf);
          const [before, after] = [await may(tables[0]), await may(tables[1])];
          if (route.path === "/houseban") continue;
          const gains = route.people.flatMap((each) => namesOf(each.gains));
          const loses = route.people.flatMap((each) => namesOf(each.loses));
          assert.deepEqual(
            gains,
            after.filter((name) => !before.includes(name)),
          );
          assert.deepEqual(
            loses,
            before.filter((name) => !after.includes(name)),
          );
        }
      }),
      { numRuns: runs(60) },
    );
  });
});
