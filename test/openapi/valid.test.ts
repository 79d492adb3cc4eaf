/**
 * The description of the shipped table is valid OpenAPI 3.1 by the official schema, Redocly's linter finds nothing in
 * it, its examples are right, and there is no value that it says nothing of.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { tokenInText } from "../../src/identity/tokens.ts";
import { toYAML } from "../../src/openapi/openapi.ts";
import { shippedDescription } from "./_description.ts";

const document = await shippedDescription();

/** Yields every map in the document, with its path. */
function* mapsIn(
  value: unknown,
  path = "#",
): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* mapsIn(item, `${path}/${index}`);
  } else if (isMap(value)) {
    yield [path, value];
    for (const [key, item] of Object.entries(value)) yield* mapsIn(item, `${path}/${key}`);
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("the description of the shipped table", () => {
  it("is valid by the official schema of OpenAPI 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone({ ...document }));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, "3.1");
  });

  it("has neither an error nor a warning by Redocly's linter, as JSON and as YAML", async () => {
    // All that it recommends, nothing of it left out, and what of the rest is not a matter of taste.
    const config = await createConfig({
      extends: ["recommended-strict"],
      rules: {
        "operation-description": "error",
        "operation-tag-defined": "error",
        "operation-singular-tag": "error",
        "parameter-description": "error",
        "path-params-defined": "error",
        "component-name-unique": "error",
        "no-unused-components": "error",
      },
    });
    const texts = { "openapi.json": JSON.stringify(document), "openapi.yaml": await toYAML(document) };
    for (const [name, source] of Object.entries(texts)) {
      const problems = await lintFromString({ source, absoluteRef: `/${name}`, config });
      const lines = problems.map((problem) => `${problem.severity} ${problem.ruleId}: ${problem.message}`);
      assert.deepEqual(lines, [], name);
    }
    const faulty = JSON.stringify(document).replace('"summary":', '"sumary":');
    const found = await lintFromString({ source: faulty, absoluteRef: "/openapi.json", config });
    assert.deepEqual(new Set(found.map(({ ruleId }) => ruleId)), new Set(["struct", "operation-summary"]));
  });

  it("has a unique id for each operation, which is an identifier in programs", () => {
    const ids = Object.values(document.paths).map(({ get }) => get.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]*$/);
  });

  it("has no empty text, and no list with an empty line", () => {
    for (const [path, { description, summary }] of mapsIn(document)) {
      for (const text of [description, summary].filter((text) => typeof text === "string")) {
        assert.match(text, /^\S.*\S$/s, path);
        assert.doesNotMatch(text, /^- .*: ?$/m, path);
      }
    }
  });

  it("has only headers of answers that are always sent", () => {
    for (const [name, { required }] of Object.entries(document.components.headers))
      assert.equal(required, true, name);
  });

  it("describes every property of every answer, and the range of every integer", () => {
    const { components, paths } = document;
    const schemas = [...mapsIn(components.schemas), ...mapsIn(paths)];
    for (const [path, { properties, allOf }] of schemas) {
      if (allOf !== undefined || !isMap(properties) || /\/allOf\//.test(path)) continue;
      for (const [name, property] of Object.entries(properties)) {
        assert.ok(isMap(property), path);
        const isTold = "description" in property || "$ref" in property;
        assert.ok(isTold, `${path} says nothing of ${name}`);
        const isWhole = [property.type].flat().includes("integer");
        if (isWhole) assert.match(String(property.format), /^int(32|64)$/, `${path} ${name}`);
        const isInstant = /(?:Time|At)$|^bankRob$|^bomb$/.test(name) && isWhole && name !== "playTime";
        assert.equal(property.format === "int64", isInstant || name === "duration", `${path} ${name}`);
        if (isInstant) assert.match(String(property.description), /milliseconds since 1970/, name);
        if (name === "duration") assert.match(String(property.description), /\bmilliseconds\b/, name);
        if (name === "days") assert.match(String(property.description), /\bdays\b/, name);
        if (name === "playTime") assert.match(String(property.description), /\bhours\b/, name);
      }
    }
  });

  it("has examples that are valid by its schemas", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let count = 0;
    for (const [path, map] of mapsIn(document)) {
      const examples = isMap(map.schema) && "example" in map ? [map.example] : map.examples;
      // The components are where references look for them.
      const schema = { ...(isMap(map.schema) ? map.schema : map), components: document.components };
      if (!Array.isArray(examples) || isMap(map.properties)) continue;
      for (const example of examples) {
        assert.ok(ajv.validate(schema, example), `${path}: ${JSON.stringify(example)} ${ajv.errorsText()}`);
        count += 1;
      }
    }
    assert.ok(count > 50, `only ${count} examples`);
  });

  it("lists each code of an operation once, under its status", () => {
    const { components, paths } = document;
    const statuses = new Map<string, Set<number>>();
    for (const [path, map] of [...mapsIn(components.responses), ...mapsIn(paths)]) {
      if (!isMap(map.properties) || !isMap(map.properties.httpStatusCode) || !isMap(map.properties.code))
        continue;
      const { httpStatusCode, code } = map.properties;
      for (const failureCode of Array.isArray(code.enum) ? code.enum : []) {
        const known = statuses.get(String(failureCode)) ?? new Set();
        statuses.set(String(failureCode), known.add(Number(httpStatusCode.const)));
      }
      assert.match(path, /^#/);
    }
    for (const [code, found] of statuses) assert.equal(found.size, 1, `${code} has ${[...found]}`);
    assert.ok(statuses.has("UNKNOWN_FACTION"), [...statuses.keys()].join());
  });

  it("contains no token", async () => {
    assert.doesNotMatch(JSON.stringify(document), tokenInText);
    assert.doesNotMatch(await toYAML(document), tokenInText);
  });
});
