/** The JSON Schema for editors: the shipped file is up to date, and the schema agrees with the checker. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { handlersFor } from "../../src/resources/index.ts";
import { defaultDeclarations } from "../../src/table/declared/declarations.ts";
import { editorSchema } from "../../src/table/editor/editor-schema.ts";
import { projectFolder, shippedRoutes } from "../_setup.ts";
import { casesIn } from "./_corpus.ts";
import { operations } from "./_library.ts";

const file = JSON.parse(await readFile(join(projectFolder, "routes.schema.json"), "utf8"));

/** Returns the schema as it is in a file. */
function toPlain(schema: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema));
}

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(
  toPlain(editorSchema([...operations().keys()])),
);
const accepts = (text: string) => validate(parse(text, { maxAliasCount: 100 }));

describe("routes.schema.json", () => {
  it("is the output of `npm run schema`", () =>
    assert.deepEqual(
      file,
      toPlain(editorSchema([...handlersFor(defaultDeclarations()).keys()])),
      "run `npm run schema`",
    ));

  it("is named in the first line of the shipped table, and accepts it", async () => {
    const text = await readFile(shippedRoutes, "utf8");
    assert.equal(text.split("\n")[0], "# yaml-language-server: $schema=./routes.schema.json");
    const shipped = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(file);
    assert.ok(shipped(parse(text)), JSON.stringify(shipped.errors));
  });

  it("is in the package", async () => {
    const { files } = JSON.parse(await readFile(join(projectFolder, "package.json"), "utf8"));
    assert.ok(files.includes("routes.schema.json"));
  });

  it("has a description of every key", () => {
    const mute: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, part] of Object.entries(value)) {
        const isProperty = path.endsWith("/properties");
        if (isProperty && !("description" in part || "$ref" in part)) mute.push(`${path}/${key}`);
        visit(part, `${path}/${key}`);
      }
    };
    visit(file, "");
    assert.deepEqual(mute, []);
  });
});

describe("an editor with the schema", () => {
  for (const { title, text } of [...casesIn("table/valid"), ...casesIn("table/warnings")])
    it(`marks nothing in ${title}`, () => assert.ok(accepts(text), JSON.stringify(validate.errors)));

  // What depends on the data, on other parts of the table or on the operations is unknown to a schema.
  for (const { title, text } of casesIn("table/faults/meaning"))
    it(`cannot see ${title}`, () => assert.ok(accepts(text), JSON.stringify(validate.errors)));

  let alone = 0;
  for (const { title, text, reported } of casesIn("table/faults/form")) {
    it(`marks ${title}`, () => {
      assert.ok(!accepts(text));
      const without = (line?: number) =>
        text.split("\n").filter((_, index) => index === line || !reported.includes(index));
      if (!accepts(without().join("\n"))) return;
      for (const line of new Set(reported)) {
        assert.ok(!accepts(without(line).join("\n")), `line ${line + 1}`);
        alone += 1;
      }
    });
  }
  it("marks each of those lines on its own", () => assert.ok(alone >= 90, `${alone} lines`));
});
