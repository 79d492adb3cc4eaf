/** The rules of the sources: which room imports which, no circular imports, and the sizes of files and folders. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, it } from "node:test";

/** A file of the sources, with the files that it imports. Paths are relative to the project. */
interface Source {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly string[];
}

/** Rooms, from the bottom up, each with the rooms that it may import. Loose files are rooms of their own. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "src/packaged.ts": [],
  "src/regular-file.ts": [],
  "src/domain": [],
  "src/store": ["src/domain", "src/regular-file.ts"],
  "src/table": ["src/domain", "src/packaged.ts"],
  "src/engine": ["src/table", "src/domain"],
  "src/table-test": ["src/engine", "src/table", "src/domain"],
  "src/identity": ["src/store", "src/table", "src/domain"],
  "src/openapi": ["src/engine", "src/identity", "src/table", "src/domain", "src/packaged.ts"],
  "src/resources": ["src/identity", "src/store", "src/engine", "src/table", "src/domain"],
  "src/audit": ["src/store", "src/domain"],
  "src/backup": ["src/regular-file.ts", "src/identity", "src/store", "src/domain"],
  "src/repair": ["src/regular-file.ts", "src/backup", "src/store", "src/domain"],
  "src/explain": ["src/identity", "src/store", "src/engine", "src/table", "src/domain"],
  "src/operator": [
    "src/regular-file.ts",
    "src/explain",
    "src/resources",
    "src/identity",
    "src/audit",
    "src/backup",
    "src/store",
    "src/table",
    "src/domain",
  ],
  "src/operations.ts": [
    "src/resources",
    "src/identity",
    "src/store",
    "src/engine",
    "src/table",
    "src/domain",
  ],
  "src/http": [
    ...["src/regular-file.ts", "src/operations.ts", "src/resources", "src/openapi", "src/identity"],
    ...["src/engine", "src/table", "src/domain", "src/packaged.ts"],
  ],
  "src/table-in-force": [
    "src/regular-file.ts",
    ...["src/operations.ts", "src/operator", "src/explain", "src/engine", "src/table", "src/store"],
    "src/domain",
  ],
  "src/service.ts": [
    ...["src/operations.ts", "src/table-in-force", "src/explain", "src/operator", "src/resources"],
    ...["src/http", "src/openapi", "src/identity", "src/engine", "src/table", "src/store", "src/domain"],
  ],
  "src/metrics": ["src/service.ts", "src/http", "src/engine", "src/store", "src/table"],
  "src/control": [
    ...["src/service.ts", "src/table-in-force", "src/http", "src/explain", "src/operator", "src/backup"],
    ...["src/engine", "src/table", "src/store", "src/domain"],
  ],
  "cli/terminal": ["src"],
  "cli/data": ["cli/terminal", "src"],
  "cli/completion": ["cli/data", "src"],
  "cli/serving": ["cli/terminal", "cli/data", "src"],
  "cli/context.ts": ["cli/terminal", "cli/data", "src"],
  "cli/arguments": ["cli/context.ts", "cli/data", "src"],
  "cli/actions": [
    ...[
      "cli/arguments",
      "cli/completion",
      "cli/context.ts",
      "cli/data",
      "cli/serving",
      "cli/terminal",
      "src",
    ],
  ],
  "cli/command.ts": ["cli/context.ts", "src"],
  "cli/commands": [
    ...["cli/actions", "cli/arguments", "cli/command.ts", "cli/context.ts", "cli/data", "cli/serving"],
    ...["cli/terminal", "src"],
  ],
  "cli/program.ts": ["cli", "src"],
  "cli/main.ts": ["cli/program.ts", "cli/terminal"],
  bench: ["src"],
};

/** Returns whether a path is a room, or in it. */
function isIn(path: string, room: string): boolean {
  return path === room || path.startsWith(`${room}/`);
}

/** Returns imports that the list does not allow, and files without a room. */
function forbiddenImports(sources: readonly Source[], list = allowed): string[] {
  return sources.flatMap(({ path, imports }) => {
    const room = Object.keys(list).find((room) => isIn(path, room));
    if (room === undefined) return [`${path} is in no room`];
    const rooms = [room, ...(list[room] ?? [])];
    return imports
      .filter((target) => !rooms.some((room) => isIn(target, room)))
      .map((target) => `${path} imports ${target}`);
  });
}

