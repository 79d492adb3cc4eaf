/** The modules that a command loads: only what it requires, since loading is most of the time of a short command. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { projectFolder } from "../_setup.ts";
import { CliProcess, serveProcess } from "./_process.ts";
import { type Desk, emptyDesk, seededDesk } from "./_setup.ts";

/** Packages for serving, for the route table, or for tables on a terminal only. */
const heavy = [
  "h3",
  "rou3",
  "srvx",
  "listhen",
  "pino",
  "pino-pretty",
  "yaml",
  "re2js",
  "@valibot/to-json-schema",
  "prom-client",
  "string-width",
];

/** The imports of a process: packages, and files of the project. */
interface Loaded {
  readonly packages: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

/** Runs a command that must succeed as a process. Returns what it has loaded. */
async function loadedBy(desk: Desk, ...args: readonly string[]): Promise<Loaded> {
  const { preload, loaded } = recordingIn(desk);
  const child = new CliProcess(desk, args, [preload]);
  assert.equal(await child.ended, 0, child.stderr);
  return loaded();
}

/** Returns a module that makes a process record what it loads, and a function that reads the record. */
function recordingIn(desk: Desk): { preload: string; loaded: () => Promise<Loaded> } {
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
  return { preload: dataURL(preload), loaded: () => readLoaded(list) };
}

async function readLoaded(list: string): Promise<Loaded> {
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
  it("when help is printed, no command loads its implementation", async (t) => {
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

  it("when a command requires only the data, neither the engine nor the route table is loaded", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const loaded = await loadedBy(desk, "token", "issue", "--player", "Ada");
    assertLight(loaded);
    // The list is not empty.
    assert.ok(loaded.packages.has("lowdb"), [...loaded.packages].join());
    assert.ok(loaded.files.has("src/store/store.ts"), [...loaded.files].join());
  });

  it("when a command only reads the data, no code that locks or writes it is loaded", async (t) => {
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

  it("when a service runs the command, the command does not even load the store", async (t) => {
    const desk = await seededDesk(t);
    await serveProcess(desk);
    const loaded = await loadedBy(desk, "token", "list");
    assertLight(loaded);
    assert.deepEqual([...loaded.packages], ["commander"]);
  });

  it("when metrics are not served, nothing for them is loaded", async (t) => {
    for (const [args, expected] of [
      [[], false],
      [["--metrics", "127.0.0.1:0"], true],
    ] as const) {
      const desk = await seededDesk(t);
      const { preload, loaded } = recordingIn(desk);
      const { child } = await serveProcess(desk, args, [preload]);
      child.signal("SIGTERM");
      assert.equal(await child.ended, 0, child.stderr);
      const { packages, files } = await loaded();
      assert.ok(packages.has("h3"));
      assert.equal(packages.has("prom-client"), expected);
      assert.equal(
        [...files].some((file) => file.startsWith("src/metrics/")),
        expected,
      );
    }
  });

  it("when a command depends on the route table, it is loaded", async (t) => {
    const desk = await seededDesk(t);
    const { packages, files } = await loadedBy(desk, "player", "exclude", "Ada", "--yes");
    assert.ok(packages.has("yaml"));
    assert.ok(files.has("src/table/table.ts"));
  });
});
