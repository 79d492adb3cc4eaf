/** All commands, as their help lists them: examples, suggestions of mistyped ones, completion, and the width of a terminal. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { valuesOf } from "../../cli/completion/values.ts";
import { assertIncludes } from "../_setup.ts";
import { type Desk, emptyDesk, linesOf, seededDesk } from "./_setup.ts";

/** A command, and the commands below it. */
interface Listed {
  readonly path: readonly string[];
  readonly help: string;
  readonly names: readonly string[];
}

/** Returns a command, and all below it, from the help of each. */
async function commandsOf(desk: Desk, ...path: readonly string[]): Promise<Listed[]> {
  const help = await desk.ok(...path, "--help");
  const listed = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? "";
  const names = Array.from(listed.matchAll(/^ {2}([a-z][\w-]*)/gm), ([, name = ""]) => name);
  const ownHelp = (name: string) => name !== "help" || path.length === 0;
  const below = names.filter(ownHelp).map((name) => commandsOf(desk, ...path, name));
  return [{ path, help, names }, ...(await Promise.all(below)).flat()];
}

let all: Promise<Listed[]> | undefined;
/** Returns all commands, from the help of each. */
const allCommands = (desk: Desk) => (all ??= commandsOf(desk));

it("each command has a help, which `help` prints as well, and an example if it is more than a list", async (t) => {
  const desk = await emptyDesk(t);
  const all = await allCommands(desk);
  assert.ok(all.length > 45, `only ${all.length} commands`);
  const without: string[] = [];
  for (const { path, help, names } of all) {
    assert.ok(help.startsWith(["Usage: addon-cli", ...path].join(" ")), help);
    assert.equal(await desk.ok("help", ...path), help);
    assert.doesNotMatch(help, /\$ addon-cli *$/m, "an example is empty");
    assert.doesNotMatch(help, /<>| \[\]/, "an argument has no name");
    if (names.length === 0 && !/Examples?:\n +\$ addon-cli \S/.test(help)) without.push(path.join(" "));
  }
  assert.deepEqual(
    without.filter((command) => !/(?:list|help|schema|snapshot|status)$/.test(command)),
    [],
  );
  await assert.rejects(desk.files(), { code: "ENOENT" }, "nothing was begun");
});

it("the help describes every command, argument and option", async (t) => {
  const desk = await emptyDesk(t);
  for (const { path, help } of await allCommands(desk)) {
    const sections = help.match(/^(?:Commands|Arguments|Options):\n(?: {2}.*\n)+/gm) ?? [];
    const terms = sections.flatMap((section) => section.match(/^ {2}\S.*$/gm) ?? []);
    assert.ok(terms.length > 0, path.join(" "));
    // Default values and choices, in brackets, are not a description.
    for (const term of terms) assert.match(term, /^ {2}\S.*? {2,}[^ (]/, path.join(" "));
    const [usage = ""] = help.split("\n", 1);
    for (const [, word] of usage.matchAll(/[<[](?!options\]|command\])([\w:=|-]+)/g))
      assert.ok(
        terms.some((term) => term.startsWith(`  ${word} `)),
        usage,
      );
  }
});

it("a mistyped command that removes something or grants access is never suggested", async (t) => {
  const desk = await emptyDesk(t);
  const harmful = /^(remove|revoke|exclude|readmit|reset|grant|set|restore|repair|import|undo|rollback)/;
  let tried = 0;
  for (const { path, names } of await allCommands(desk))
    for (const name of names.filter((name) => harmful.test(name)))
      for (const typed of [name.slice(0, -1), name.slice(1), `${name}s`, name.replace(/.(.)/, "$1")]) {
        if (names.includes(typed)) continue;
        tried += 1;
        assert.doesNotMatch(await desk.misused(...path, typed), new RegExp(`Did you mean ${name}`));
      }
  assert.ok(tried > 40, `${tried} were tried`);
});

it("the word in the brackets of every argument and option is completed, or is known to be typed freely", async (t) => {
  const desk = await emptyDesk(t);
  const free =
    /^(?:cidr|duration|host|host:port|moment|n|number|origin|percent|port|rank|role|seconds|text|url)$/;
  const others = /^(?:shell|kind|which|level|new-name|uuid|version|options|command|columns)$/;
  const seen = new Set<string>();
  for (const { help } of await allCommands(desk))
    for (const [line] of help.matchAll(/^(?:Usage:| {2}-).*$/gm))
      for (const [, word = ""] of line.matchAll(/[<[]([^>\]]+?)(?:\.\.\.)?[>\]]/g)) seen.add(word);
  const undeclared = [...seen].filter((word) => !(free.test(word) || others.test(word) || word in valuesOf));
  assert.deepEqual(undeclared, []);
  for (const word of ["player", "organisation:rank", "name=value"]) assert.ok(seen.has(word), word);
});

it("a command whose output goes elsewhere than to a terminal does not ask, even if somebody could answer", async (t) => {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  const { exitCode, stderr } = await desk.run(["player", "remove", "Ada"], { ask: async () => "y" });
  assert.equal(exitCode, 1);
  assertIncludes(stderr, "there is nobody to ask: nothing was changed.");
});

it("names are completed from a folder in the home folder, whose ~ the shell has not expanded yet", async (t) => {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada");
  const { HOME } = process.env;
  t.after(() => {
    if (HOME === undefined) delete process.env.HOME;
    else process.env.HOME = HOME;
  });
  process.env.HOME = desk.folder;
  assert.equal(await desk.ok("complete", "--", "--data", "~/data", "player", "show", ""), "Ada\n:4\n");
});

const shown = `
player list
player show Sixteen_letters_
token list
group list
data status
data verify
routes list
routes status
audit --values
audit statistics
can-i Ada /houseban/add
who-can /wantedreason/remove
call /wantedreason/add reason=Theft points=many
data restore nothing.gz
serve --port x
token issue --public --expires 1
routes reload
health`;

for (const columns of [80, 60]) {
  it(`nothing on a terminal of ${columns} columns is wider, except a word that is`, async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const name = "Sixteen_letters_";
    await desk.ok("player", "add", name, "--member", "GROVE:4", "--member", "RESCUE:5");
    for (const group of ["VIP", "BETA", "TARGETLIST"]) await desk.ok("group", "add", name, group);
    await desk.ok("token", "issue", "--player", name, "--label", "the page of the squad", "--expires", "30d");
    const helps = (await allCommands(desk)).map(({ path }) => [...path, "--help"]);
    for (const args of [...helps, ...linesOf(shown.trim()).map((line) => line.split(" "))]) {
      const { stdout, stderr } = await desk.run(args, { terminal: true, columns });
      for (const line of stripVTControlCharacters(stdout + stderr).split(/[\n\r]/)) {
        const isOneWord = line.trim().split(" ").length === 1;
        assert.ok([...line].length <= columns || isOneWord, `${args.join(" ")}: ${line}`);
      }
    }
  });
}

it("a terminal of unknown width does not wrap", async (t) => {
  const desk = await seededDesk(t);
  await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
  const { stdout } = await desk.run(["player", "list"], { terminal: true, columns: 0 });
  assert.equal(linesOf(stdout).length, 2);
});
