/** The difference between two tables, in routes and players: that of the examples, and compared with `who-can`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { parse } from "yaml";
import { type Crowd, listPlayers, type TableDiff } from "../../src/explain/diff.ts";
import { inWords } from "../../src/explain/summary.ts";
import { runs } from "../_depth.ts";
import { openWorld, type PlayerDetails, questionsOf, shippedRoutes } from "../_setup.ts";

interface Examples {
  readonly players: Readonly<Record<string, PlayerDetails>>;
  readonly table: string;
  readonly changes: readonly { readonly from: string; readonly to: string; readonly is: string }[];
}

const { players, table, changes }: Examples = parse(
  readFileSync(new URL("diff.yaml", import.meta.url), "utf8"),
);

const world = await openWorld({ after: (end: () => unknown) => after(() => end()) });
for (const [name, details] of Object.entries(players)) await world.player(name, details);
const questions = questionsOf(world.service);

/** Compares two texts. */
const between = (before: string, text: string) =>
  questions.diff({ file: "next.yaml", text }, { file: "routes.yaml", text: before });

const namesOf = (crowd: Pick<Crowd, "players" | "public">) => [
  ...crowd.players.map(({ name }) => name),
  ...(crowd.public ? ["public"] : []),
];

/** Returns a difference as the examples have it. */
function linesOf(diff: TableDiff): string[] {
  const { routes, settings, exclusion, takesAway } = diff;
  const lines = settings.map(
    ({ name, before, after }) => `${name}: ${before ?? "nothing"} -> ${after ?? "nothing"}`,
  );
  for (const { path, change, parameters, people, ...others } of routes) {
    lines.push(`${change} ${path}`);
    const fields = (["restriction", "handler", "summary", "limit"] as const).map((name) => ({
      name,
      ...others[name],
    }));
    for (const { name, before, after } of [...fields, ...parameters])
      if (before != null || after != null)
        lines.push(`  ${name}: ${before ?? "nothing"} -> ${after ?? "nothing"}`);
    for (const { when, gains, loses } of people) {
      const values = Object.entries(when).map(([name, value]) => `${name} is ${value}`);
      const crowds = Object.entries({ gains, loses }).map(([verb, crowd]) => [
        verb,
        namesOf(crowd).join(", "),
      ]);
      const said = crowds.filter(([, names]) => names !== "").map((words) => words.join(" "));
      lines.push(`  ${values.length === 0 ? "" : `${values.join(", ")}: `}${said.join("; ")}`);
    }
  }
  if (exclusion !== null) {
    for (const verb of ["excludes", "readmits"] as const)
      lines.push([verb, namesOf(exclusion[verb]).join(", ")].filter((words) => words !== "").join(" "));
  }
  return takesAway ? [...lines, "takes access away"] : lines;
}

