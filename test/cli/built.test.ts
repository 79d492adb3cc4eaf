/** The build: a command loads only the files that it requires, and shells complete it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { buildProject } from "../_build.ts";
import { isFull } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import { unavailable } from "../_strace.ts";
import { emptyDesk, seededDesk } from "./_setup.ts";
import { type Shell, typeInto } from "./_shell.ts";

const run = promisify(execFile);
const main = await buildProject(await temporaryFolder({ after }));

/** Prints the loaded files at the end, one per line. */
const hook = `
  process.once("exit", () => {
    require("node:fs").writeFileSync(process.env.LOADED, Object.keys(require.cache).join("\\n"));
  });
`;

it("a command loads the files that it requires: loading is most of the time of a short one", async (t) => {
  const desk = await emptyDesk(t);
  const [hookFile, LOADED] = [await desk.write("hook.cjs", hook), join(desk.folder, "loaded.txt")];
  const loadedBy = async (...args: string[]) => {
    const { PATH, HOME } = process.env;
    const { stdout } = await run(process.execPath, ["--require", hookFile, main, ...args], {
      cwd: desk.folder,
      env: { PATH, HOME, LOADED },
    });
    const loaded = (await readFile(LOADED, "utf8")).split("\n").filter((path) => path !== hookFile);
    return { stdout, files: loaded.map((path) => basename(path)).sort() };
  };

  assert.ok((await stat(main)).mode & 0o100, "npx runs it in the project");
  const always = ["addon-cli.cjs", "command.cjs"];
  for (const args of [["--help"], ["serve", "--help"]])
    assert.deepEqual((await loadedBy(...args)).files, always, args.join(" "));

  // A command that creates the folder and loads the code that writes, which shows that the list is complete.
  const added = await loadedBy("player", "add", "Ada");
  assert.ok(added.files.includes("store.cjs"), added.files.join());
  for (const name of ["serve.cjs", "service.cjs"]) assert.ok(!added.files.includes(name), added.files.join());

  const shown = await loadedBy("player", "show", "Ada");
  assert.match(shown.stdout, /Ada/);
  assert.deepEqual(shown.files, [...always, "look.cjs"]);

  // Each press of the tab key starts one.
  const commands = await loadedBy("complete", "--", "pla");
  assert.match(commands.stdout, /^player\t/);
  assert.deepEqual(commands.files, [...always, "complete.cjs"]);
  const completed = await loadedBy("complete", "--", "player", "show", "A");
  assert.equal(completed.stdout, "Ada\n:4\n");
  assert.deepEqual(completed.files, [...always, "complete.cjs", "look.cjs"]);
  assert.deepEqual((await loadedBy("completion", "bash")).files, [...always, "completion-script.cjs"]);

  // A service carries out the command, which does not even load what reads the data.
  await desk.startService();
  assert.deepEqual((await loadedBy("player", "show", "Ada")).files, [...always, "look.cjs"]);

  // Node parses all of a file before it runs the first line. The comments of packages within classes stay.
  for (const name of completed.files) {
    const text = await readFile(join(dirname(main), name), "utf8");
    assert.doesNotMatch(text, /[^\0-\x7f]/, `${name} has characters beyond ASCII`);
    assert.doesNotMatch(text, /@throws Failure/, `${name} has our comments`);
  }
});

const bashCompletion = "/usr/share/bash-completion/bash_completion";

const shells: readonly (Shell & { readonly title: string; readonly skip: string | false })[] = [
  { title: "bash", name: "bash", skip: unavailable("bash", "--version") },
  {
    title: "bash with bash-completion",
    name: "bash",
    start: `source ${bashCompletion}`,
    skip: existsSync(bashCompletion) ? false : "bash-completion is not installed",
  },
  {
    title: "zsh",
    name: "zsh",
    start: "autoload -Uz compinit; compinit -u -D",
    skip: unavailable("zsh", "--version"),
  },
  { title: "fish", name: "fish", skip: unavailable("fish", "--version") },
];

/** The typed text, with a tab where the shell completes, and the resulting call of addon-cli. */
const sessions: readonly (readonly [typed: string, called: string])[] = [
  ["addon-cli pla\tren\tA\t", "player rename Ada "],
  ["addon-cli token issue --player=B\t --rea\t", "token issue --player=Bob --read-only "],
  ["addon-cli player add X --member GRO\t:4 --ad\t", "player add X --member GROVE:4 --admin "],
  ["addon-cli call /wantedreason/rem\treas\tTheft", "call /wantedreason/remove reason=Theft "],
  ["addon-cli call /blackl\tGRO\t", "call /blacklistreason/GROVE "],
  ["addon-cli call /player/ad\tname=A\t", "call /player/add name=Ada "],
  ["addon-cli routes check next.ya\t", "routes check next.yaml "],
  ["addon-cli token issue --public '--label=$(>ran)='\t", "token issue --public --label=$(>ran)= "],
  ["addon-cli --data=nowhere player show A\t", "--data=nowhere player show A "],
  ["addon-cli player show '$(touch ran)' A\t", "player show $(touch ran) A "],
];

/** Lists what can be typed. On a terminal without a cursor, fish lists completions only on request. */
const listing = {
  bash: "addon-cli player \t\tlist",
  zsh: "addon-cli player \tlist",
  fish: "complete -C 'addon-cli player '",
};

describe("completion", () => {
  for (const [turn, { title, skip, ...shell }] of shells.entries()) {
    // By turns: each key press starts a command.
    const tried = sessions.filter((_, index) => isFull || index % shells.length === turn);
    it(`in ${title} completes commands, options and values, and lists what can be typed`, {
      skip,
    }, async (t) => {
      const desk = await seededDesk(t);
      for (const name of ["Ada", "Bob"]) await desk.ok("player", "add", name);
      await writeFile(join(desk.folder, "next.yaml"), "");
      const files = [...(await desk.files()).keys()];
      const typed = [...tried.map(([text]) => text), listing[shell.name]];
      const { calls, screen } = await typeInto(shell, main, await temporaryFolder(t), typed, desk.folder);
      assert.deepEqual(
        calls.slice(0, tried.length),
        tried.map(([, called]) => called),
        screen,
      );
      assert.doesNotMatch(screen, /not found|readonly|unbound|syntax|error|Killed/i);
      assert.match(screen, /reset-statistic/);
      if (shell.name !== "bash") assert.match(screen, /set all statistics of a player/);
      assert.deepEqual([...(await desk.files()).keys()], files);
      assert.ok(!existsSync(join(desk.folder, "ran")), "what was typed was not run");
    });
  }
});
