/** The description of a table that has nothing of the game: that of a library. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { Engine } from "../../src/engine/engine.ts";
import { App } from "../../src/http/app.ts";
import { descriptionPages } from "../../src/http/description-pages.ts";
import { describeTable } from "../../src/openapi/openapi.ts";
import { parseParameter } from "../../src/table/parameters.ts";
import { vocabulary } from "../table/_library.ts";
import {
  add,
  describedAs,
  list,
  operationAt,
  options,
  ownParameters,
  tableOf,
  withOperation,
} from "./_openapi.ts";

describe("the description of a table has", () => {
  it("its options, and nothing of another service", () => {
    const document = describedAs(list + add);
    assert.equal(document.info.title, "Library");
    assert.equal(document.info.version, "7.1.0");
    assert.match(document.info.description, /^It lends books\.\n\n/);
    assert.match(document.info.description, /bookworm\/1\.2\.3/);
    assert.deepEqual(document.tags, [{ name: "books", description: "What can be lent." }]);
    assert.doesNotMatch(JSON.stringify(document), /gameaddon|gat_|player is/i);
  });

  it("the token by its name in the table, with its pattern if there is one", () => {
    const table = tableOf(list);
    const { parameters } = describeTable(table, vocabulary, {
      ...options,
      tokenPattern: "\\d{4}",
    }).components;
    const pattern = "^(?:-|\\d{4})$";
    assert.deepEqual(parameters.key?.schema, { type: "string", format: "password", pattern });
    assert.equal(describedAs(list).components.parameters.key?.schema.pattern, undefined);
  });

  it("a resource without a text, described by its path", () => {
    const document = describedAs("  /house/open: { summary: O., restriction: open, handler: house.open }\n");
    assert.deepEqual(document.tags, [{ name: "house", description: "Everything under `/house`." }]);
  });

  it("an id for each operation, even if several routes have the same handler", () => {
    const routes = ["/house/open", "/house/enter", "/house-enter", "/open"].map(
      (path) => `  ${path}: { summary: O., restriction: open, handler: house.open }\n`,
    );
    const document = describedAs(routes.join(""));
    const ids = Object.values(document.paths).map(({ get }) => get.operationId);
    assert.deepEqual(ids, [
      "houseOpen",
      "houseOpenAtHouseEnter",
      "houseOpenAtHouseEnter2",
      "houseOpenAtOpen",
    ]);
  });
});

describe("the description of a parameter has", () => {
  it("its type, its limits and the names in the data", () => {
    const own = ownParameters(describedAs(add), "/books/{branch}/add");
    const schemas = Object.fromEntries(own.map(({ name, schema }) => [name, schema]));
    assert.deepEqual(schemas, {
      branch: { type: "string", enum: ["NORTH", "SOUTH"] },
      title: { type: "string", minLength: 1, maxLength: 20, pattern: "^\\S*$" },
      pages: { type: "integer", format: "int32", minimum: 2, maximum: 500 },
      kind: { type: "string", enum: ["poem", "novel"] },
    });
    assert.deepEqual(
      own.map(({ name, in: place, required }) => [name, place, required]),
      [
        ["branch", "path", true],
        ["title", "query", true],
        ["pages", "query", true],
        ["kind", "query", true],
      ],
    );
  });

  it("its default, and is not required then", () => {
    const [hidden] = ownParameters(describedAs(list), "/books");
    assert.deepEqual([hidden?.required, hidden?.schema], [false, { type: "boolean", default: false }]);
  });

  it("a valid example, or none if no candidate matches the pattern", () => {
    const find = `
  /find:
    summary: F.
    restriction: open
    parameters:
      words: { type: text, minLength: 9, pattern: '[a-z-]+' }
      since: instant
      at: service
      within: { type: group, default: friends }
      shelf: { type: integer, maximum: -5 }
      mode: { type: enum, values: [short, long], default: LONG }
    handler: books.find
`;
    const table = tableOf(find);
    const own = ownParameters(describedAs(find), "/find");
    for (const { name, example } of own) {
      const parameter = table.routes[0]?.parameters.find((each) => each.name === name);
      assert.ok(parameter !== undefined && example !== undefined, name);
      assert.equal(parseParameter(parameter, String(example), vocabulary), example, name);
    }
    const strange = find.replace("[a-z-]+", "x{3}-y{40}");
    assert.equal(ownParameters(describedAs(strange), "/find")[0]?.example, undefined);
  });

  it("the text of its operation, and those of its examples that the table accepts", () => {
    const input = v.object({
      reader: v.pipe(v.string(), v.maxLength(64), v.description("Who reads."), v.examples(["nobody", "AB1"])),
    });
    const operations = withOperation("readers.show", { input });
    const route =
      "  /readers/{reader}: { summary: R., restriction: open, parameters: { reader: signature }, handler: readers.show }\n";
    const [reader] = ownParameters(describedAs(route, operations), "/readers/{reader}");
    assert.equal(reader?.example, "AB1");
    assert.equal(reader?.description, "Who reads. 1 to 3 characters.");
    assert.equal(reader?.schema.pattern, "^(?:[A-Z]{2}\\d)$");
  });

  it("no empty list of names, by which nothing would be valid", () => {
    const names = { group: [], faction: [], service: [] };
    const [branch] = ownParameters(describedAs(add, undefined, names), "/books/{branch}/add");
    assert.deepEqual(branch?.schema, { type: "string" });
    assert.equal(branch?.example, undefined);
  });
});

describe("the description of an answer has", () => {
  const titled = v.pipe(
    v.object({ pages: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9)) }),
    v.title("A Book"),
  );

  it("its schema, with titled parts as components", () => {
    const operations = withOperation("house.open", { answer: v.array(titled) });
    const document = describedAs(
      "  /open: { summary: O., restriction: open, handler: house.open }\n",
      operations,
    );
    const { 200: ok } = operationAt(document, "/open").responses;
    assert.ok(ok !== undefined && !("$ref" in ok));
    const expected = { type: "array", items: { $ref: "#/components/schemas/ABook" } };
    assert.deepEqual(ok.content?.["application/json"]?.schema, expected);
    assert.deepEqual(document.components.schemas.ABook, {
      type: "object",
      properties: { pages: { type: "integer", format: "int32", minimum: 0, maximum: 9 } },
      required: ["pages"],
    });
  });

  it("the names in the data, if its keys or texts are names", () => {
    const branch = v.pipe(v.string(), v.metadata({ base: "faction" }));
    const shelves = v.record(branch, v.nullable(titled));
    const answer = v.object({
      some: shelves,
      all: v.pipe(shelves, v.metadata({ complete: true })),
      best: v.nullable(branch),
    });
    const operations = withOperation("house.open", { answer });
    const document = describedAs(
      "  /open: { summary: O., restriction: open, handler: house.open }\n",
      operations,
    );
    const { 200: ok } = operationAt(document, "/open").responses;
    assert.ok(ok !== undefined && !("$ref" in ok));
    const some = {
      type: "object",
      propertyNames: { type: "string", enum: ["NORTH", "SOUTH"] },
      additionalProperties: { anyOf: [{ $ref: "#/components/schemas/ABook" }, { type: "null" }] },
    };
    assert.deepEqual(ok.content?.["application/json"]?.schema.properties, {
      some,
      all: { ...some, minProperties: 2, maxProperties: 2 },
      best: { type: ["string", "null"], enum: ["NORTH", "SOUTH", null] },
    });
  });

  it("separate components for different schemas of the same title", () => {
    const other = v.pipe(v.object({ poems: v.boolean() }), v.title("A Book"));
    const operations = withOperation("house.open", { answer: v.tuple([titled, other, titled]) });
    const document = describedAs(
      "  /open: { summary: O., restriction: open, handler: house.open }\n",
      operations,
    );
    assert.deepEqual(Object.keys(document.components.schemas.ABook2?.properties ?? {}), ["poems"]);
    assert.equal(document.components.schemas.ABook3, undefined);
  });
});

describe("the description of an operation has", () => {
  it("whether it changes data, and whether it counts", () => {
    const counting = withOperation("house.close", { counts: true, description: "It shuts the door." });
    const route = "  /close: { summary: C., restriction: open, handler: house.close }\n";
    const once = operationAt(describedAs(route, counting), "/close");
    const safe = operationAt(describedAs(route), "/close");
    assert.deepEqual([once["x-effect"], once["x-repeatable"]], ["change", false]);
    assert.deepEqual([safe["x-effect"], safe["x-repeatable"]], ["change", true]);
    assert.match(
      once.description,
      /^It shuts the door\.\n\nWho may call it: everyone .*\n\nEach call counts\./,
    );
    assert.match(safe.description, /It is safe to repeat/);
    const read = operationAt(describedAs(list), "/books");
    assert.deepEqual([read["x-effect"], read["x-repeatable"]], ["read", true]);
    assert.doesNotMatch(read.description, /Repeating/);
  });
});

it("an app without the description's pages does not serve it", async () => {
  const engine = new Engine({
    table: tableOf(list),
    vocabulary: () => vocabulary,
    authenticate: () => assert.fail("nobody asks with a token"),
  });
  const app = new App(engine, new Map(), {});
  assert.equal((await app.fetch(new Request("http://library.test/library/openapi.json"))).status, 404);
});

it("the description is generated once for the same names", async () => {
  let names = vocabulary;
  const table = tableOf(add);
  const engine = new Engine({
    table,
    vocabulary: () => ({ ...names }),
    authenticate: () => assert.fail("nobody asks with a token"),
  });
  const app = new App(engine, new Map(descriptionPages(table, () => ({ ...names }), options)), {});
  const etag = async (file = "openapi.json") => {
    const answer = await app.fetch(new Request(`http://library.test/library/${file}`));
    assert.equal(answer.status, 200);
    return answer.headers.get("etag");
  };
  const first = await etag();
  assert.equal(await etag(), first);
  assert.notEqual(await etag("openapi.yaml"), first);
  names = { ...vocabulary, faction: ["NORTH", "SOUTH", "EAST"] };
  const second = await etag();
  assert.notEqual(second, first);
  names = vocabulary;
  assert.equal(await etag(), first);
});
