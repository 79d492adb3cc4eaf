/** The parameters of a description: each with its type, its form in words, and a valid example. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import * as v from "valibot";
import { parse } from "yaml";
import { parseParameter } from "../../src/table/parameters.ts";
import { vocabulary } from "../table/_library.ts";
import { add, describedAs, ownParameters, tableOf, withOperation } from "./_openapi.ts";

/** A row of `parameters.yaml`. */
interface Row {
  readonly parameter: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly schema: object;
  readonly example?: string | number | boolean;
}

const rows: readonly Row[] = parse(readFileSync(new URL("parameters.yaml", import.meta.url), "utf8"));
const find = (parameters: string, path = "/find", handler = "books.find") =>
  `  ${path}: { summary: F., restriction: open, parameters: ${parameters}, handler: ${handler} }\n`;

describe("a parameter is described as", () => {
  for (const { parameter, ...expected } of rows) {
    const declared = JSON.stringify(parameter);
    it(declared, () => {
      const name = Object.keys(parameter)[0] ?? "";
      const [path, handler] =
        name === "branch"
          ? ["/{branch}", "books.of"]
          : ["/find", name === "hidden" ? "books.list" : "books.find"];
      const route = find(declared, path, handler);
      const place = name === "branch" ? "path" : "query";
      const required = !declared.includes("default");
      assert.deepEqual(ownParameters(describedAs(route), path), [{ name, in: place, required, ...expected }]);
      const [own] = tableOf(route).routes[0]?.parameters ?? [];
      const { example } = expected;
      if (own !== undefined && example !== undefined)
        assert.equal(parseParameter(own, String(example), vocabulary), example, "the example is valid");
    });
  }

  it("what its operation says, with an example of the operation that the table accepts", () => {
    const text = v.pipe(v.string(), v.description("What to find."), v.examples(["a b", "poetry", "AB1"]));
    for (const [type, words, description, example] of [
      ["text", text, "What to find. 1 to 64 characters.", "poetry"],
      ["text", v.optional(text), "What to find. 1 to 64 characters.", "poetry"],
      ["signature", text, "What to find. 1 to 3 characters.", "AB1"],
    ] as const) {
      const operations = withOperation("books.find", { input: v.object({ words }) });
      const [own] = ownParameters(describedAs(find(`{ words: ${type} }`), operations), "/find");
      assert.deepEqual([own?.description, own?.example], [description, example]);
    }
  });

  it("a number with decimals if the operation rounds them down", () => {
    const shelf = v.pipe(v.number(), v.integer(), v.metadata({ roundsDown: true }));
    const operations = withOperation("books.find", { input: v.object({ shelf }) });
    const [own] = ownParameters(describedAs(find("{ shelf: integer }"), operations), "/find");
    assert.deepEqual([own?.schema.type, own?.schema.format], ["number", "double"]);
    assert.match(own?.description ?? "", /\(decimals are rounded down\)\.$/);
  });

  it("a text instead of an empty list of names, by which nothing would be valid", () => {
    const names = { group: [], faction: [], service: [] };
    const [branch] = ownParameters(describedAs(add, undefined, names), "/books/{branch}/add");
    assert.deepEqual(branch?.schema, { type: "string" });
    assert.equal(branch?.example, undefined);
  });
});
