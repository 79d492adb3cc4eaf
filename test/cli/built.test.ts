/** The build: a command loads only the files that it requires, since loading is most of the time of a short command. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { buildProject } from "../_build.ts";
import { temporaryFolder } from "../_setup.ts";

const run = promisify(execFile);
const env = { PATH: process.env.PATH, HOME: process.env.HOME };

/** Prints the loaded files at the end, one per line. */
const hook = `
  process.once("exit", () => {
    require("node:fs").writeFileSync(process.env.LOADED, Object.keys(require.cache).join("\\n"));
  });
`;

it("a command that only reads the data loads the file for reading, and help and completion do not load more", async (t) => {
  const folder = await temporaryFolder(t);
  const main = await buildProject(folder);
  const [hookFile, LOADED] = [join(folder, "hook.cjs"), join(folder, "loaded.txt")];
  await writeFile(hookFile, hook);
  const loadedBy = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, ["--require", hookFile, main, ...args], {
      cwd: folder,
      env: { ...env, LOADED },
    });
    const loaded = (await readFile(LOADED, "utf8")).split("\n").filter((path) => path !== hookFile);
    return { stdout, files: loaded.map((path) => basename(path)).sort() };
  };

  const help = await loadedBy("--help");
  assert.match(help.stdout, /^Usage: addon-cli/);
  assert.deepEqual(help.files, ["addon-cli.cjs", "command.cjs"]);

  // A command that creates the folder and loads the code that writes, which shows that the list is complete.
  const added = await loadedBy("player", "add", "Ada");
  assert.ok(added.files.includes("store.cjs"), added.files.join());
  assert.ok(!added.files.includes("serve.cjs"), added.files.join());

  const shown = await loadedBy("player", "show", "Ada");
  assert.match(shown.stdout, /Ada/);
  assert.deepEqual(shown.files, ["addon-cli.cjs", "command.cjs", "look.cjs"]);

  const tokens = await loadedBy("token", "list");
  assert.deepEqual(tokens.files, ["addon-cli.cjs", "command.cjs", "look.cjs"]);

  // Each press of the tab key starts one.
  const commands = await loadedBy("complete", "--", "pla");
  assert.match(commands.stdout, /^player\t/);
  assert.deepEqual(commands.files, ["addon-cli.cjs", "command.cjs", "complete.cjs"]);

  const completed = await loadedBy("complete", "--", "player", "show", "A");
  assert.equal(completed.stdout, "Ada\n:4\n");
  assert.deepEqual(completed.files, ["addon-cli.cjs", "command.cjs", "complete.cjs", "look.cjs"]);

  const script = await loadedBy("completion", "bash");
  assert.match(script.stdout, /^# bash completion/);
  assert.deepEqual(script.files, ["addon-cli.cjs", "command.cjs", "completion-script.cjs"]);

  // Node parses all of a file before it runs the first line. The comments of packages within classes stay.
  for (const name of completed.files) {
    const text = await readFile(join(dirname(main), name), "utf8");
    assert.doesNotMatch(text, /[^\0-\x7f]/, `${name} has characters beyond ASCII`);
    assert.doesNotMatch(text, /@throws Failure/, `${name} has our comments`);
  }
});
