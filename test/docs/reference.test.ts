/** Tests of docs/reference.md: its tables have the operations, commands and settings of the program. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { limitWords, toLimits } from "../../src/table/limits.ts";
import { projectFolder } from "../_setup.ts";
import { type Desk, emptyDesk } from "../cli/_setup.ts";
import { scrape, serveMeasured } from "../metrics/_setup.ts";
import { readPage, rows, section } from "./_page.ts";

const page = await readPage("docs/reference.md");

/** Returns the words of every command that does something, such as `player add`, as the help lists them. */
async function commandsOf(desk: Desk, words: readonly string[] = []): Promise<string[]> {
  const help = await desk.ok(...words, "--help");
  const list = /^Commands:\n((?: {2}.*\n?)*)/m.exec(help)?.[1] ?? "";
  const names = Array.from(list.matchAll(/^ {2}([a-z][\w-]*)/gm), ([, name = ""]) => name);
  const inner = await Promise.all(
    names.filter((name) => name !== "help").map((name) => commandsOf(desk, [...words, name])),
  );
  // `audit` has both an action and a subcommand.
  const acts = inner.length === 0 || words.join(" ") === "audit";
  return [...(acts ? [words.join(" ")] : []), ...inner.flat()];
}

/** Returns the commands of a cell: "`player add`, `list`" are `player add` and `player list`. */
function commandsIn(cell: string): string[] {
  const [first = [], ...others] = Array.from(cell.matchAll(/`([a-z -]+)/g), ([, text = ""]) =>
    text.trim().split(" "),
  );
  return [first, ...others.map((other) => [...first.slice(0, -1), ...other])].map((words) => words.join(" "));
}

/** Returns the names of the environment variables that the sources of the command line mention. */
async function variables(): Promise<Set<string>> {
  const folder = join(projectFolder, "cli");
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return new Set(texts.join("").match(/ADDON_[A-Z_]+/g));
}

describe("the reference", () => {
  it("has the operations that `routes list --markdown` prints for the shipped table", async (t) => {
    const desk = await emptyDesk(t);
    const expected = await desk.ok("routes", "list", "--markdown");
    assert.deepEqual(section(page, "routes").split("\n"), expected.split("\n"));
  });

  it("has the limits of a table that declares none", () => {
    const listed = rows(section(page, "limits")).map(([name, , rate, burst]) => [
      name,
      `${rate}, burst ${burst}`,
    ]);
    const limits = Object.entries(toLimits()).map(([name, limit]) => [`\`${name}\``, limitWords(limit)]);
    assert.deepEqual(listed, limits);
  });

  it("has every command", async (t) => {
    const desk = await emptyDesk(t);
    const listed = rows(section(page, "commands")).flatMap(([cell = ""]) => commandsIn(cell));
    assert.deepEqual(listed.toSorted(), (await commandsOf(desk)).toSorted());
  });

  it("has the global options and those of `serve`, with their defaults", async (t) => {
    const desk = await emptyDesk(t);
    const help = (await desk.ok("--help")) + (await desk.ok("serve", "--help"));
    const described = help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+).*(?:\n {4,}.*)*/gm);
    const expected = Array.from(described, ([text, flag]) => {
      return `${flag} ${/default:\s+(?!false)"?([^")]+)/.exec(text)?.[1] ?? "none"}`;
    }).filter((line) => !/^--(?:help|version|no-log-address|no-confirm-loss) /.test(line));
    const listed = rows(section(page, "settings")).map(([option = "", , initial = ""]) => {
      return `${/--[a-z-]+/.exec(option)?.[0]} ${initial.replaceAll("`", "").replace("off", "none")}`;
    });
    assert.deepEqual(listed.toSorted(), expected.toSorted());
  });

  it("has every metric, with its type and its help text", async (t) => {
    const { text } = await scrape((await serveMeasured(t)).metrics);
    const served = Array.from(
      text.matchAll(/^# HELP (gameaddon_\w+) (.*)\.\n# TYPE \w+ (\w+)/gm),
      ([, name, help, type]) => [`\`${name}\``, type, help],
    );
    assert.ok(served.length > 20);
    assert.deepEqual(rows(section(page, "metrics")), served);
  });

  it("has every environment variable", async () => {
    const listed = section(page, "settings").match(/ADDON_[A-Z_]+/g) ?? [];
    assert.deepEqual(new Set(listed), await variables());
  });
});
