/** `routes test`: the shipped tests hold and would notice a change, and how results are shown. */
import assert from "node:assert/strict";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { checkRoutes } from "../../src/operations.ts";
import { testTable } from "../../src/table-test/table-test.ts";
import { projectFolder, shippedRoutes, shippedSeed } from "../_setup.ts";
import { colourBegins, type Desk, emptyDesk, linesOf, toDocument } from "./_setup.ts";

const shippedTests = join(projectFolder, "routes.test.yaml");

interface Document {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly { line: number; column: number; caller: string; came: string; why: string }[];
  readonly coverage: { percent: number; routes: object; ways: object; gaps: readonly object[] };
}

/** Returns a folder with the shipped table, in which the rank for blacklist reasons is 3 instead of 4. */
async function loosenedDesk(t: Parameters<typeof emptyDesk>[0]): Promise<Desk> {
  const desk = await emptyDesk(t);
  const text = await readFile(shippedRoutes, "utf8");
  await desk.write("routes.yaml", text.replaceAll("$factionString, rank: 4", "$factionString, rank: 3"));
  return desk;
}

const oneTest = `callers:
  grove3: { faction: GROVE, rank: 3 }
tests:
  /blacklistreason/GROVE/add:
    with: { reason: Spy }
    denied: [public, grove3]
`;

describe("the shipped routes.test.yaml", () => {
  it("passes on the shipped table, and covers all of it", async (t) => {
    const desk = await emptyDesk(t);
    const document = await desk.json<Document>("routes", "test", "--coverage", "100");
    assert.deepEqual(document.failures, []);
    assert.equal(document.passed, document.tests);
    // 34 operations and the bundle by 15 kinds of callers, houseban twice.
    assert.ok(document.tests >= 36 * 15, `${document.tests}`);
    assert.deepEqual(document.coverage.gaps, []);
    assert.deepEqual(document.coverage.routes, { covered: 35, total: 35 });
  });

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
      for (const other of new Set(others)) {
        const { table } = checkRoutes(lines.with(index, other).join("\n"), vocabulary);
        // Some of these edits cannot be served.
        if (table === undefined) continue;
        const { result } = await testTable(testsOf(resource), { table, vocabulary });
        assert.ok((result?.failures.length ?? 0) > 0, `line ${index + 1} changed to ${other} is not noticed`);
        changes++;
      }
    }
    assert.ok(changes > 100, `${changes}`);
  });

  it("is written beside routes.yaml at the first start, unless there is one", async (t) => {
    const desk = await emptyDesk(t);
    await desk.ok("seed", "groups");
    assert.equal(
      await readFile(join(desk.folder, "routes.test.yaml"), "utf8"),
      await readFile(shippedTests, "utf8"),
    );
    const other = await emptyDesk(t);
    await other.write("routes.test.yaml", oneTest);
    await other.ok("seed", "groups");
    assert.equal(await readFile(join(other.folder, "routes.test.yaml"), "utf8"), oneTest);
  });
});

