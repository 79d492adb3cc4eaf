/** Warnings about what is valid in a table but possibly unintended: each document of the corpus is checked. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { warningsOf } from "../../src/table/warnings/warnings.ts";
import { shippedRoutes } from "../_setup.ts";
import { casesIn, printed } from "./_corpus.ts";
import { check } from "./_library.ts";

/** The data of `with-data.yaml`. */
const data = {
  members: new Map([["STAFF", 2]]),
  ranks: {
    faction: new Map([
      ["NORTH", 4],
      ["SOUTH", 9],
    ]),
    service: new Map([["DESK", 2]]),
  },
};

/** Returns the kind that a sentence implies. */
function kindOf(message: string): string {
  const [, intention] = /"intended: \[(.*)\]"$/.exec(message) ?? [];
  return intention ?? (message.endsWith("leave this out") ? "not-needed" : "unserved-operation");
}

describe("warnings", () => {
  for (const example of casesIn("table/warnings")) {
    it(example.title, () => {
      const { table, faults, document } = check(example.text);
      assert.ok(table !== undefined, JSON.stringify(faults));
      const found = warningsOf(table, document, example.title.includes("with-data") ? data : {});
      const sentences = found.map((warning) => ({ ...warning, message: `warning: ${warning.message}` }));
      assert.deepEqual(printed(example, sentences), example.reports);
      for (const { kind, message } of found) assert.equal(kind, kindOf(message));
    });
  }
});

describe("the shipped table", () => {
  const names = {
    group: ["CEO", "DEV", "MOD", "SUP", "BETA", "VIP", "BLACKLIST", "TARGETLIST"],
    faction: ["GROVE"],
    service: ["RESCUE", "POLICE"],
  };
  /** Returns the kinds of warnings about the shipped table, with an edit behind a path. */
  async function kindsWith(path: string, from: string, to: string): Promise<string[]> {
    // Without pages, which require that what they show is open.
    const shipped = (await readFile(shippedRoutes, "utf8")).replace(/^pages: .*\n/m, "");
    const at = shipped.indexOf(`  ${path}:\n`);
    const text = shipped.slice(0, at) + shipped.slice(at).replace(from, to);
    const { table, faults, document } = checkRoutes(text, names);
    assert.ok(at > 0 && table !== undefined, JSON.stringify(faults));
    return warningsOf(table, document, {}).map(({ kind }) => kind);
  }

  it("has no warnings", async () => assert.deepEqual(await kindsWith("/event", "", ""), []));

  for (const [what, path, from, to, ...kinds] of [
    [
      "without the intention of its open change",
      "/event/gangwar",
      "intended: [open-change]",
      "intended: []",
      "open-change",
    ],
    [
      "with a house ban that anybody may enter",
      "/houseban/add",
      "{ service: RESCUE, rank: 4 }",
      "open",
      "open-change",
      "unknown-caller",
    ],
    [
      "with a case for one player by UUID or name",
      "/statistic/{player}",
      "restriction: open",
      "restriction: [{ when: { player: Ada }, restriction: administrators }, identified]",
      "player-condition",
    ],
    [
      "with a case for one player by name",
      "/targetlist/add",
      "restriction: { group: TARGETLIST }",
      "restriction: [{ when: { name: Ada }, restriction: administrators }, identified]",
      "player-condition",
    ],
    [
      "with a case for one reason",
      "/wantedreason/add",
      "restriction: { service: POLICE, rank: 4 }",
      "restriction: [{ when: { reason: Theft }, restriction: administrators }, identified]",
    ],
  ] as const) {
    it(`${what} has ${kinds.length === 0 ? "no warnings" : kinds.join(" and ")}`, async () =>
      assert.deepEqual(await kindsWith(path, from, to), kinds));
  }
});
