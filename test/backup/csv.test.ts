/** CSV: what is written is read again, and each cell is found where it stands. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { formatCSV, Sheet } from "../../src/backup/csv.ts";
import { Failure } from "../../src/domain/errors.ts";

const cell = fc.string({ unit: fc.constantFrom(..."ab=+-@'\",;\n \t\u00e4") }).map((text) => text.trim());

const sheetOf = (text: string, columns: string[], required: string[] = []) =>
  new Sheet({ file: "f.csv", text, remove: false }, columns, required);

it("cells survive being written and read, formulas and quotes included, and keep their places", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell)), fc.boolean(), (rows, carriageReturns) => {
      const written = formatCSV(["one", "two"], rows);
      const text = carriageReturns ? written.replaceAll("\n", "\r\n") : written;
      const sheet = sheetOf(text, ["one", "two"], []);
      const kept = rows.filter((row) => row.some((cell) => cell !== ""));
      assert.deepEqual(
        sheet.rows.map((row) => [row.get("one")?.text, row.get("two")?.text]),
        kept,
      );
      for (const row of sheet.rows)
        for (const { text, at } of row.values())
          if (!/[";]/.test(text)) assert.ok(written.startsWith(text, at), `${text} at ${at} of ${written}`);
    }),
  );
});

it("a cell that a spreadsheet takes for a formula is written behind an apostrophe", () => {
  const written = formatCSV(
    ["one"],
    [
      ...[["=1+1"], ["-Zed"], ["@home"], ["'=1"], ["＝1"], ["'tis"], ["a=b"], ["-13"]],
      // Some spreadsheets divide a line at semicolons, whatever the file says.
      ...[["x;=1+1;y"], ["x;'-1"], ['x;"=1']],
    ],
  );
  assert.deepEqual(written.split("\n"), [
    ...["one", "'=1+1", "'-Zed", "'@home", "''=1", "'＝1", "'tis", "a=b", "-13"],
    ...["x;'=1+1;y", "x;''-1", `"x;'""=1"`],
  ]);
});

it("semicolons and tabs separate cells as well, if the first line has them", () => {
  for (const separator of [";", "\t"]) {
    const text = `one${separator}two\n"a,b"${separator}c\n`;
    const [row] = sheetOf(text, ["one", "two"], []).rows;
    assert.deepEqual([row?.get("one")?.text, row?.get("two")?.text], ["a,b", "c"]);
  }
  assert.throws(() => sheetOf('one\n"a', ["one"], []), Failure);
});

it("what spreadsheets add and leave out makes no difference: lone CR, columns and rows without cells, cells without a delimiter", () => {
  const tables = [
    'one,two,,\none,"x" ,,\n,,,\nb,,,\n',
    "one;two\r\none;x\r\nb\r\n",
    "one\ttwo\rone\tx\r\rb\t",
  ];
  for (const text of tables) {
    const { columns, rows } = sheetOf(text, ["one", "two"]);
    assert.deepEqual(columns, ["one", "two"]);
    const cells = rows.map((row) => columns.map((column) => row.get(column)?.text));
    assert.deepEqual(cells, [
      ["one", "x"],
      ["b", ""],
    ]);
    assert.ok(text.replaceAll("\r\n", "\n").startsWith("b", rows[1]?.get("one")?.at), text);
  }
});

it("a number of JSON has all its digits, such as an id of 18", () => {
  const [row] = sheetOf('[{ "one": 123456789012345678, "two": 1e3 }]', ["one", "two"]).rows;
  assert.deepEqual([row?.get("one")?.text, row?.get("two")?.text], ["123456789012345678", "1000"]);
});

it("of many faults, the first 500 are listed, with the number of the others", () => {
  const messages = (count: number) => {
    const sheet = sheetOf("one\n", ["one"]);
    for (let at = 0; at < count; at += 1) sheet.fault(at % 3, "bad");
    try {
      sheet.requireSound();
    } catch (error) {
      if (error instanceof Failure) return error.faultyFile?.faults.map(({ message }) => message) ?? [];
    }
    return [];
  };
  assert.deepEqual(messages(500), Array(500).fill("bad"));
  assert.deepEqual(messages(502).slice(499), ["bad", "there are 2 more faults"]);
});
