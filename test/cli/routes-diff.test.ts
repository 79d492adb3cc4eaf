/** `routes diff`: what another table would change for routes and players. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import type { TableDiff } from "../../src/explain/diff.ts";
import { shippedRoutes } from "../_setup.ts";
import { type Desk, emptyDesk, seededDesk } from "./_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const stricter = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 5 }");

async function policeDesk(t: TestContext): Promise<Desk> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "POLICE:4");
  await desk.ok("player", "add", "Bob", "--member", "POLICE:5");
  await desk.write("next.yaml", stricter);
  return desk;
}

describe("routes diff", () => {
  it("when a restriction is tightened, it reports that in words, and names who loses what", async (t) => {
    const desk = await policeDesk(t);
    const text = await desk.ok("routes", "diff", "next.yaml");
    assert.match(
      text,
      /changed \/wantedreason\/add\n +restriction: members of the service POLICE with rank 4 or higher\n +-> members of the service POLICE with rank 5 or higher\n +lose +1 player: Ada\n/,
    );
    assert.match(text, /Routes: 2 changed\. 1 player loses access, no player gains access\.\n$/);
  });

  it("when both tables are named, the first is before", async (t) => {
    const desk = await policeDesk(t);
    const diff = await desk.json<TableDiff>("routes", "diff", "next.yaml", "routes.yaml");
    assert.deepEqual(diff.counts, { added: 0, removed: 0, changed: 2, gain: 1, lose: 0 });
    assert.equal(diff.takesAway, false);
  });

  it("when routes come and go, who could or can call them is named", async (t) => {
    const desk = await policeDesk(t);
    const bomb = / {2}\/event\/bomb:\n(?: {4}.*\n)+/;
    assert.match(shipped, bomb);
    await desk.write("next.yaml", shipped.replace(bomb, ""));
    assert.match(
      await desk.ok("routes", "diff", "next.yaml"),
      /removed \/event\/bomb\n +restriction: identified players\n +handler: event\.bomb\n +lose +2 players \(all\): Ada, Bob/,
    );
    assert.match(await desk.ok("routes", "diff", "next.yaml", "routes.yaml"), /added \/event\/bomb\n/);
  });

  it("when the tables are the same, it reports that", async (t) => {
    const desk = await policeDesk(t);
    assert.match(await desk.ok("routes", "diff", "routes.yaml"), /The tables are the same/);
  });

  it("when a table has faults, they are shown as by routes check, and the exit code is 1", async (t) => {
    const desk = await policeDesk(t);
    await desk.write(
      "bad.yaml",
      shipped.replace("{ service: POLICE, rank: 4 }", "{ service: POLCE, rank: 4 }"),
    );
    const checked = await desk.fails("routes", "check", "bad.yaml");
    assert.equal(await desk.fails("routes", "diff", "bad.yaml"), checked);
    assert.equal(await desk.fails("routes", "diff", "bad.yaml", "next.yaml"), checked);
    assert.match(await desk.fails("routes", "diff", "none.yaml"), /none\.yaml/);
  });

  it("when a service runs, one file is compared with the table in force, whatever its file has become", async (t) => {
    const desk = await policeDesk(t);
    const serving = desk.serve(["--no-watch"]);
    await serving.shows(/Listening/);
    await desk.write("routes.yaml", "routes: 1\n");
    const { before, counts } = await desk.json<TableDiff>("routes", "diff", "next.yaml");
    assert.equal(before.routes, 35);
    assert.equal(counts.lose, 1);
  });

  it("when there is no data yet, the routes are compared, and nothing is created", async (t) => {
    const desk = await emptyDesk(t);
    await desk.write("next.yaml", stricter);
    const { exitCode, stdout, stderr } = await desk.run(["routes", "diff", "next.yaml"]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /rank 5 or higher/);
    assert.match(stderr, /no data yet/);
    await assert.rejects(desk.files(), { code: "ENOENT" });
  });
});
