/** What the README shows: its tour, pasted into a shell as it stands; its table of operations; its commands. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { buildProject } from "../_build.ts";
import { projectFolder, temporaryFolder } from "../_setup.ts";
import { unavailable } from "../_strace.ts";
import { emptyDesk } from "../cli/_setup.ts";

const readme = await readFile(join(projectFolder, "README.md"), "utf8");
const run = promisify(execFile);

function tour(): string {
  const block = /<!-- tour -->\n```sh\n([\s\S]*?)```/.exec(readme)?.[1];
  assert.ok(block, "the README has a tour");
  return block;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

/** Shells that read what they run from standard input. Zsh does so as one that is typed into. */
const shells = [
  ["bash", "-eu"],
  ["dash", "-eu"],
  ["zsh", "-feui"],
] as const;

describe("the tour", () => {
  const clean: (() => Promise<unknown>)[] = [];
  let folder = "";
  before(async () => {
    folder = await temporaryFolder({ after: (work: () => Promise<unknown>) => void clean.push(work) });
    await buildProject(folder);
  });
  after(() => Promise.all(clean.map((work) => work())));

  for (const [shell, options] of shells) {
    it(`pasted into ${shell}, shows what it says`, { skip: unavailable(shell, "-c", "true") }, async () => {
      await rm(join(folder, "tour-data"), { recursive: true, force: true });
      const script = tour().replaceAll("8899", String(await freePort()));
      const running = run(shell, [options], { cwd: folder, timeout: 120_000 });
      running.child.stdin?.end(script);
      const { stdout, stderr } = await running;
      assert.doesNotMatch(stderr, /not found/);
      assert.doesNotMatch(stdout + stderr, /targetlist\/add/, "the log is elsewhere");
      assert.match(await readFile(join(folder, "tour.log"), "utf8"), /targetlist\/add/);
      const lines = stdout.split("\n");
      for (const expected of [
        "Registered Ada.",
        "Added Ada to TARGETLIST.",
        '{"info":"Added the wanted reason Bank-robbery."}',
        '{"info":"Added Mallory to the target list."}',
        '{"info":"Added the blacklist reason Betrayal."}',
        '[{"reason":"Bank-robbery","points":60}]',
        '[{"reason":"Betrayal","price":5000,"kills":30}]',
        '{"info":"Added one KILL for Bob."}',
        "Marked Mallory as done.",
        '[{"name":"Mallory","uuid":null,"done":false}]',
      ]) {
        assert.ok(lines.includes(expected), `${expected} is missing in:\n${stdout}`);
      }
      const refusal = lines.find((line) => line.includes('"RESTRICTED"'));
      assert.match(refusal ?? "", /members of the faction GROVE with rank 4 or higher/);
      assert.ok(lines.some((line) => line.includes('"kills":[{"name":"Bob","value":1}]')));
      assert.match(stdout, /"name": "Mallory",\s+"uuid": null,\s+"done": true/);
      assert.match(stdout, /statistic +deaths 0, kills 1/);
      assert.match(stdout, /^\d+\t[^\t]+\toperator\ttargetlist\.done\t/m);
      assert.match(stdout, /Undid change \d+ \(targetlist\.done\)\./);
    });
  }
});

it("the table of operations is what `routes list --markdown` says of the shipped table", async (t) => {
  const block = /<!-- routes -->\n([\s\S]*?)<!-- \/routes -->/.exec(readme)?.[1];
  const desk = await emptyDesk(t);
  assert.equal(block, await desk.ok("routes", "list", "--markdown"), "make it anew with that command");
});

it("the table of operations names all 34 of the specification, and the bundle of its lists", () => {
  const block = readme.slice(readme.indexOf("<!-- routes -->"), readme.indexOf("<!-- /routes -->"));
  const paths = [...block.matchAll(/^\| `(\/[^`]+)`/gm)].map((match) => match[1]);
  assert.equal(new Set(paths).size, 35);
  assert.equal(paths.length, 35);
});
