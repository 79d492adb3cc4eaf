/** Restrictions: whom they allow whatever the parameters are, what they say in words, and on which parameters they depend. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { parse, stringify } from "yaml";
import { toForm } from "../../src/openapi/restriction.ts";
import { accessOf, publicAccessOf } from "../../src/table/restriction/access.ts";
import { type Input, describe as inWords } from "../../src/table/restriction/restriction.ts";
import type { Route } from "../../src/table/table.ts";
import { cards, check, owner, vocabulary } from "./_library.ts";

/** A row of `restrictions.yaml`, whose head explains it. */
interface Row {
  readonly is: unknown;
  readonly of?: Input;
  readonly to: string;
  readonly says: string;
  readonly by?: readonly string[];
}

const rows: readonly Row[] = parse(readFileSync(new URL("restrictions.yaml", import.meta.url), "utf8"));
const columns = ["visitor", "rosa", "head", "friend", "north4", "desk1", "archive2"].map(
  (name) => cards.get(name) ?? assert.fail(name),
);
const marks = { yes: "+", no: "-", depends: "?" };

function routeWith(restriction: unknown): Route {
  const mode = { type: "enum", values: ["short", "long"] };
  const parameters = { words: "text", at: "service", within: "group", mode };
  const route = { summary: "S.", restriction, parameters, handler: "books.find" };
  const { table, faults } = check(stringify({ prefix: "/library/{key}", routes: { "/find": route } }));
  return table?.routes[0] ?? assert.fail(JSON.stringify(faults));
}

for (const { is, of, to, says, by = [] } of rows) {
  const request = of === undefined ? "" : `, for ${JSON.stringify(of)},`;
  it(`${JSON.stringify(is)}${request} is for ${says}`, () => {
    const { restriction, decisive } = routeWith(is);
    const found = columns.map((caller) => marks[accessOf(restriction, caller, vocabulary)]);
    assert.equal(found.join(" "), to);
    assert.equal(marks[publicAccessOf(restriction)], to[0]);
    assert.equal(accessOf(restriction, owner, vocabulary), "yes");
    assert.equal(inWords(restriction, of), says);
    assert.deepEqual([...decisive], by);
    // The OpenAPI description has the form of the table.
    assert.deepEqual(toForm(restriction), is);
  });
}

it("without names in the data, a restriction to the name in a parameter allows nobody", () => {
  const none = { group: [], faction: [], service: [] };
  const { restriction } = routeWith({ service: "$at" });
  assert.equal(accessOf(restriction, cards.get("desk1") ?? assert.fail(), none), "no");
});
