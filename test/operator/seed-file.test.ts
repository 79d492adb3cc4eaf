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

  const lists = "expected the lists groups, factions and services";
  for (const [text, message] of [
    ["groups: [CEO]\ncolours: [red]\n", `${lists}, got "colours".`],
    ["CEO", `${lists}.`],
    ["", `${lists}.`],
    ["groups: CEO\n", "expected a list of names."],
    ["groups: [1]\n", "expected a name."],
    ["groups: [C E O]\n", "expected a name of 1 to 64 characters without spaces."],
  ] as const) {
    it(`is refused with ${JSON.stringify(text)}`, async (t) => {
      const file = await fileOf(t, text);
      const expected = { code: "PARAMETER_INVALID", message: `${file}: ${message}` };
      await assert.rejects(readSeed(file), expected);
    });
  }

  it("is refused if it is not YAML, with the position", async (t) => {
    const file = await fileOf(t, "groups: [CEO\n");
    await assert.rejects(readSeed(file), (error: Error & { code?: string }) => {
      assert.equal(error.code, "PARAMETER_INVALID");
      assert.ok(error.message.startsWith(`${file} is not valid YAML: `), error.message);
      assert.match(error.message, /line 2/);
      return true;
    });
  });

  it("is refused if it does not exist", async (t) => {
    const file = join(await temporaryFolder(t), "seed.yaml");
    await assert.rejects(readSeed(file), {
      code: "UNKNOWN_ENTRY",
      message: `There is no file ${file}.`,
      hint: "Give the path of a YAML file with the lists groups, factions and services.",
    });
  });
});
