/** Seed files: what they may contain, and what is said about the others. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { readSeed } from "../../src/operator/seed-file.ts";
import { temporaryFolder } from "../_setup.ts";

async function fileOf(t: TestContext, text: string): Promise<string> {
  const file = join(await temporaryFolder(t), "seed.yaml");
  await writeFile(file, text);
  return file;
}

describe("a seed file", () => {
  it("has lists of names; missing and empty ones have none", async (t) => {
    const file = await fileOf(t, "groups: [CEO, VIP]\nservices:\n");
    const { groups, factions, services } = await readSeed(file);
    assert.deepEqual([groups, factions ?? [], services ?? []], [["CEO", "VIP"], [], []]);
  });

  const lists = "expected groups, factions, services and colors";
  for (const [text, message] of [
    ["groups: [CEO]\ncolours: [red]\n", `2:1: ${lists}, got "colours".`],
    ["CEO", `1:1: ${lists}.`],
    ["", `1:1: ${lists}, got an empty file.`],
    ["groups: CEO\n", "1:9: expected a list of names."],
    ["factions: [GROVE]\ngroups: [CEO, 1]\n", "2:15: expected a name."],
    [
      "groups: [C E O]\n",
      "1:10: expected a name of 1 to 64 characters without spaces, control characters or any of { } $ / ? # & = %.",
    ],
    [
      'groups: ["A\\uFFFD"]\n',
      "1:10: expected a name of 1 to 64 characters without spaces, control characters or any of { } $ / ? # & = %.",
    ],
    ["groups: [CEO]\ngroups: [VIP]\n", '2:1: duplicate key "groups"; the first is in line 1.'],
    // The parser would recurse until the stack is full.
    [`groups: ${"[".repeat(100_000)}`, "1:58: expected at most 50 levels of lists and maps, got more."],
  ] as const) {
    it(`is refused with ${JSON.stringify(text.slice(0, 40))}`, async (t) => {
      const file = await fileOf(t, text);
      const expected = { code: "PARAMETER_INVALID", message: `${file}:${message}` };
      await assert.rejects(readSeed(file), expected);
    });
  }

  it("is refused if it is not YAML, with the position", async (t) => {
    const file = await fileOf(t, "groups: [CEO\n");
    await assert.rejects(readSeed(file), (error: Error & { code?: string }) => {
      assert.equal(error.code, "PARAMETER_INVALID");
      assert.ok(error.message.startsWith(`${file}:2:1: invalid YAML: `), error.message);
      return true;
    });
  });

  it("is refused if a name is in Latin-1", async (t) => {
    const file = join(await temporaryFolder(t), "seed.yaml");
    await writeFile(file, Buffer.from("groups:\n  - CEO\n  - Ärzte\n", "latin1"));
    await assert.rejects(readSeed(file), {
      code: "PARAMETER_INVALID",
      message: `${file}:3:5: expected text in UTF-8, got another encoding; save the file as UTF-8.`,
    });
  });

  it("is refused if it does not exist", async (t) => {
    const file = join(await temporaryFolder(t), "seed.yaml");
    await assert.rejects(readSeed(file), {
      code: "UNKNOWN_ENTRY",
      message: `There is no file ${file}.`,
      hint: "Give the path of a YAML file with groups, factions, services and colors.",
    });
  });
});
