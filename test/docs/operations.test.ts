/** Tests of docs/operations.md and docs/several-machines.md: their commands, options, files and alerts exist, and its blocks are valid. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { assertIncludes, projectFolder } from "../_setup.ts";
import { unavailable } from "../_strace.ts";
import { emptyDesk } from "../cli/_setup.ts";
import { readPage, section } from "./_page.ts";

const page = `${await readPage("docs/operations.md")}${await readPage("docs/several-machines.md")}`;
const deploy = join(projectFolder, "deploy");
const shipped = await readdir(deploy);

/** Returns the blocks of the page in a language. */
function blocksIn(language: string): string[] {
  return Array.from(
    page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm")),
    ([, text = ""]) => text,
  );
}

/** Returns the command lines of `gameaddon` and `addon-cli` in blocks and in the text, without those names. */
function commandLines(): string[] {
  const inBlocks = blocksIn("(?:sh|ini)")
    .join("")
    .matchAll(/(?:^|[ /=])(?:gameaddon|addon-cli) ([a-z].*)$/gm);
  const inText = page.matchAll(/`(?:gameaddon|addon-cli) ([a-z][^`]*)`/g);
  return [...inBlocks, ...inText].map(([, line = ""]) => line.trim());
}

describe("the pages about operation on servers", () => {
  it("has shell blocks that bash can parse", () => {
    const blocks = blocksIn("sh");
    assert.ok(blocks.length >= 15);
    for (const block of blocks) {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: block, encoding: "utf8" });
      assert.equal(status, 0, `${stderr}in\n${block}`);
    }
  });

  it("begins with ten lines whose steps are those of the sections below", () => {
    const [, lines = "", rest = ""] = /<!-- ten lines -->\n```sh\n(.*?)```(.*)/s.exec(page) ?? [];
    const steps = lines.trimEnd().split("\n");
    assert.equal(steps.length, 10);
    // The sections break long lines, and install other packages at each step.
    const below = rest.replaceAll(/ \\\n +/g, " ");
    for (const step of steps.flatMap((line) => line.split(/(?: && )|(?: (?=VERSION|DEPLOY))/))) {
      if (!step.startsWith("apt-get install")) assertIncludes(below, step);
    }
  });

  it("uses commands and options that exist", async (t) => {
    const desk = await emptyDesk(t);
    const lines = commandLines();
    assert.ok(lines.length >= 12);
    for (const line of lines) {
      const words = /^[a-z]+(?: [a-z]+)*(?= |$)/.exec(line)?.[0].split(" ") ?? [];
      // Help for as many words as are commands: `health` has none below it, `data restore` has.
      const help = await desk.ok("help", ...words);
      for (const [option] of line.matchAll(/(?<= )--[a-z-]+/g))
        assert.match(help, new RegExp(`^ +(?:-\\w, )?${option}\\b`, "m"), `${line} has an unknown option`);
    }
  });

  it("names every file of deploy/, and no other", () => {
    const named = new Set(
      Array.from(page.matchAll(/\$DEPLOY\/([\w.-]+)|`(grafana\.json)`/g), ([, a, b]) => a ?? b),
    );
    assert.deepEqual([...named].toSorted(), shipped.toSorted());
  });

  it("creates a folder before it puts files there, where the package and the units do not", () => {
    const folder = "/var/lib/gameaddon/data";
    const filling = blocksIn("sh").filter((block) =>
      new RegExp(`^(?:install -m|cp) .* ${folder}/`, "m").test(block),
    );
    assert.ok(filling.length >= 2);
    for (const block of filling)
      assert.match(
        block,
        new RegExp(`^install -d .* ${folder}\n[\\s\\S]*^(?:install -m|cp) .* ${folder}/`, "m"),
      );
  });

  it("says for every alert what to do", async () => {
    const rules: { groups: { rules: { alert?: string }[] }[] } = parse(
      await readFile(join(deploy, "alerts.yaml"), "utf8"),
    );
    const alerts = rules.groups.flatMap((group) => group.rules).flatMap(({ alert }) => alert ?? []);
    assert.ok(alerts.length >= 4);
    const described = Array.from(section(page, "alerts").matchAll(/^### (\w+)$/gm), ([, name]) => name);
    assert.deepEqual(described, alerts);
  });
});

describe("the files for Prometheus", { skip: unavailable("promtool", "--version") }, () => {
  it("are accepted by promtool, with the job that the alerts name", async () => {
    const { status, stdout, stderr } = spawnSync(
      "promtool",
      ["check", "config", join(deploy, "prometheus.yml")],
      {
        encoding: "utf8",
      },
    );
    assert.equal(status, 0, stdout + stderr);
    const jobs = new Set(
      Array.from(
        (await readFile(join(deploy, "alerts.yaml"), "utf8")).matchAll(/job="(\w+)"/g),
        ([, job]) => job,
      ),
    );
    assert.deepEqual([...jobs], ["gameaddon"]);
  });
});

describe("the settings in deploy/gameaddon.env and on these pages", () => {
  it("are in the reference", async () => {
    const listed = section(await readPage("docs/reference.md"), "settings");
    const texts = `${await readFile(join(deploy, "gameaddon.env"), "utf8")}${page}`;
    const settings = texts.matchAll(/^#?(ADDON_\w+)=/gm);
    for (const [, name = ""] of settings)
      assert.ok(listed.includes(`\`${name}\``), `${name} is not in the reference`);
  });
});
