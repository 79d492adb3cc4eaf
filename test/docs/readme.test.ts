/** Tests of the README: its tour, pasted into several shells as it stands. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { buildProject } from "../_build.ts";
import { onlyInFull } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import { unavailable } from "../_strace.ts";
import { blocks, freePort, readPage } from "./_page.ts";

const readme = await readPage("README.md");
const run = promisify(execFile);

/** Shells that read their commands from standard input. Zsh does so interactively, as for pasted text. */
const shells = [
  ["bash", "-eu"],
  ["dash", "-eu"],
  ["zsh", "-feui"],
] as const;

describe("the tour of the README", () => {
  const clean: (() => Promise<unknown>)[] = [];
  let folder = "";
  before(async () => {
    folder = await temporaryFolder({ after: (work: () => Promise<unknown>) => void clean.push(work) });
    await buildProject(folder);
  });
  after(() => Promise.all(clean.map((work) => work())));

  for (const [shell, options] of shells) {
    const skip = unavailable(shell, "-c", "true") || (shell !== "bash" && onlyInFull);
    it(`works when pasted into ${shell}`, { skip }, async () => {
      await rm(join(folder, "tour-data"), { recursive: true, force: true });
      const script = blocks(readme, "tour")
        .join("")
        .replaceAll("8899", String(await freePort()));
      const running = run(shell, [options], { cwd: folder, timeout: 120_000 });
      running.child.stdin?.end(script);
      const { stdout, stderr } = await running.catch(async (error: Error) => {
        throw new Error(await readFile(join(folder, "tour.log"), "utf8"), { cause: error });
      });
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

it("the README has at most 150 lines", () => {
  assert.ok(readme.trimEnd().split("\n").length <= 150);
});