describe("routes test", () => {
  it("when an expectation is not met, its place, the caller and the reason are shown, and the exit code is 1", async (t) => {
    const desk = await loosenedDesk(t);
    await desk.write("routes.test.yaml", oneTest);
    const { exitCode, stdout, stderr } = await desk.run(["routes", "test"]);
    assert.equal(exitCode, 1);
    assert.equal(stderr, "");
    assert.equal(
      linesOf(stdout)[0],
      "routes.test.yaml:6:22: /blacklistreason/GROVE/add?reason=Spy: grove3 (rank 3 in GROVE): expected denied, got allowed. " +
        "Allowed here: members of the faction GROVE with rank 3 or higher. The caller is in the faction GROVE with rank 3.",
    );
    assert.match(stdout, /^routes\.test\.yaml: 2 tests, 1 passed, 1 failed\.$/m);
    assert.match(
      stdout,
      /^routes\.yaml: \d+ % covered: 1 of 35 routes, and 2 of 58 branches of restrictions\.$/m,
    );
    assert.match(stdout, /^ {2}\/event\/bomb: not called$/m);
    assert.ok(!stdout.includes(colourBegins));
  });

  it("when it goes to a terminal, the line is shown with a mark under the caller", async (t) => {
    const desk = await loosenedDesk(t);
    await desk.write("routes.test.yaml", oneTest);
    const { stdout } = await desk.run(["routes", "test"], { terminal: true, env: { NO_COLOR: "1" } });
    const lines = linesOf(stdout);
    const shown = lines.findIndex((line) => line.endsWith("denied: [public, grove3]"));
    assert.ok(shown > 0, stdout);
    assert.equal(lines[shown + 1]?.indexOf("^"), lines[shown]?.indexOf("grove3"));
    const coloured = await desk.run(["routes", "test"], { terminal: true });
    assert.ok(coloured.stdout.includes(colourBegins));
  });

  it("when --json is given, everything is in one document", async (t) => {
    const desk = await loosenedDesk(t);
    await desk.write("routes.test.yaml", oneTest);
    const { failures, coverage, ...counts } = await desk.failsAs<Document>("routes", "test");
    assert.deepEqual([counts.tests, counts.passed, counts.failed], [2, 1, 1]);
    assert.deepEqual(
      failures.map(({ line, column, caller, came }) => [line, column, caller, came]),
      [[6, 22, "grove3 (rank 3 in GROVE)", "allowed"]],
    );
    assert.deepEqual(coverage.routes, { covered: 1, total: 35 });
    assert.equal(coverage.gaps.length, 34);
  });

  it("when the file has faults, they are shown as those of the table are, and the exit code is 1", async (t) => {
    const desk = await emptyDesk(t);
    const file = await desk.write(
      "faulty.yaml",
      "tests:\n  /evnt:\n    alowed: public\n    denied: publik\n",
    );
    const { code, faults } = await desk.failsAs<{ code: string; faults: { line: number }[] }>(
      ...["routes", "test", "faulty.yaml"],
    );
    assert.equal(code, "TABLE_FAULTS");
    assert.deepEqual(
      faults.map(({ line }) => line),
      [3],
    );
    const stderr = await desk.fails("routes", "test", "faulty.yaml");
    assert.ok(stderr.includes(`${file}:3:5: `) && stderr.includes('Did you mean "allowed"?'), stderr);
    await desk.write("faulty.yaml", "tests:\n  /evnt:\n    allowed: publik\n");
    const both = await desk.fails("routes", "test", "faulty.yaml");
    assert.match(both, /:2:3: .*Did you mean "\/event"\?/);
    assert.match(both, /:3:14: .*Did you mean "public"\?/);
  });

  it("when less is covered than --coverage wants, the exit code is 1", async (t) => {
    const desk = await emptyDesk(t);
    await desk.write("some.yaml", "tests:\n  /event: { allowed: public }\n");
    assert.match(await desk.ok("routes", "test", "some.yaml"), /1 test, 1 passed, 0 failed/);
    await desk.ok("routes", "test", "some.yaml", "--coverage", "2");
    const { exitCode, stdout } = await desk.run(["routes", "test", "some.yaml", "--coverage", "50%"]);
    assert.equal(exitCode, 1);
    assert.match(stdout, /Coverage is below the 50 %/);
    assert.match(await desk.misused("routes", "test", "--coverage", "101"), /from 0 to 100/);
  });

  it("when the table is another file, the tests beside that one are run", async (t) => {
    const desk = await loosenedDesk(t);
    await copyFile(shippedRoutes, join(desk.folder, "other.yaml"));
    await desk.write("other.test.yaml", oneTest);
    const { stdout, exitCode } = await desk.run(["--json", "--routes", "other.yaml", "routes", "test"]);
    assert.equal(exitCode, 0);
    assert.equal(toDocument<Document>(stdout).tests, 2);
  });

  it("when there are no tests, or the table has faults, it reports that", async (t) => {
    const desk = await loosenedDesk(t);
    assert.match(await desk.fails("routes", "test"), /no test file .*routes\.test\.yaml/);
    await desk.write("routes.yaml", "routes: nowhere\n");
    await desk.write("routes.test.yaml", oneTest);
    assert.match(await desk.fails("routes", "test"), /routes\.yaml:1:\d+/);
  });

  it("when the data has other names, the tests are checked against those", async (t) => {
    const desk = await emptyDesk(t);
    await desk.ok("seed", "groups");
    await desk.write("more.yaml", "groups: [EVENT]\n");
    await desk.write("some.yaml", "tests:\n  /event: { allowed: { group: EVENT } }\n");
    assert.match(await desk.fails("routes", "test", "some.yaml"), /unknown group "EVENT"/);
    await desk.ok("seed", "groups", "more.yaml");
    await desk.ok("routes", "test", "some.yaml");
  });
});