describe("the difference of a table", () => {
  for (const { from, to, is } of changes) {
    it(`with ${JSON.stringify(to)} in place of ${JSON.stringify(from)}`, async () => {
      const at = table.indexOf(from);
      assert.equal(table.indexOf(from, at + 1), -1, "it is there once");
      const next = table.slice(0, at) + to + table.slice(at + from.length);
      const found = await between(table, next);
      const diff = listPlayers(found);
      const { takesAway, counts } = diff;
      const lines = linesOf(diff);
      lines.splice(lines.length - Number(takesAway), 0, inWords(diff));
      assert.deepEqual(lines, is.trimEnd().split("\n"));
      // Swapped, it is the other way around.
      const back = (await between(next, table)).counts;
      assert.deepEqual(back, {
        ...counts,
        added: counts.removed,
        removed: counts.added,
        gain: counts.lose,
        lose: counts.gain,
      });
      assert.deepEqual((await between(next, next)).routes, []);
    });
  }

  it("has the pages that come and go; one that goes takes something away", async () => {
    const without =
      "prefix: /a/{tokenString}\nroutes:\n  /e: { summary: E., restriction: open, handler: event.current }\n";
    const diff = listPlayers(await between(without, `pages: [overlay]\n${without}`));
    const same = "No route changes. No player loses access, no player gains access. Changed as well: pages.";
    const shown = "shows event.current";
    assert.deepEqual(
      [...linesOf(diff), inWords(diff)],
      [`pages./overlay/gangwar: nothing -> ${shown}`, same],
    );
    const back = listPlayers(await between(`pages: [overlay]\n${without}`, without));
    const lines = [`pages./overlay/gangwar: ${shown} -> nothing`, "takes access away", same];
    assert.deepEqual([...linesOf(back), inWords(back)], lines);
  });

  it("has what the declarations of lists, statistics and events change", async () => {
    const old = `
prefix: /gameaddon/v1/{tokenString}
lists:
  plates: { title: plate, key: text, fields: { text: text, price: integer }, keep: { price: lowest }, maxEntries: 50 }
  boats: { title: boat, key: text, fields: { text: text } }
statistics: { KILL: { counter: kills, perHour: 120 } }
ratios: {}
events: { race: { title: race, lead: 1h } }
maxEntries: { targetlist: 20 }
routes:
  /plates: { summary: P., restriction: open, handler: plates.list }
`;
    const next = old
      .replace("maxEntries: 50", "maxEntries: 40, maxEntriesPerCreator: 5, order: -price")
      .replace("price: lowest", "price: highest")
      .replace("price: integer", "price: { type: integer, maximum: 9, default: 1 }")
      .replace(/\n {2}boats.*/, "")
      .replace("perHour: 120", "perHour: 100")
      .replace("lead: 1h", "lead: 30min")
      .replace("targetlist: 20", "houseban: 30");
    const diff = listPlayers(await between(old, next));
    assert.deepEqual(
      [...linesOf(diff), inWords(diff)],
      [
        "lists.plates.maxEntries: 50 -> 40",
        "lists.plates.maxEntriesPerCreator: nothing -> 5",
        "lists.plates.fields.price: integer -> integer, maximum 9, default 1",
        "lists.plates.order: text -> -price text",
        "lists.plates.keep: price: lowest -> price: highest",
        "lists.boats: declared -> nothing",
        "maxEntries.targetlist: 20 -> 1000",
        "maxEntries.houseban: 1000 -> 30",
        "statistics.KILL.perHour: 120 -> 100",
        "events.race.lead: one hour -> 30 minutes",
        "No route changes. No player loses access, no player gains access. Changed as well: lists, maxEntries, statistics and events.",
      ],
    );
  });

  it("takes something away if answers lose a field, and shows another order", async () => {
    const old = `
prefix: /gameaddon/v1/{tokenString}
routes: { /plates: { summary: P., restriction: open, handler: plates.list } }
lists: { plates: { title: plate, key: text, creator: true, fields: { text: text, price: integer } } }
statistics: { KILL: { counter: kills, description: K. }, DEATH: { counter: deaths, perHour: 5 }, WIN: { counter: wins }, LOSS: { counter: losses } }
ratios: { wl: [wins, losses] }
events: { race: { title: race } }
scores: { war: [red, blue] }
`;
    for (const [from, to, changes, takesAway] of [
      ["counter: kills", "counter: kill", ["statistics.KILL.counter: kills -> kill"], true],
      [
        "DEATH: ",
        "REVIVE: ",
        ["statistics.DEATH: declared -> nothing", "statistics.REVIVE: nothing -> declared"],
        true,
      ],
      ["title: race }", "title: race, name: run }", ["events.race.name: race -> run"], true],
      ["[red, blue]", "[red, green]", ["scores.war.sides: red blue -> red green"], true],
      ["[red, blue]", "[blue, red, green]", ["scores.war.sides: red blue -> blue red green"], false],
      ["[wins, losses]", "[losses, wins]", ["ratios.wl.counters: wins losses -> losses wins"], true],
      [" creator: true,", "", ["lists.plates.creator: true -> false"], true],
      [", perHour: 5", "", ["statistics.DEATH.perHour: 5 -> nothing"], false],
      [", description: K.", "", ["statistics.KILL.description: K. -> The kills."], false],
      [
        "text: text,",
        "text: { type: text, reserved: [all] },",
        ["lists.plates.fields.text: text -> text, reserved all"],
        true,
      ],
      [", price: integer", "", ["lists.plates.fields.price: integer -> nothing"], true],
      [
        "text: text, price: integer",
        "price: integer, text: text",
        ["lists.plates.fields: text price -> price text"],
        false,
      ],
    ] as const) {
      const found = listPlayers(await between(old, old.replace(from, to)));
      assert.deepEqual(linesOf(found), [...changes, ...(takesAway ? ["takes access away"] : [])]);
    }
  });

  it("takes something away if a route refuses calls that it accepted, or takes them otherwise", async () => {
    const old = `
prefix: /gameaddon/v1/{tokenString}
routes: { /plates/add: { summary: P., restriction: administrators, handler: plates.add } }
lists:
  plates:
    title: plate
    key: text
    fields:
      text: text
      price: { type: integer, minimum: 2, maximum: 50, round: down }
      kind: { type: enum, values: [car, boat], default: car }
      note: { type: text, minLength: 2, maxLength: 20, pattern: "[a-z]*", default: none }
`;
    const narrows = async (from: string, to: string) => {
      const [route] = listPlayers(await between(old, old.replace(from, to))).routes;
      return route?.narrows;
    };
    for (const [from, to] of [
      ["minimum: 2", "minimum: 3"],
      ["maximum: 50", "maximum: 49"],
      [", round: down", ""],
      ["[car, boat]", "[car]"],
      ["default: car", "default: boat"],
      [", default: car", ""],
      ["minLength: 2", "minLength: 3"],
      ["maxLength: 20", "maxLength: 19"],
      ["[a-z]*", "[a-y]*"],
      ["      note: ", "      remark: "],
      ["text: text\n", "text: integer\n"],
      ["      kind:", "      place: text\n      kind:"],
    ] as const)
      assert.equal(await narrows(from, to), true, `${from} -> ${to}`);
    for (const [from, to] of [
      ["minimum: 2", "minimum: 1"],
      ["maximum: 50", "maximum: 51"],
      ["maximum: 50, round: down", "maximum: 50, round: down, default: 3"],
      ["[car, boat]", "[car, boat, bike]"],
      ["minLength: 2", "minLength: 1"],
      ["maxLength: 20", "maxLength: 21"],
      [', pattern: "[a-z]*"', ""],
      ["      kind:", "      place: { type: text, default: here }\n      kind:"],
    ] as const)
      assert.equal(await narrows(from, to), false, `${from} -> ${to}`);
  });

  it("that is faulty is its faults", async () => {
    await assert.rejects(between(table, "routes: 1\n"), /^Failure: next\.yaml has \d+ faults/);
  });

  it("has each player once before they are listed, however many routes they lose", async () => {
    const found = await between(
      table,
      table.replace(/restriction: .*?, (?=param|handler)/g, "restriction: { group: DEV }, "),
    );
    assert.equal(JSON.stringify(found).split('"Ada"').length, 2);
    const losing = listPlayers(found).routes.filter(({ people }) =>
      people.some(({ loses }) => namesOf(loses).includes("Ada")),
    );
    assert.ok(losing.length > 3, `${losing.length} routes`);
  });

  it("without data is that of public tokens, and everyone is no player", async () => {
    const { compareTables } = await import("../../src/explain/comparison.ts");
    const { checkRoutes } = await import("../../src/operations.ts");
    const vocabulary = world.service.vocabulary();
    const [before, next] = [table, table.replace("restriction: open", "restriction: identified")].map(
      (text) => ({
        file: "routes.yaml",
        table: checkRoutes(text, vocabulary).table ?? assert.fail("it has faults"),
      }),
    );
    assert.ok(before !== undefined && next !== undefined);
    const { routes } = listPlayers(await compareTables(before, next, undefined, vocabulary));
    const none = { count: 0, players: [], public: false, everyone: false };
    assert.deepEqual(
      routes.flatMap(({ people }) => people),
      [{ when: {}, gains: none, loses: { ...none, public: true } }],
    );
  });
});

