/** The shipped `routes.test.yaml` notices changes of the shipped table. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { parse } from "yaml";
import { checkRoutes } from "../../src/operations.ts";
import { testTable } from "../../src/table-test/table-test.ts";
import { isFull, sample } from "../_depth.ts";
import { projectFolder, shippedRoutes, shippedSeed } from "../_setup.ts";

const shippedTests = join(projectFolder, "routes.test.yaml");

it("notices every change of a restriction or a rank in the table", async () => {
  const [text, tests, seed] = await Promise.all(
    [shippedRoutes, shippedTests, shippedSeed].map((file) => readFile(file, "utf8")),
  );
  const { groups, factions, services } = parse(seed ?? "");
  const vocabulary = { group: groups, faction: factions, service: services };
  const lines = (text ?? "").split("\n");
  const [head = "", ...blocks] = (tests ?? "").split(/^(?= {2}\/)/m);
  // Running all tests hundreds of times would take too long: only those of the resource run.
  const testsOf = (resource: string) =>
    head + blocks.filter((block) => block.startsWith(`  ${resource}`)).join("");
  const isRestriction = (line: string) => /^ {4}restriction: \S|^ {6}- /.test(line);
  let changes = 0;
  let resource = "";
  for (const [index, line] of lines.entries()) {
    resource = /^ {2}(\/\w+)/.exec(line)?.[1] ?? resource;
    if (!isRestriction(line)) continue;
    const others = [
      line.replace(/(restriction: ).*/, "$1open"),
      line.replace(/(restriction: ).*/, "$1identified"),
      line.replace(/(restriction: ).*/, "$1administrators"),
      line.replace(/- open$/, "- identified"),
      line.replace("rank: 4", "rank: 3"),
      line.replace("rank: 4", "rank: 5"),
      line.replace(", rank: 4", ""),
      line.replace(" }", ", rank: 4 }"),
      line.replace("RESCUE", "POLICE"),
      line.replace("POLICE", "RESCUE"),
      line.replace("TARGETLIST", "CEO"),
      line.replace("$factionString", "GROVE"),
      line.replace("advanced: true", "advanced: false"),
    ].filter((other) => other !== line);
    for (const other of sample([...new Set(others)], 3)) {
      const { table } = checkRoutes(lines.with(index, other).join("\n"), vocabulary);
      // Some of these edits cannot be served.
      if (table === undefined) continue;
      const { result } = testTable(testsOf(resource), table, vocabulary);
      assert.ok((result?.failures.length ?? 0) > 0, `line ${index + 1} changed to ${other} is not noticed`);
      changes++;
    }
  }
  assert.ok(changes > (isFull ? 100 : 30), `${changes}`);
});
