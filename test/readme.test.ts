/** What the README shows: its tour, pasted into a shell as it stands; its table of operations; its commands. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { buildProject } from "./_build.ts";
import { projectFolder, temporaryFolder } from "./_setup.ts";
import { emptyDesk } from "./cli/_setup.ts";

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

/** A project as it is after `npm ci`, beside this one, with an `npx` that does not look anything up. */
async function builtProject(folder: string): Promise<NodeJS.ProcessEnv> {
  const main = await buildProject(folder);
  const bin = join(folder, "bin");
  await mkdir(bin);
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`;
  await writeFile(join(bin, "npx"), npx, { mode: 0o755 });
  return { ...process.env, PATH: `${bin}:${process.env.PATH}` };
}

it("the tour, pasted into a shell, shows what it says", async (t) => {
  const folder = await temporaryFolder(t);
  const env = await builtProject(folder);
  const script = tour().replaceAll("8899", String(await freePort()));
  const { stdout } = await run("bash", ["-euc", script], { cwd: folder, env, timeout: 120_000 });
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
