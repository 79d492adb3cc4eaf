/** The faults of tables, and that none is reported in a valid one: each document of the corpus is checked. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { casesIn, printed } from "./_corpus.ts";
import { goodTable } from "./_faults.ts";
import { check, vocabulary } from "./_library.ts";

for (const folder of [
  "table/faults/form",
  "table/faults/meaning",
  "table/faults/syntax",
  "table/faults/shipped",
]) {
  describe(folder, () => {
    for (const example of casesIn(folder)) {
      it(example.title, () => {
        const { table, faults } = folder.endsWith("shipped")
          ? checkRoutes(example.text, vocabulary)
          : check(example.text);
        assert.equal(table, undefined, "the table is refused");
        assert.deepEqual(printed(example, faults), example.reports);
      });
    }
  });
}

describe("valid", () => {
  for (const example of casesIn("table/valid"))
    it(example.title, () => assert.deepEqual(check(example.text).faults, []));

  it("with CRLF line ends and a byte order mark", () => {
    const { table, faults } = check(`\uFEFF${goodTable.replaceAll("\n", "\r\n")}`);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      table?.routes.map(({ path }) => path),
      ["/books", "/books/{branch}", "/books/{branch}/add", "/readers/{reader}"],
    );
  });
});

describe("a long or an odd file", () => {
  const messagesOf = (text: string) => check(text).faults.map(({ message }) => message);

  it("in UTF-16 is refused with what to do", () => {
    const asRead = Buffer.from(`\ufeff${goodTable}`, "utf16le").toString("utf8");
    assert.deepEqual(messagesOf(asRead), [
      "expected text in UTF-8, got a NUL character; save the file as UTF-8",
    ]);
  });

  it("in Latin-1 is refused with what to do", () => {
    const asRead = Buffer.from(goodTable.replace("summary: ", "summary: Ä"), "latin1").toString("utf8");
    assert.deepEqual(messagesOf(asRead), [
      "expected text in UTF-8, got another encoding; save the file as UTF-8",
    ]);
  });

  it("is quoted in at most 200 characters, and a message has at most 2000, with the end of the sentence", () => {
    const [whole = "", other = ""] = [200, 201].flatMap((length) => messagesOf("x".repeat(length)));
    assert.equal(whole, `expected a map, got "${"x".repeat(200)}"`);
    assert.equal(other, "expected a map, got a text of 201 characters");
    const restriction = `{ group: ${"STAFF".repeat(50_000)} }`;
    const [group = ""] = messagesOf(goodTable.replace("{ faction: $branch }", restriction));
    assert.match(group, /^unknown group "STAFF.*STAFF"; expected STAFF, FRIENDS or BARRED$/);
    assert.equal(group.length, 2003);
  });

  it("with an explosion of aliases is refused", () => {
    const lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
    for (const [before, after] of ["ab", "bc", "cd", "de", "ef"].map((pair) => pair.split("")))
      lines.push(`${after}: &${after} [${`*${before}, `.repeat(9)}*${before}]`);
    assert.match(messagesOf(`${lines.join("\n")}\n${goodTable}`).join(), /^expected at most 100 uses/);
  });
});
