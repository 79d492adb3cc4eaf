/** What a command loads: only what it needs, since most of the time that a short one takes goes into that. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { projectFolder } from "../_setup.ts";
import { CliProcess, serveProcess } from "./_process.ts";
import { type Desk, emptyDesk, seededDesk } from "./_setup.ts";

/** What only serving takes, or the route table, or a table on a terminal. */
const heavy = [
  "h3",
  "srvx",
  "listhen",
  "pino",
  "pino-pretty",
  "yaml",
  "re2js",
  "@valibot/to-json-schema",
  "string-width",
];

/** What a process has imported: the names of packages, and the project's own files. */
interface Loaded {
  readonly packages: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

/** Runs a command that has to succeed, in a process, and tells what it has loaded. */
async function loadedBy(desk: Desk, ...args: readonly string[]): Promise<Loaded> {
  const list = join(desk.folder, "loaded.txt");
  const hooks = `
    import { appendFileSync } from "node:fs";
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      appendFileSync(${JSON.stringify(list)}, resolved.url + "\\n");
      return resolved;
    }
  `;
  const preload = `
    import { register } from "node:module";
    register(${JSON.stringify(dataURL(hooks))});
  `;
  const child = new CliProcess(desk, args, [dataURL(preload)]);
  assert.equal(await child.ended, 0, child.stderr);
  const urls = (await readFile(list, "utf8")).split("\n");
  const root = pathToFileURL(projectFolder).href.replace(/\/?$/, "/");
  const own = urls.filter((url) => url.startsWith(root) && !url.includes("/node_modules/"));
  return {
    packages: new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])),
    files: new Set(own.map((url) => url.slice(root.length).replace(/\?.*$/, ""))),
  };
}

function dataURL(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

function assertLight({ packages, files }: Loaded): void {
  assert.deepEqual(
    heavy.filter((name) => packages.has(name)),
    [],
  );
  assert.deepEqual(
    [...files].filter((file) => /^src\/(?:engine\/|access\/|service\.ts|server\.ts)/.test(file)),
    [],
  );
}

describe("loading", () => {
  it("when help is asked for then no command loads what carries it out", async (t) => {
    const desk = await emptyDesk(t);
    for (const args of [["--help"], ["routes", "--help"], ["serve", "--help"]]) {
      const loaded = await loadedBy(desk, ...args);
      assertLight(loaded);
      assert.deepEqual([...loaded.packages], ["commander"], args.join(" "));
      assert.deepEqual(
        [...loaded.files].filter((file) => file.startsWith("cli/actions/")),
        [],
      );
    }
  });

  it("when a command needs the data alone then neither the engine nor the route table is loaded", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const loaded = await loadedBy(desk, "token", "issue", "--player", "Ada");
    assertLight(loaded);
    // The list is of what was really loaded.
    assert.ok(loaded.packages.has("lowdb"), [...loaded.packages].join());
    assert.ok(loaded.files.has("src/store/store.ts"), [...loaded.files].join());
  });

  it("when a command only looks at the data then nothing is loaded that locks or writes it", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    for (const args of [
      ["token", "list"],
      ["player", "show", "Ada"],
    ]) {
      const loaded = await loadedBy(desk, ...args);
      assertLight(loaded);
      assert.ok(loaded.files.has("src/store/reading.ts"), args.join(" "));
      assert.ok(!loaded.packages.has("fs-native-extensions"), args.join(" "));
      for (const file of ["store.ts", "writer.ts", "folder/lock.ts"]) {
        assert.ok(!loaded.files.has(`src/store/${file}`), `${args.join(" ")} loads ${file}`);
      }
    }
  });

  it("when a service carries the command out then the command does not even load the store", async (t) => {
    const desk = await seededDesk(t);
    await serveProcess(desk);
    const loaded = await loadedBy(desk, "token", "list");
    assertLight(loaded);
    assert.deepEqual([...loaded.packages], ["commander"]);
  });

  it("when a command depends on the route table then it is loaded", async (t) => {
    const desk = await seededDesk(t);
    const { packages, files } = await loadedBy(desk, "player", "exclude", "Ada");
    assert.ok(packages.has("yaml"));
    assert.ok(files.has("src/table/table.ts"));
  });
});
