/** The mark under the place of a fault. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { formatFaults } from "../../../cli/terminal/excerpts.ts";

const shown = (text: string, column: number, columns?: number) =>
  formatFaults([{ line: 1, column, message: "so" }], {
    ...{ file: "f", text, paint: (_: unknown, painted: string) => painted, columns, kind: "fault" as const },
  }).split("\n");

for (const [what, text, column, line, mark] of [
  ["behind tabs, since those stay tabs", "a:\tb", 4, "a:\tb", "  \t^"],
  ["behind wide characters, which take two columns", "日本: x", 5, "日本: x", "      ^"],
  ["behind an emoji, which is two units of text and two columns", "😀: x", 5, "😀: x", "    ^"],
  ["behind a combining accent, which takes none", "e\u0301: x", 5, "e\u0301: x", "   ^"],
  ["at the end of a line", "a:", 3, "a:", "  ^"],
  ["behind a control character, which is escaped", "a\u001b[31m: x", 9, "a\\u001b[31m: x", "             ^"],
] as const) {
  it(`stands under a place ${what}`, () => {
    assert.deepEqual(shown(text, column), [`f:1:${column}: so`, `   1 | ${line}`, `     | ${mark}`]);
  });
}

it("has the part of a long line that fits", () => {
  const [, line = "", mark = ""] = shown(`${"a".repeat(300)}X${"b".repeat(300)}`, 301, 60);
  assert.ok(line.length <= 60, line);
  assert.match(line, /^ {3}1 \| …a+Xb+…$/);
  assert.equal(line[mark.indexOf("^")], "X");
});

it("is left out for an empty line", () => assert.deepEqual(shown("", 1), ["f:1:1: so"]));
