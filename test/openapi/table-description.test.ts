/** The description of a table that has nothing of the game: that of a library. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { Engine } from "../../src/engine/engine.ts";
import { App } from "../../src/http/app.ts";
import { descriptionPages } from "../../src/http/description-pages.ts";
import { vocabulary } from "../table/_library.ts";
import { add, describedAs, list, operationAt, tableOf, withOperation } from "./_openapi.ts";

describe("the description of a table has", () => {
  it("its product and its path", () => {
    const { info } = describedAs(list + add);
    assert.match(info.description, /bookworm\/1\.2\.3/);
    assert.match(info.description, /begins with `\/library\/\{key\}`/);
  });

  it("the token by its name in the table, with its pattern", () => {
    const { parameters } = describedAs(list).components;
    const pattern = "^(?:-|gat_[A-Za-z0-9_-]{43})$";
    assert.deepEqual(parameters.key?.schema, { type: "string", format: "password", pattern });
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
  const [namesNow, sizeOf] = [() => ({ ...names }), () => 0];
  const app = new App(engine, new Map(descriptionPages(table, namesNow, sizeOf)), {});
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
