/** `completion`: its scripts in real shells, with the build. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { buildProject } from "../_build.ts";
import { temporaryFolder } from "../_setup.ts";
import { unavailable } from "../_strace.ts";
import { emptyDesk, seededDesk, toDocument } from "./_setup.ts";
import { missing, type Shell, ShellDesk } from "./_shell.ts";

const bashCompletion = "/usr/share/bash-completion/bash_completion";

const shells: readonly (Shell & { readonly title: string; readonly skip: string | false })[] = [
  { title: "bash", name: "bash", skip: unavailable("bash", "--version") },
  {
    title: "bash with bash-completion",
    name: "bash",
    start: `source ${bashCompletion}`,
    skip: await missing(bashCompletion),
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
  ["addon-cli pla\tsho\tA\t", "player show Ada "],
  ["addon-cli token issue --pl\tB\t --rea\t", "token issue --player Bob --read-only "],
  ["addon-cli token issue --player=B\t", "token issue --player=Bob "],
  ["addon-cli group add A\tTARG\t", "group add Ada TARGETLIST "],
  ["addon-cli player add X --member GRO\t:4 --ad\t", "player add X --member GROVE:4 --admin "],
  ["addon-cli call /wantedreason/rem\treas\tTheft", "call /wantedreason/remove reason=Theft "],
  ["addon-cli call /blackl\tGRO\t", "call /blacklistreason/GROVE "],
  ["addon-cli call /player/ad\tname=A\t", "call /player/add name=Ada "],
  ["addon-cli routes check next.ya\t", "routes check next.yaml "],
  ["addon-cli --data=nowhere can-i pub\t", "--data=nowhere can-i public "],
  ["addon-cli --data=nowhere player show A\t", "--data=nowhere player show A "],
  ["addon-cli player show '$(touch ran)' A\t", "player show $(touch ran) A "],
];

describe("completion", () => {
  let main = "";
  let folder = "";
  const clean: (() => unknown)[] = [];
  const suite = { after: (work: () => unknown) => void clean.push(work) };
  before(async () => {
    folder = await temporaryFolder(suite);
    main = await buildProject(folder);
  });
  after(async () => {
    for (const work of clean) await work();
  });

  for (const { title, skip, ...shell } of shells) {
    it(`in ${title} completes commands, options and values`, { skip }, async (t) => {
      const desk = await seededDesk(t);
      for (const name of ["Ada", "Bob"]) await desk.ok("player", "add", name);
      await desk.write("next.yaml", "");
      const files = [...(await desk.files()).keys()];
      const typing = await ShellDesk.in(await temporaryFolder(t), main);
      const { calls, screen } = await typing.type(
        shell,
        sessions.map(([typed]) => typed),
        desk.folder,
      );
      assert.deepEqual(
        calls,
        sessions.map(([, called]) => called),
        screen,
      );
      assert.doesNotMatch(screen, /not found|readonly|unbound|syntax|error|Killed/i);
      assert.deepEqual([...(await desk.files()).keys()], files);
      assert.equal(await missing(`${desk.folder}/ran`).then(Boolean), true, "what was typed was not run");
    });

    it(`in ${title} lists what can be typed${shell.name === "bash" ? "" : ", with descriptions"}`, {
      skip,
    }, async (t) => {
      const desk = await emptyDesk(t);
      const typing = await ShellDesk.in(await temporaryFolder(t), main);
      // On a terminal without a cursor, fish lists completions only on request.
      const typed = {
        bash: "addon-cli player \t\tlist",
        zsh: "addon-cli player \tlist",
        fish: "complete -C 'addon-cli player '",
      };
      const { screen } = await typing.type(shell, [typed[shell.name]], desk.folder);
      assert.match(screen, /reset-statistic/);
      if (shell.name !== "bash") assert.match(screen, /set all statistics of a player/);
    });
  }

  it("prints the script in one document with --json", async (t) => {
    const desk = await emptyDesk(t);
    for (const shell of ["bash", "zsh", "fish"]) {
      const script = await desk.ok("completion", shell);
      assert.match(script, /addon-cli complete --/);
      assert.deepEqual(toDocument(await desk.ok("--json", "completion", shell)), {
        script: script.slice(0, -1),
      });
    }
  });

  it("names the shells where another one is wanted", async (t) => {
    const desk = await emptyDesk(t);
    assert.match(await desk.misused("completion", "tcsh"), /bash, zsh, fish/);
  });
});
