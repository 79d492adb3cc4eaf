/** Invisible characters in texts, and the comparison of texts. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Entry } from "../../src/domain/entry.ts";
import { comparisonForm, invisibleIn } from "../../src/domain/text.ts";
import { houseBanReason, wantedReason } from "../_entries.ts";
import {
  assertFailure,
  Clock,
  everyRight,
  openAs,
  openWorld,
  shippedRoutes,
  temporaryFolder,
  type World,
} from "../_setup.ts";

describe("the first invisible character of a text", () => {
  for (const [name, text, expected] of [
    ["is a zero-width space", "a\u200bb", "U+200B"],
    ["is a joiner outside of an emoji", "a\u200db", "U+200D"],
    ["is a soft hyphen", "a\u00adb", "U+00AD"],
    ["is a combining grapheme joiner", "a\u034fb", "U+034F"],
    ["is a Hangul filler, which is a letter", "a\u3164", "U+3164"],
    ["is a Braille pattern without dots", "a\u2800", "U+2800"],
    ["is a null notehead", "a\u{1d159}", "U+1D159"],
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

async function namesIn(world: World, token: string): Promise<string[]> {
  const entries: Readonly<Record<string, string>>[] = await world.ok(token, "/wantedreason");
  return entries.map(({ reason = "" }) => reason);
}

/** Stores an entry as an older version or an import may have stored it. */
async function store({ service }: World, entry: Entry): Promise<void> {
  await service.store.change({ who: "operator", operation: "import" }, (draft) => draft.entries.put(entry));
}

describe("a text in /wantedreason", () => {
  it("/wantedreason/add refuses an invisible character and names it", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    for (const [text, character] of [
      ["Theft\u200b", "U+200B"],
      ["The\u2800ft", "U+2800"],
      ["\u202etfehT", "U+202E"],
      ["\ufeffTheft", "U+FEFF"],
    ] as const) {
      const answer = await world.get(token, "/wantedreason/add", { reason: text, points: 10 });
      assertFailure(answer, 400, "PARAMETER_INVALID", "reason");
      const said = `${answer.body.info} ${answer.body.hint ?? ""}`;
      assert.match(said, new RegExp(`leave out the invisible character U\\${character.slice(1)}`));
    }
    assert.deepEqual(await namesIn(world, token), []);
  });

  it("/wantedreason/add accepts an emoji of several characters", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    await world.ok(token, "/wantedreason/add", { reason: "👩‍🚒❤️", points: 10 });
    assert.deepEqual(await namesIn(world, token), ["👩‍🚒❤️"]);
  });

  it("/wantedreason/add and /wantedreason/remove find a text with and without U+FE0F", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    for (const [first, second] of [
      ["❤️", "❤"],
      ["❤", "❤️"],
    ] as const) {
      await world.ok(token, "/wantedreason/add", { reason: first, points: 10 });
      const { info } = await world.ok(token, "/wantedreason/add", { reason: second, points: 10 });
      assert.match(info, /already/);
      assert.deepEqual(await namesIn(world, token), [first]);
      await world.ok(token, "/wantedreason/remove", { reason: second });
      assert.deepEqual(await namesIn(world, token), []);
    }
  });

  it("/wantedreason/remove removes a stored text whatever characters it has", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    for (const old of ["Theft\u200b", "\u202etfehT", "Bank robbery", "x".repeat(100), "a\ufe0f"]) {
      await store(world, wantedReason(old, 10));
      await world.ok(token, "/wantedreason/remove", { reason: old });
      assert.deepEqual(await namesIn(world, token), []);
    }
  });

  it("/wantedreason/remove refuses an unknown text of an invalid form for its form", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    const spaced = await world.get(token, "/wantedreason/remove", { reason: "Bank robbery" });
    assertFailure(spaced, 400, "PARAMETER_INVALID", "reason");
    assert.equal(spaced.body.hint, 'Write "-" for a space.');
    assertFailure(
      await world.get(token, "/wantedreason/remove", { reason: "" }),
      400,
      "PARAMETER_INVALID",
      "reason",
    );
    assertFailure(await world.get(token, "/wantedreason/remove", { reason: "Theft" }), 404, "UNKNOWN_ENTRY");
  });

  it("/wantedreason/remove removes one of two stored texts that differ in U+FE0F", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    await store(world, wantedReason("❤️", 10));
    await store(world, wantedReason("❤", 10));
    assert.deepEqual((await namesIn(world, token)).toSorted(), ["❤", "❤️"]);
    await world.ok(token, "/wantedreason/remove", { reason: "❤️" });
    assert.deepEqual(await namesIn(world, token), ["❤"]);
    await world.ok(token, "/wantedreason/remove", { reason: "❤️" });
    assert.deepEqual(await namesIn(world, token), []);
  });
});

describe("a text stored by an older version", () => {
  it("a text of an older version can be removed after a restart, and its removal undone", async (t) => {
    const folder = await temporaryFolder(t);
    const clock = new Clock();
    const first = await openWorld(t, { folder, clock });
    await store(first, wantedReason("❤️\u200b", 10));
    await store(first, wantedReason("❤️", 10));
    await first.service.close({ snapshot: false });

    const { world, token } = await openAs(t, "Ada", everyRight, { folder, clock });
    await world.ok(token, "/wantedreason/remove", { reason: "❤\u200b" });
    const { sequence } = world.service.store;
    assert.deepEqual(await namesIn(world, token), ["❤️"]);
    await world.service.administer("undo", { sequence });
    assert.deepEqual((await namesIn(world, token)).toSorted(), ["❤️", "❤️\u200b"]);
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
      const handler = "    handler: wantedreason.remove";
      const tight = `    parameters: { reason: { type: reason, ${narrowing} } }`;
      const routes = (await readFile(shippedRoutes, "utf8")).replace(handler, `${tight}\n${handler}`);
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
    await store(world, houseBanReason("Noise\u200b"));
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
