/** Invisible characters in texts, and the comparison of texts. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { comparisonForm, invisibleIn } from "../src/domain/text.ts";
import {
  assertFailure,
  Clock,
  everyRight,
  openAs,
  openWorld,
  shippedRoutes,
  temporaryFolder,
  type World,
} from "./_setup.ts";

describe("the first invisible character of a text", () => {
  for (const [name, text, expected] of [
    ["is a zero-width space", "a\u200bb", "U+200B"],
    ["is a joiner outside of an emoji", "a\u200db", "U+200D"],
    ["is a soft hyphen", "a\u00adb", "U+00AD"],
    ["is a combining grapheme joiner", "a\u034fb", "U+034F"],
    ["is a Hangul filler, which is a letter", "a\u3164", "U+3164"],
    ["is a Braille pattern without dots", "a\u2800", "U+2800"],
    ["is one that changes the direction of writing", "a\u202eb", "U+202E"],
    ["is a variation selector without a character to select", "a\ufe0f", "U+FE0F"],
    ["is a tag after a letter", "a\u{e0041}", "U+E0041"],
    ["is a joiner after an emoji", "👩‍🚒\u200d", "U+200D"],
    ["does not exist in a plain text", "Bank-robbery", undefined],
    ["does not exist in an emoji of several characters", "👩‍🚒-👨‍👩‍👧", undefined],
    ["does not exist in a heart, a keycap and a flag of tags", "❤️1️⃣🏴󠁧󠁢󠁥󠁮󠁧󠁿", undefined],
  ] as const) {
    it(`the first invisible character ${name}`, () => assert.equal(invisibleIn(text), expected));
  }
});

describe("the comparison of texts", () => {
  it("the comparison of texts ignores U+FE0F, even between a letter and its accent", () => {
    assert.equal(comparisonForm("❤️"), comparisonForm("❤"));
    assert.equal(comparisonForm("Cafe\ufe0f\u0301"), comparisonForm("café"));
  });
});

/** A list of texts: its path, the parameter that names an entry, and the other parameters. */
interface List {
  readonly path: string;
  readonly name: "reason" | "name";
  readonly values: Readonly<Record<string, string | number>>;
}

const lists: readonly List[] = [
  { path: "/wantedreason", name: "reason", values: { points: 10 } },
  { path: "/housebanreason", name: "reason", values: { days: 3 } },
  { path: "/blacklistreason/GROVE", name: "reason", values: { price: 1, kills: 2 } },
  { path: "/navipoint", name: "name", values: { x: 1, y: 2, z: 3, article: "das" } },
];

async function namesIn(world: World, token: string, { path, name }: List): Promise<string[]> {
  const entries: Readonly<Record<string, string>>[] = await world.ok(token, path);
  return entries.map((entry) => entry[name] ?? "");
}

/** Stores a text as an older version or an import may have stored it. */
async function store({ service }: World, { path, values }: List, text: string): Promise<void> {
  await service.store.change({ who: "operator", operation: "import" }, (draft) => {
    const {
      points = 0,
      days = 0,
      price = 0,
      kills = 0,
      x = 0,
      y = 0,
      z = 0,
    } = values as Record<string, number>;
    if (path === "/wantedreason") draft.wantedReasons.put({ reason: text, points });
    else if (path === "/housebanreason") draft.houseBanReasons.put({ reason: text, days });
    else if (path === "/navipoint") draft.naviPoints.put({ name: text, x, y, z, article: "das" });
    else draft.blacklistReasons.put({ faction: "GROVE", reason: text, price, kills });
  });
}