/** Returns the groups of files that import each other in a circle. */
function circles(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map((source) => [source.path, source.imports]));
  const reachable = (from: string) => {
    const found = new Set<string>();
    const queue = [from];
    for (const path of queue)
      for (const target of imports.get(path) ?? [])
        if (!found.has(target)) queue.push(target) && found.add(target);
    return found;
  };
  const reached = new Map(sources.map(({ path }) => [path, reachable(path)]));
  const groups = sources
    .filter(({ path }) => reached.get(path)?.has(path))
    .map(({ path }) => [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path)));
  return [...new Set(groups.map((group) => group.sort().join(", ")))];
}

/** Returns the files and folders that are too large. */
function oversized(sources: readonly Source[]): string[] {
  const count = (inFolder: (path: string) => boolean) => sources.filter(({ path }) => inFolder(path)).length;
  const folders = [...new Set(sources.map(({ path }) => dirname(path)))];
  const benchLines = sources.reduce((sum, { path, lines }) => sum + (isIn(path, "bench") ? lines : 0), 0);
  return [
    ...sources
      .filter(({ path, lines }) => (isIn(path, "src") || isIn(path, "cli")) && lines > 330)
      .map(({ path, lines }) => `${path} has ${lines} lines`),
    ...folders
      .filter((folder) => count((path) => dirname(path) === folder) > (folder === "src" ? 4 : 16))
      .map((folder) => `${folder} has too many files`),
    ...(benchLines > 3300 ? [`bench has ${benchLines} lines`] : []),
  ];
}

/** Reads the sources. Type-only and dynamic imports count, too. */
function readSources(...folders: readonly string[]): readonly Source[] {
  const importForm = /(?:^\s*(?:import|export)\b[^"';]*?\bfrom|^\s*import|\bimport\()\s*"(\.[^"]+)"/gm;
  return folders.flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.ts$/.test(name) && !name.includes("node_modules"))
      .map((name) => {
        const path = join(top, name);
        const text = readFileSync(path, "utf8");
        const imports = Array.from(text.matchAll(importForm), ([, target = ""]) =>
          normalize(join(dirname(path), target)),
        );
        return { path, lines: text.split("\n").length - 1, imports };
      }),
  );
}

const file = (path: string, ...imports: string[]): Source => ({ path, lines: 1, imports });

describe("the rules detect", () => {
  it("an import that points up the layers, and a file without a room", () => {
    const sources = [file("src/store/a.ts", "src/engine/b.ts"), file("src/engine/b.ts"), file("new/c.ts")];
    assert.deepEqual(forbiddenImports(sources), [
      "src/store/a.ts imports src/engine/b.ts",
      "new/c.ts is in no room",
    ]);
  });

  it("a circle of two files, and of three", () => {
    assert.deepEqual(circles([file("a", "b"), file("b", "a"), file("c", "a")]), ["a, b"]);
    assert.deepEqual(circles([file("a", "b"), file("b", "c"), file("c", "a")]), ["a, b, c"]);
  });

  it("a file, a folder, src and bench that are too large", () => {
    const many = (folder: string, count: number) =>
      Array.from({ length: count }, (_, index) => file(`${folder}/${index}.ts`));
    assert.deepEqual(oversized([...many("cli/a", 16), ...many("src", 4)]), []);
    assert.deepEqual(oversized([...many("cli/a", 17), ...many("src", 5)]), [
      "cli/a has too many files",
      "src has too many files",
    ]);
    const large = [
      { path: "cli/a.ts", lines: 331, imports: [] },
      { path: "bench/b.ts", lines: 3301, imports: [] },
    ];
    assert.deepEqual(oversized(large), ["cli/a.ts has 331 lines", "bench has 3301 lines"]);
  });
});

describe("the sources", () => {
  const sources = readSources("src", "cli", "bench");

  it("import only what their room may import", () => assert.deepEqual(forbiddenImports(sources), []));
  it("have no circular imports", () => assert.deepEqual(circles(sources), []));
  it("have no oversized file or folder, nor have the tests", () =>
    assert.deepEqual(oversized([...sources, ...readSources("test")]), []));
  it("are all read, with their imports", () => {
    assert.ok(sources.length > 200);
    const program = sources.find(({ path }) => path === "cli/program.ts");
    assert.ok(program?.imports.includes("cli/context.ts") && program.imports.includes("cli/data/control.ts"));
  });
});
