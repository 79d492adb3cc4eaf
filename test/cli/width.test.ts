/** Nothing on a terminal is wider than it: help, results, refusals. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { deskWithPast } from "./_data.ts";
import type { Desk } from "./_setup.ts";

/** Returns the command lines of all commands, from the help of each. */
async function commandsOf(desk: Desk, ...path: readonly string[]): Promise<string[][]> {
  const help = await desk.ok("help", ...path);
  const listed = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? "";
  const names = Array.from(listed.matchAll(/^ {2}([\w-]+)/gm), ([, name = ""]) => name);
  const below = names.filter((name) => name !== "help").map((name) => commandsOf(desk, ...path, name));
  return [[...path], ...(await Promise.all(below)).flat()];
}

const commands = [
  ["player", "show", "Ada"],
  ["token", "list"],
  ["group", "list"],
  ["data", "status"],
  ["data", "verify"],
  ["routes", "list"],
  ["routes", "status"],
  ["routes", "test"],
  ["audit"],
  ["audit", "--values"],
  ["audit", "--since", "2x"],
  ["audit", "statistics"],
  ["can-i", "Ada", "/houseban/add"],
  ["can-i", "Ada", "/wantedreasn/add"],
  ["who-can", "/wantedreason/remove"],
  ["call", "/wantedreason/add", "reason=Theft", "points=many"],
  ["data", "restore", "nothing.gz"],
  ["serve", "--port", "x"],
  ["token", "issue", "--public", "--expires", "1"],
  ["routes", "reload"],
  ["health"],
];

for (const columns of [80, 60]) {
  it(`fits a terminal of ${columns} columns`, async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("player", "add", "Bob_the_Builder", "--member", "RESCUE:1", "--member", "POLICE:5");
    await desk.ok("token", "issue", "--player", "Ada", "--label", "the laptop at home");
    const helps = (await commandsOf(desk)).map((path) => [...path, "--help"]);
    assert.ok(helps.length > 40, `only ${helps.length} commands`);
    for (const args of [...helps, ...commands]) {
      const { stdout, stderr } = await desk.run(args, { terminal: true, columns });
      const lines = stripVTControlCharacters(stdout + stderr).split(/[\n\r]/);
      for (const line of lines) {
        // A path or an address is not broken.
        const isOneWord = line.trim().split(" ").length === 1;
        assert.ok([...line].length <= columns || isOneWord, `${args.join(" ")}: ${line}`);
      }
    }
  });
}