for (const list of lists) {
  const { path, name, values } = list;
  describe(`a text in ${path}`, () => {
    it(`${path}/add refuses an invisible character and names it`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      for (const [text, character] of [
        ["Theft\u200b", "U+200B"],
        ["The\u2800ft", "U+2800"],
        ["\u202etfehT", "U+202E"],
        ["\ufeffTheft", "U+FEFF"],
      ] as const) {
        const answer = await world.get(token, `${path}/add`, { [name]: text, ...values });
        assertFailure(answer, 400, "PARAMETER_INVALID", name);
        const said = `${answer.body.info} ${answer.body.hint ?? ""}`;
        assert.match(said, new RegExp(`leave out the invisible character U\\${character.slice(1)}`));
      }
      assert.deepEqual(await namesIn(world, token, list), []);
    });

    it(`${path}/add accepts an emoji of several characters`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      await world.ok(token, `${path}/add`, { [name]: "👩‍🚒❤️", ...values });
      assert.deepEqual(await namesIn(world, token, list), ["👩‍🚒❤️"]);
    });

    it(`${path}/add and ${path}/remove find a text with and without U+FE0F`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      for (const [first, second] of [
        ["❤️", "❤"],
        ["❤", "❤️"],
      ] as const) {
        await world.ok(token, `${path}/add`, { [name]: first, ...values });
        const { info } = await world.ok(token, `${path}/add`, { [name]: second, ...values });
        assert.match(info, /already/);
        assert.deepEqual(await namesIn(world, token, list), [first]);
        await world.ok(token, `${path}/remove`, { [name]: second });
        assert.deepEqual(await namesIn(world, token, list), []);
      }
    });

    it(`${path}/remove removes a stored text whatever characters it has`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      for (const old of ["Theft\u200b", "\u202etfehT", "Bank robbery", "x".repeat(100), "a\ufe0f"]) {
        await store(world, list, old);
        await world.ok(token, `${path}/remove`, { [name]: old });
        assert.deepEqual(await namesIn(world, token, list), []);
      }
    });

    it(`${path}/remove refuses an unknown text of an invalid form for its form`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      const spaced = await world.get(token, `${path}/remove`, { [name]: "Bank robbery" });
      assertFailure(spaced, 400, "PARAMETER_INVALID", name);
      assert.equal(spaced.body.hint, 'Write "-" for a space.');
      assertFailure(await world.get(token, `${path}/remove`, { [name]: "" }), 400, "PARAMETER_INVALID", name);
      assertFailure(await world.get(token, `${path}/remove`, { [name]: "Theft" }), 404, "UNKNOWN_ENTRY");
    });

    it(`${path}/remove removes one of two stored texts that differ in U+FE0F`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      await store(world, list, "❤️");
      await store(world, list, "❤");
      assert.deepEqual((await namesIn(world, token, list)).toSorted(), ["❤", "❤️"]);
      await world.ok(token, `${path}/remove`, { [name]: "❤️" });
      assert.deepEqual(await namesIn(world, token, list), ["❤"]);
      await world.ok(token, `${path}/remove`, { [name]: "❤️" });
      assert.deepEqual(await namesIn(world, token, list), []);
    });
  });
}

describe("a text stored by an older version", () => {
  it("a text of an older version can be removed after a restart, and its removal undone", async (t) => {
    const folder = await temporaryFolder(t);
    const clock = new Clock();
    const first = await openWorld(t, { folder, clock });
    const [list] = lists as readonly [List];
    await store(first, list, "❤️\u200b");
    await store(first, list, "❤️");
    await first.service.close({ snapshot: false });

    const { world, token } = await openAs(t, "Ada", everyRight, { folder, clock });
    await world.ok(token, "/wantedreason/remove", { reason: "❤\u200b" });
    const { sequence } = world.service.store;
    assert.deepEqual(await namesIn(world, token, list), ["❤️"]);
    await world.service.administer("undo", { sequence });
    assert.deepEqual((await namesIn(world, token, list)).toSorted(), ["❤️", "❤️\u200b"]);
    const { info } = await world.ok(token, "/wantedreason/add", { reason: "❤", points: 10 });
    assert.match(info, /already/);
  });
});

