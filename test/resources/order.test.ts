/** The order of names and reasons in every list, by the table's language. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { comparisonIn } from "../../src/domain/text.ts";
import { checkRoutes } from "../../src/operations.ts";
import { everyRight, openAs, shippedRoutes, type World } from "../_setup.ts";

/** Returns the shipped table with a language, or without one. */
async function tableIn(language: string | undefined): Promise<string> {
  const shipped = await readFile(shippedRoutes, "utf8");
  const table = shipped.replace(
    /^language: en.*\n/m,
    language === undefined ? "" : `language: ${language}\n`,
  );
  assert.notEqual(table, shipped);
  return table;
}

/** The same names in the order of English and German, and in that of Swedish. */
const english = ["Aal", "Ähre", "Adler", "ada", "Ömer", "Otto", "Zoe"].toSorted(
  new Intl.Collator("en").compare,
);
const swedish = ["ada", "Aal", "Adler", "Otto", "Zoe", "Ähre", "Ömer"].toSorted(
  new Intl.Collator("sv").compare,
);

/** Each list that is ordered by name: how to add an entry, and how to read the names. */
const lists: readonly {
  readonly path: string;
  readonly add: (world: World, token: string, name: string) => Promise<unknown>;
  readonly names: (body: never) => string[];
}[] = [
  {
    path: "/housebanreason",
    add: (world, token, reason) => world.ok(token, "/housebanreason/add", { reason, days: 1 }),
    names: (body: { reason: string }[]) => body.map(({ reason }) => reason),
  },
  {
    path: "/houseban",
    // By now the house-ban reasons are there.
    add: (world, token, name) => world.ok(token, "/houseban/add", { name, reason: "Otto" }),
    names: (body: { name: string }[]) => body.map(({ name }) => name),
  },
  {
    path: "/player",
    add: (world, token, name) => world.ok(token, "/player/add", { name, group: "VIP" }),
    names: (body: { VIP: { name: string }[] }) => body.VIP.map(({ name }) => name),
  },
  {
    path: "/statistic/top",
    async add(world, token, name) {
      await world.service.administer("player.add", { name });
      await world.ok(token, `/statistic/${encodeURIComponent(name)}/set`, { type: "KILL", amount: 5 });
    },
    names: (body: { kills: { name: string }[] }) => body.kills.map(({ name }) => name),
  },
];

async function openFilled(t: TestContext, routes: string) {
  const { world, token } = await openAs(t, "Root", everyRight, { routes });
  for (const list of lists) for (const name of english.toReversed()) await list.add(world, token, name);
  return { world, token };
}

async function assertOrder(world: World, token: string, expected: readonly string[]): Promise<void> {
  const bundle = await world.ok(token, "/bundle");
  for (const { path, names } of lists) {
    const body = await world.ok(token, path);
    assert.deepEqual(names(body as never), expected, path);
    const [, name, faction] = path === "/statistic/top" ? ["", "top"] : path.split("/");
    const bundled = faction === undefined ? bundle[name ?? ""] : bundle[name ?? ""][faction];
    assert.deepEqual(bundled, body, path);
  }
}

describe("names and reasons", () => {
  it("lists have umlauts near their letters if the table names no language", async (t) => {
    assert.ok(english.indexOf("Ömer") < english.indexOf("Otto"));
    const { world, token } = await openFilled(t, await tableIn(undefined));
    await assertOrder(world, token, english);
  });

  it("lists follow the language of the table in force, also after a reload", async (t) => {
    assert.deepEqual(swedish.slice(-2), ["Ähre", "Ömer"]);
    const { world, token } = await openFilled(t, await tableIn("sv"));
    await assertOrder(world, token, swedish);
    await writeFile(world.service.routes.file, await tableIn("de"));
    await world.service.reloadRoutes();
    await assertOrder(world, token, english);
    await writeFile(world.service.routes.file, await tableIn("sv"));
    await world.service.reloadRoutes();
    await assertOrder(world, token, swedish);
  });

  it("names that are equal in the language are ordered by code unit", () => {
    const compare = comparisonIn("en");
    // Two ways to write the same letter.
    assert.equal(new Intl.Collator("en").compare("\u00e9", "e\u0301"), 0);
    assert.deepEqual(["\u00e9", "e\u0301"].toSorted(compare), ["e\u0301", "\u00e9"]);
    assert.equal(compare("x", "x"), 0);
  });
});

describe("a table's language", () => {
  const vocabulary = {
    group: ["BLACKLIST", "TARGETLIST"],
    faction: ["GROVE"],
    service: ["RESCUE", "POLICE"],
  };
  const check = async (language: string | undefined) => checkRoutes(await tableIn(language), vocabulary);

  for (const [language, expected] of [
    ["de", "de"],
    ["DE-at", "de-AT"],
    ["de-u-co-phonebk", "de-u-co-phonebk"],
    [undefined, "en"],
  ] as const) {
    it(`the language ${language} is accepted as ${expected}`, async () => {
      const { table, faults } = await check(language);
      assert.deepEqual(faults, []);
      assert.equal(table?.language, expected);
    });
  }

  for (const language of ["german", "xx", "de_DE", '""', "d"]) {
    it(`the language ${language} is a fault with line and column`, async () => {
      const { faults } = await check(language);
      const lines = (await tableIn(language)).split("\n");
      const line = lines.findIndex((line) => line.startsWith("language:")) + 1;
      assert.deepEqual(
        faults.map((fault) => [fault.line, fault.column]),
        [[line, 11]],
      );
      assert.match(faults[0]?.message ?? "", /BCP 47 tag .* such as de, got "/);
    });
  }
});
