/** Mistakes in YAML itself: one fault for each, where it is, with what to do. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { readYAML } from "../../src/table/yaml/read.ts";
import { shippedRoutes } from "../_setup.ts";

const read = (text: string, schema: "core" | "failsafe" = "core") =>
  readYAML(text, { expected: "a route table", schema });
/** Returns each fault as `line:column message`. */
const faultsOf = (text: string, schema?: "core" | "failsafe") =>
  read(text, schema).faults.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe("a tab as indentation", () => {
  const message = "expected spaces as indentation, got a tab";

  it("is one fault, at the first tab, wherever it is in the shipped table", async () => {
    const lines = (await readFile(shippedRoutes, "utf8")).split("\n");
    let refused = 0;
    for (const [index, line] of lines.entries()) {
      const indentation = /^ +(?=[^ #])/.exec(line)?.[0];
      if (indentation === undefined) continue;
      const text = lines
        .with(index, line.replace(indentation, "\t".repeat(indentation.length / 2)))
        .join("\n");
      const found = faultsOf(text);
      // Within braces that are open a tab is only white space where its line is not the last of them.
      if (found.length === 0) continue;
      refused += 1;
      assert.deepEqual(found, [`${index + 1}:1 ${message}`]);
    }
    assert.ok(refused > 100, `${refused} lines were refused`);
  });

  it("is one fault in a file indented by tabs only", async () => {
    const text = (await readFile(shippedRoutes, "utf8")).replace(/^( {2})+/gm, (spaces) =>
      "\t".repeat(spaces.length / 2),
    );
    const [first, ...others] = faultsOf(text);
    assert.deepEqual(others, []);
    assert.ok(first?.endsWith(message), first);
  });

  it("is reported after spaces", () =>
    assert.deepEqual(faultsOf("a:\n  b: 1\n \tc: 2\n"), [`3:2 ${message}`]));
  it("is reported after the dash of a list", () => {
    assert.deepEqual(faultsOf("a:\n  -\tb: 1\n    c: 2\n"), [`2:4 ${message}`]);
  });
  it("is allowed after a colon", () => assert.deepEqual(faultsOf("a:\tb\n"), []));
});

describe("a file without content", () => {
  for (const [what, text, got] of [
    ["no character", "", "an empty file"],
    ["only line ends", "\n \r\n", "an empty file"],
    ["only a byte order mark", "\uFEFF", "an empty file"],
    ["only comments", "# a\n  # b\n", "a file with only comments"],
  ] as const) {
    it(`with ${what} is reported as ${got}`, () => {
      for (const schema of ["core", "failsafe"] as const)
        assert.deepEqual(faultsOf(text, schema), [`1:1 expected a route table, got ${got}`]);
    });
  }
});

describe("aliases", () => {
  for (const [what, text, at] of [
    ["a list in itself", "a: &a [*a]\n", "1:8"],
    ["a map in itself", "a: &a\n  b: { c: *a }\n", "2:11"],
    ["a list in one that is in it", "a: &a\n  - &b\n    - *b\n    - *a\n", "3:7"],
  ] as const) {
    it(`cannot nest ${what}`, () => {
      const [first] = faultsOf(text);
      assert.match(first ?? "", new RegExp(`^${at} expected a value, got the anchor .* within itself`));
    });
  }

  it("are refused before their anchor, or without one", () => {
    assert.deepEqual(faultsOf("a: *b\nb: &b 1\nc: *d\n"), [
      '1:4 unknown anchor "b"; expected one before its alias',
      '3:4 unknown anchor "d"; expected one before its alias',
    ]);
  });

  it("are refused if they multiply too often", () => {
    const bomb = [
      "a: &a [x, x]",
      "b: &b [*a, *a, *a, *a]",
      "c: &c [*b, *b, *b, *b]",
      "d: &d [*c, *c, *c, *c]",
    ];
    const text = [...bomb, "e: [*d, *d, *d, *d]", ""].join("\n");
    const [first, ...others] = faultsOf(text);
    assert.deepEqual(others, []);
    assert.match(first ?? "", /^5:17 expected at most 100 uses of an anchor/);
  });

  it("of a complete value are that value", () => {
    const { value, faults } = read("a: &a { x: 1 }\nb: [*a, *a]\n");
    assert.deepEqual([...faults], []);
    assert.deepEqual(value, { a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] });
  });

  it("as merge keys are refused, except in a document of YAML 1.1", () => {
    const merging = "a: &a { x: 1 }\nb: { <<: *a, z: 2 }\n";
    assert.match(faultsOf(merging).join(), /^2:6 expected a key, got "<<": YAML 1\.2 has no merge keys/);
    assert.deepEqual(read(`%YAML 1.1\n---\n${merging}`).value, { a: { x: 1 }, b: { x: 1, z: 2 } });
    assert.deepEqual(read('"<<": 1\n').value, { "<<": 1 });
  });

  it("as merge keys of YAML 1.1 are one fault if they lead to no map", () => {
    const expected = ["3:1 invalid YAML: merge sources must be maps or map aliases"];
    for (const source of ["3", "*a", "[*a]"]) {
      assert.deepEqual(faultsOf(`%YAML 1.1\n---\na: &a 3\nb: { <<: ${source} }\n`), expected);
    }
  });
});

describe("nesting", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  it("is accepted up to 50 levels, and refused where the 51st begins", () => {
    assert.deepEqual(faultsOf(deep(50)), []);
    const expected = "expected at most 50 levels of lists and maps, got more";
    assert.deepEqual(faultsOf(deep(51)), [`1:51 ${expected}`]);
    assert.deepEqual(faultsOf(`a: ${deep(50)}`), [`1:53 ${expected}`]);
  });

  it("counts the maps that pairs in a list are", () => {
    const pairs = (levels: number) => `${"[a: ".repeat(levels)}1${"]".repeat(levels)}`;
    assert.deepEqual(faultsOf(pairs(25)), []);
    assert.deepEqual(faultsOf(pairs(26)), ["1:101 expected at most 50 levels of lists and maps, got more"]);
  });

  // Each is found before the text is parsed, which would fill the stack: V8 can then abort the process.
  for (const [what, at, text] of [
    ["brackets", "1:51", deep(20_000)],
    ["brackets that are never closed", "1:51", "[".repeat(20_000)],
    ["braces", "1:151", `${"{a:".repeat(20_000)}`],
    ["dashes", "1:101", `${"- ".repeat(20_000)}x`],
    ["question marks", "1:101", `${"? ".repeat(5_000)}x`],
    ["keys", "51:51", Array.from({ length: 500 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
  ] as const) {
    it(`of thousands of ${what} is one fault, where the 51st level begins`, () => {
      for (const schema of ["core", "failsafe"] as const) {
        const expected = [`${at} expected at most 50 levels of lists and maps, got more`];
        assert.deepEqual(faultsOf(text, schema), expected);
        assert.deepEqual(faultsOf("a: 1 }\n", schema), [], "of a text that is read next");
      }
    });
  }
});

it("a second document is refused", () => {
  assert.deepEqual(faultsOf("a: 1\n---\nb: 2\n"), [
    '2:1 expected one YAML document, got a second one; remove the "---"',
  ]);
});

it("each duplicate key names the line of the first", () => {
  assert.deepEqual(faultsOf("a:\n  x: 1\n  y: 2\n  x: 3\nb: 1\n'a': 2\n"), [
    '4:3 duplicate key "x"; the first is in line 2',
    '6:1 duplicate key "a"; the first is in line 1',
  ]);
});

it("of brackets that do not match, only those of the first line with one are reported", () => {
  const unexpected = (at: string, what: string) =>
    `${at} invalid YAML: unexpected flow-${what}-end token in YAML stream: "${what === "seq" ? "]" : "}"}"`;
  assert.deepEqual(faultsOf("a: ]\nb: }\nc: ]\n"), [unexpected("1:4", "seq")]);
  assert.deepEqual(faultsOf("a: 1\nb: ]}\nc: ]\n"), [unexpected("2:4", "seq"), unexpected("2:5", "map")]);
});

describe("the position of a value or its key", () => {
  const text = `list:
  - a
  - b
flow: [a]
empty:
quoted: ""
anchor: &x one
use: *x
block:
  k: v
set: { p, q: { r: 1 } }
`;
  /** The path; the position of its value in a table, in tests of a table, and of its key. */
  for (const [path, core, failsafe, key] of [
    [[], "1:1", "1:1", "1:1"],
    [["list"], "1:1", "1:1", "1:1"],
    [["list", 0], "2:5", "2:5", "2:5"],
    [["list", 1], "3:5", "3:5", "3:5"],
    [["list", 2], "1:1", "1:1", "1:1"],
    [["flow"], "4:1", "4:7", "4:1"],
    [["flow", 0], "4:8", "4:8", "4:8"],
    [["flow", 0, "more"], "4:8", "4:8", "4:8"],
    [["empty"], "5:7", "5:1", "5:1"],
    [["quoted"], "6:9", "6:1", "6:1"],
    [["use"], "8:1", "8:6", "8:1"],
    [["block"], "9:1", "9:1", "9:1"],
    [["block", "k"], "10:6", "10:6", "10:3"],
    [["block", "none"], "9:1", "9:1", "9:1"],
    [["set"], "11:1", "11:6", "11:1"],
    [["set", "p"], "11:8", "11:8", "11:8"],
    [["set", "q"], "11:11", "11:14", "11:11"],
    [["set", "q", "r"], "11:19", "11:19", "11:16"],
    [["none", "at", "all"], "1:1", "1:1", "1:1"],
  ] as const) {
    it(`of ${path.join(".") || "the whole text"}`, () => {
      const at = (schema: "core" | "failsafe", side?: "key" | "value") => {
        const { line, column } = read(text, schema).locate(path, side);
        return `${line}:${column}`;
      };
      assert.deepEqual([at("core"), at("core", "value"), at("failsafe")], [core, core, failsafe]);
      assert.deepEqual([at("core", "key"), at("failsafe", "key")], [key, key]);
    });
  }
});