describe("a limit of the table for texts to remove", () => {
  for (const [what, narrowing] of [
    ["a pattern", "pattern: 'Tmp-.*'"],
    ["a smaller maxLength", "maxLength: 9"],
    ["a greater minLength", "minLength: 9"],
  ] as const) {
    it(`${what} in the table also limits the texts to remove`, async (t) => {
      const shipped = await readFile(shippedRoutes, "utf8");
      const [before = "", after = ""] = shipped.split("handler: wantedreason.remove");
      const parameters = before.lastIndexOf("{ reason: reason }");
      const tight = `{ reason: { type: reason, ${narrowing} } }`;
      const routes = `${before.slice(0, parameters)}${tight}\n    handler: wantedreason.remove${after}`;
      const { world, token } = await openAs(t, "Ada", everyRight, { routes });
      const other = narrowing.startsWith("max") ? "Grand-theft" : "Theft";
      for (const reason of [other, "Tmp-theft"])
        await world.ok(token, "/wantedreason/add", { reason, points: 10 });
      const refused = await world.get(token, "/wantedreason/remove", { reason: other });
      assertFailure(refused, 400, "PARAMETER_INVALID", "reason");
      await world.ok(token, "/wantedreason/remove", { reason: "Tmp-theft" });
      assert.deepEqual(await world.ok(token, "/wantedreason"), [{ reason: other, points: 10 }]);
    });
  }
});

describe("a house ban", () => {
  it("a house ban accepts a stored reason whatever characters it has", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    const [, list] = lists as readonly [List, List];
    await store(world, list, "Noise\u200b");
    await world.ok(token, "/houseban/add", { name: "Mallory", reason: "Noise\u200b" });
    const again = await world.ok(token, "/houseban/add", { name: "Mallory", reason: "Noise\u200b" });
    assert.match(again.info, /already/);
    await world.ok(token, "/houseban/remove", { name: "Mallory", reason: "Noise\u200b" });
    assert.equal(world.service.store.data.houseBans.size, 0);
  });

  it("a house ban for a reason with U+FE0F can be lifted without it", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    await world.ok(token, "/housebanreason/add", { reason: "❤️", days: 1 });
    await world.ok(token, "/houseban/add", { name: "Mallory", reason: "❤" });
    await world.ok(token, "/houseban/remove", { name: "Mallory", reason: "❤" });
    assert.equal(world.service.store.data.houseBans.size, 0);
  });
});

describe("the name of an unregistered player", () => {
  const filled = "Mallory\u3164";

  it("a new name of an unregistered player with an invisible letter is refused", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 1 });
    for (const [path, query] of [
      ["/targetlist/add", {}],
      ["/houseban/add", { reason: "Noise" }],
      ["/player/add", { group: "VIP" }],
    ] as const) {
      const answer = await world.get(token, path, { name: filled, ...query });
      assertFailure(answer, 400, "PARAMETER_INVALID", "name");
      assert.match(answer.body.info, /leave out the invisible character U\+3164/);
    }
    const group = world.service.administer("group.add", { player: filled, group: "VIP" });
    await assert.rejects(group, { code: "PARAMETER_INVALID", message: /U\+3164/ });
  });

  it("a stored name with an invisible letter can be marked and removed", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    await world.service.store.change({ who: "operator", operation: "import" }, (draft) => {
      draft.targets.put({ name: filled, uuid: null, done: false, listed: 1 });
      draft.groupMembers.put({ group: "VIP", name: filled, uuid: null });
    });
    await world.ok(token, "/targetlist/done", { name: filled });
    await world.ok(token, "/targetlist/remove", { name: filled });
    await world.ok(token, "/player/remove", { name: filled, group: "VIP" });
    assert.equal(world.service.store.data.targets.size, 0);
  });
});

describe("an invisible character", () => {
  it("commands refuse an invisible character in a player's name, a label and a group", async (t) => {
    const { service } = await openWorld(t);
    const expected = { code: "PARAMETER_INVALID", message: /leave out the invisible character U\+/ };
    await assert.rejects(service.administer("player.add", { name: "Ada\u3164" }), expected);
    await assert.rejects(service.administer("token.issue", { label: "web\u200b" }), expected);
    await assert.rejects(service.administer("seed.groups", { groups: ["VIP\u3164"] }), expected);
  });
});
