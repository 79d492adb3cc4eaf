/** `routes reload` and `routes status`: which table is in force. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { run } from "../../cli/program.ts";
import { shippedRoutes } from "../_setup.ts";
import {
  answering,
  type Desk,
  emptyDesk,
  type FailureDocument,
  Recorder,
  type Running,
  seededDesk,
} from "./_setup.ts";

/** The parts that these commands do not use. */
const unused = {
  readInput: async () => "",
  deliver: async () => {},
  detachOutput: async () => ({ droppedLines: () => 0, close: async () => {} }),
  leaveSoon: () => {},
};

const shipped = await readFile(shippedRoutes, "utf8");
const stricter = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 5 }");
const looser = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLICE, rank: 3 }");
const faulty = shipped.replaceAll("{ service: POLICE, rank: 4 }", "{ service: POLCE, rank: 4 }");

interface Status {
  readonly running: boolean;
  readonly revision: string;
  readonly routes: number;
  readonly refused: { readonly reason: string; readonly faults: readonly unknown[] } | null;
  readonly pending: { readonly revision?: string; readonly faults?: number } | null;
}

/** Returns a service that reloads the table only on command. */
async function servingDesk(t: TestContext): Promise<{ desk: Desk; serving: Running; before: Status }> {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "POLICE:4");
  const serving = desk.serve(["--no-watch"]);
  await serving.shows(/Listening/);
  return { desk, serving, before: await statusOf(desk) };
}

const statusOf = (desk: Desk) => desk.json<Status>("routes", "status");

describe("routes reload", () => {
  it("when no access is taken away, the file is put in force without a question", async (t) => {
    const { desk, before } = await servingDesk(t);
    await desk.write("routes.yaml", looser);
    const { exitCode, questions, stdout } = await answering(desk, undefined, "routes", "reload");
    assert.equal(exitCode, 0);
    assert.deepEqual(questions, []);
    assert.match(stdout, new RegExp(`is in force; it was ${before.revision}`));
    assert.notEqual((await statusOf(desk)).revision, before.revision);
  });

  it("when access is taken away, it shows from whom, and asks", async (t) => {
    const { desk, before } = await servingDesk(t);
    await desk.write("routes.yaml", stricter);
    for (const answer of ["n", "", "nyet", undefined]) {
      const { exitCode, questions, stderr } = await answering(desk, answer, "routes", "reload");
      assert.equal(exitCode, 1);
      assert.equal(questions.length, 1);
      assert.match(stderr, /lose +1 player \(all\): Ada/);
      assert.match(stderr, /Nothing was changed/);
      assert.equal((await statusOf(desk)).revision, before.revision);
    }
    assert.equal((await answering(desk, "y", "routes", "reload")).exitCode, 0);
    assert.notEqual((await statusOf(desk)).revision, before.revision);
    assert.equal((await desk.run(["can-i", "Ada", "/wantedreason/add"])).exitCode, 1);
  });

  it("when many lose access, ten are named; routes diff names all", async (t) => {
    const { desk } = await servingDesk(t);
    for (let index = 10; index < 21; index += 1)
      await desk.ok("player", "add", `Bob${index}`, "--member", "POLICE:4");
    await desk.write("routes.yaml", stricter);
    const { stderr } = await answering(desk, "n", "routes", "reload");
    assert.match(stderr, /lose +12 players \(all\): Ada, Bob10, .*, Bob18 and 2 more\n/);
    assert.match(await desk.ok("routes", "diff", "routes.yaml"), /, Bob18, Bob19, Bob20\n/);
  });

  it("when there is nobody to ask, it fails and suggests --yes", async (t) => {
    const { desk, before } = await servingDesk(t);
    await desk.write("routes.yaml", stricter);
    assert.match(await desk.fails("routes", "reload"), /--yes/);
    const refused = await answering(desk, "y", "--no-input", "routes", "reload");
    assert.deepEqual([refused.exitCode, refused.questions], [1, []]);
    const { code, hint } = await desk.failsAs<FailureDocument>("routes", "reload");
    assert.equal(code, "CONFLICT");
    assert.match(hint ?? "", /--yes/);
    assert.equal((await statusOf(desk)).revision, before.revision);
    await desk.ok("routes", "reload", "--yes");
    assert.notEqual((await statusOf(desk)).revision, before.revision);
  });

  it("when the file is faulty, all faults are shown, the exit code is 1, and the old table stays", async (t) => {
    const { desk, serving, before } = await servingDesk(t);
    await desk.write("routes.yaml", faulty);
    const stderr = await desk.fails("routes", "reload", "--yes");
    assert.equal(stderr.match(/unknown service "POLCE"/g)?.length, 2);
    const { revision, refused, pending } = await statusOf(desk);
    assert.equal(revision, before.revision);
    assert.equal(refused?.faults.length, 2);
    assert.equal(pending?.faults, 2);
    assert.match(await desk.ok("routes", "status"), /was refused[\s\S]*POLCE/);
    assert.match(serving.stderr.text, /The route table was refused/);
    await desk.ok("can-i", "Ada", "/wantedreason/add");
    await desk.write("routes.yaml", shipped);
    await desk.ok("routes", "reload");
    assert.equal((await statusOf(desk)).refused, null);
  });

  it("when the file has not changed, it reports that", async (t) => {
    const { desk } = await servingDesk(t);
    assert.match(await desk.ok("routes", "reload"), /already in force/);
  });

  it("when the file changes during the question, the new content is not put in force", async (t) => {
    const { desk, before } = await servingDesk(t);
    await desk.write("routes.yaml", stricter);
    const [stdout, stderr] = [new Recorder(true), new Recorder(true)];
    const exitCode = await run(["routes", "reload"], {
      stdout,
      stderr,
      env: { NO_COLOR: "1" },
      cwd: desk.folder,
      async ask() {
        await desk.write("routes.yaml", `${stricter}# and more\n`);
        return "yes";
      },
      onStop: () => {},
      onReload: () => {},
      abort: () => {},
      ...unused,
    });
    assert.equal(exitCode, 1);
    assert.match(stderr.text, /changed during the review/);
    assert.equal((await statusOf(desk)).revision, before.revision);
  });

  it("when no service runs, it reports that, and the exit code is 1", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("routes", "reload"), /No service is running/);
    const empty = await emptyDesk(t);
    assert.match(await empty.fails("routes", "reload"), /No service is running/);
    await assert.rejects(empty.files(), { code: "ENOENT" });
  });
});

describe("routes status", () => {
  it("when a service runs, it shows which table is in force, and whether the file is the same", async (t) => {
    const { desk, before } = await servingDesk(t);
    assert.deepEqual([before.running, before.routes, before.refused, before.pending], [true, 35, null, null]);
    const text = await desk.ok("routes", "status");
    assert.match(text, new RegExp(`in force +revision ${before.revision}, 35 routes, since \\d{4}-`));
    assert.ok(text.includes(join(desk.folder, "routes.yaml")));
    await desk.write("routes.yaml", stricter);
    assert.match(await desk.ok("routes", "status"), /is not in force/);
    assert.notEqual((await statusOf(desk)).pending?.revision, before.revision);
  });

  it("when no service runs, it describes the file", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.ok("routes", "status"), /No service is running[\s\S]*35 routes, no faults/);
    assert.equal((await statusOf(desk)).running, false);
    await desk.write("routes.yaml", faulty);
    assert.match(await desk.fails("routes", "status"), /POLCE/);
  });
});
