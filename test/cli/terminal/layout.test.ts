/** Tables for a terminal: they fit its width, and no word is broken. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import stringWidth from "string-width";
import { formatPairs, formatTable } from "../../../cli/terminal/layout.ts";

const plain = (text: string) => text;
const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");

function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns?: number,
): string[] {
  return formatTable(headings, rows, columns, plain).split("\n");
}

/** Returns the rows of a text, whose cells are separated by bars. */
const rowsOf = (...texts: readonly string[]) => texts.map((text) => text.split("|"));

describe("a table", () => {
  it("is as wide as its cells where there is room", () => {
    const rows = rowsOf("Ada|VIP MOD", "Bartholomew|-");
    const lines = ["NAME         GROUPS", "Ada          VIP MOD", "Bartholomew  -"];
    assert.deepEqual(table(["NAME", "GROUPS"], rows, 80), lines);
  });

  it("wraps its widest cells at spaces if there is too little room, and is then as narrow as possible", () => {
    const lines = ["NAME  GROUPS", "Ada   VIP MOD", "      SUP", "Bob   BETA"];
    assert.deepEqual(table(["NAME", "GROUPS"], rowsOf("Ada|VIP MOD SUP", "Bob|BETA"), 14), lines);
  });

  it("becomes a block of lines a row where the words do not fit side by side", () => {
    const rows = rowsOf(`Bartholomew|${"0".repeat(16)}`, `Ada|${"1".repeat(16)}`);
    assert.deepEqual(table(["NAME", "UUID"], rows, 28), [
      "NAME  Bartholomew",
      `UUID  ${"0".repeat(16)}`,
      "",
      "NAME  Ada",
      `UUID  ${"1".repeat(16)}`,
    ]);
  });

  it("shows instants to the minute where there is too little room", () => {
    const row = ["2026-11-21T18:30:12.345Z", "page"];
    assert.deepEqual(table(["ISSUED", "LABEL"], [row], 31)[1], "2026-11-21T18:30:12.345Z  page");
    assert.deepEqual(table(["ISSUED", "LABEL"], [row], 24)[1], "2026-11-21 18:30Z  page");
    assert.deepEqual(table(["ISSUED", "LABEL"], [row], 20).slice(1), ["2026-11-21  page", "18:30Z"]);
  });

  it("counts wide characters as two columns, and emoji as they are seen", () => {
    const lines = ["NAME  LABEL", "日本  🚓", "Ada   -"];
    assert.deepEqual(table(["NAME", "LABEL"], rowsOf("日本|🚓", "Ada|-"), 80), lines);
  });

  it("is not limited where the terminal does not tell its width", () => {
    assert.equal(table(["TEXT"], [["long ".repeat(50).trim()]]).length, 2);
  });

  it("fits every width, unless a word alone is wider, and loses no word", () => {
    const word = fc.stringMatching(/^[a-zäß日🚓]{1,12}$/u);
    const cell = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
    const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 20, max: 120 }), (body, columns) => {
        const lines = table(["ONE", "TWO", "THREE"], body, columns);
        for (const line of lines) {
          const isBlock = /^(ONE|TWO|THREE)? /.test(line);
          const most = isBlock
            ? Math.max(
                columns,
                ...body
                  .flat()
                  .flatMap(wordsOf)
                  .map((word) => 7 + stringWidth(word)),
              )
            : columns;
          assert.ok(stringWidth(line) <= most, `${stringWidth(line)} > ${most}: ${line}`);
        }
        const shown = wordsOf(lines.join(" "));
        for (const word of body.flat().flatMap(wordsOf)) assert.ok(shown.includes(word), word);
      }),
    );
  });
});

describe("labels and values", () => {
  it("wrap the values beside their labels", () => {
    const pairs = [["name", "Ada"] as const, ["groups", "VIP MOD SUP BETA"] as const];
    assert.equal(formatPairs(pairs, 20), "name    Ada\ngroups  VIP MOD SUP\n        BETA");
  });

  it("stand below each other where there is no room beside them", () => {
    assert.equal(formatPairs([["administrator", "no"]], 24), "administrator\nno");
    assert.equal(formatPairs([["administrator", "no"]], 25), "administrator  no");
  });
});