it("names what is declared under the name of a property of every object", async () => {
  const declared = (events: string) => `${table}events: { ${events} }\n`;
  const raid = "raid: { title: raid }";
  const more = `${raid}, valueOf: { title: appraisal }`;
  const { settings } = await between(declared(raid), declared(more));
  assert.deepEqual(settings, [{ name: "events.valueOf", before: null, after: "declared" }]);
});

it("for random restrictions it agrees with who-can, and is the inverse if the tables are swapped", async () => {
  // Pages require that what they show is open.
  const shipped = (await readFile(shippedRoutes, "utf8")).replace(/^pages: .*\n/m, "");
  const forms = [
    ...["open", "identified", "administrators", "{ group: VIP }", "{ group: BETA }"],
    ...["{ service: POLICE, rank: 5 }", "{ faction: GROVE, rank: 4 }", "{ faction: GROVE, rank: 3 }"],
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
      const texts = [shipped, edited.join("\n")] as const;
      const there = listPlayers(await between(...texts));
      const back = await between(texts[1], texts[0]);
      assert.deepEqual([there.counts.gain, there.counts.lose], [back.counts.lose, back.counts.gain]);
      for (const { path, people } of there.routes) {
        // A route that depends on a parameter on one side only is asked with each of its values.
        if (path.includes("{") || path === "/houseban") continue;
        const [before = [], now = []] = await Promise.all(
          texts.map(async (text) =>
            (await questions.whoCan(path, [], { file: "routes.yaml", text })).allowed.flatMap(namesOf),
          ),
        );
        const both = people.map(({ gains, loses }) => [namesOf(gains), namesOf(loses)]);
        const gains = now.filter((name) => !before.includes(name));
        const loses = before.filter((name) => !now.includes(name));
        assert.deepEqual(both, gains.length + loses.length === 0 ? [] : [[gains, loses]]);
      }
    }),
    { numRuns: runs(60) },
  );
});
