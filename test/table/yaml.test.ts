/** Mistakes in YAML itself that depend on the whole file: where it ends, how deep it is, and how often it uses an anchor. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { readYAML } from "../../src/table/yaml/read.ts";
import { sample } from "../_depth.ts";
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
    const indented = lines.flatMap((line, index) => (/^ +(?=[^ #])/.test(line) ? [index] : []));
    const tried = sample(indented);
    let refused = 0;
    for (const index of tried) {
      const line = (lines[index] ?? "").replace(/^( {2})+/, (spaces) => "\t".repeat(spaces.length / 2));
      const found = faultsOf(lines.with(index, line).join("\n"));
      // Within braces that are open a tab is only white space where its line is not the last of them.
      if (found.length === 0) continue;
      refused += 1;
      assert.deepEqual(found, [`${index + 1}:1 ${message}`]);
    }
    assert.ok(refused > tried.length / 2, `${refused} of ${tried.length} lines were refused`);
  });

  it("is one fault in a file indented by tabs only", async () => {
    const tabs = (spaces: string) => "\t".repeat(spaces.length / 2);
    const [first, ...others] = faultsOf((await readFile(shippedRoutes, "utf8")).replace(/^( {2})+/gm, tabs));
    assert.deepEqual(others, []);
    assert.ok(first?.endsWith(message), first);
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

describe("a file is reported at its end, or where it should have ended, if it has", () => {
  for (const [what, text, fault] of [
    ["a quote that is never closed", 'a: "b\nc: d\n', '3:1 invalid YAML: missing closing "quote'],
    [
      "a second document",
      "a: 1\n---\nb: 2\n",
      '2:1 expected one YAML document, got a second one; remove the "---"',
    ],
  ] as const)
    it(what, () => assert.deepEqual(faultsOf(text), [fault]));
});

describe("an anchor", () => {
  it("can be used a hundred times, including the aliases within it", () => {
    const bomb = [
      "a: &a [x, x]",
      "b: &b [*a, *a, *a, *a]",
      "c: &c [*b, *b, *b, *b]",
      "d: &d [*c, *c, *c, *c]",
    ];
    const text = [...bomb, "e: [*d, *d, *d, *d]", ""].join("\n");
    const says =
      "expected at most 100 uses of an anchor, including the aliases within it, got more; write some values out";
    assert.deepEqual(faultsOf(text), [`1:1 ${says}`]);
    const value = { x: 1 };
    assert.deepEqual(read("a: &a { x: 1 }\nb: [*a, *a]\n").value, { a: value, b: [value, value] });
  });

  it("can be merged in a document of YAML 1.1, which says so", () => {
    const merging = "%YAML 1.1\n---\na: &a { x: 1 }\nb: { <<: *a, z: 2 }\n";
    assert.deepEqual(read(merging).value, { a: { x: 1 }, b: { x: 1, z: 2 } });
    assert.deepEqual(read('"<<": 1\n').value, { "<<": 1 });
    for (const source of ["3", "*a", "[*a]"]) {
      assert.deepEqual(faultsOf(`%YAML 1.1\n---\na: &a 3\nb: { <<: ${source} }\n`), [
        "3:1 invalid YAML: merge sources must be maps or map aliases",
      ]);
    }
  });
});

describe("nesting", () => {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const tooDeep = (at: string) => [`${at} expected at most 50 levels of lists and maps, got more`];

  it("is accepted up to 50 levels, and refused where the 51st begins", () => {
    assert.deepEqual(faultsOf(deep(50)), []);
    assert.deepEqual(faultsOf(deep(51)), tooDeep("1:51"));
    assert.deepEqual(faultsOf(`a: ${deep(50)}`), tooDeep("1:53"));
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
        assert.deepEqual(faultsOf(text, schema), tooDeep(at));
        assert.deepEqual(faultsOf("a: 1 }\n", schema), [], "of a text that is read next");
      }
    });
  }
});
