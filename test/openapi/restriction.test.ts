/** toForm returns the form of a restriction in a table, which parses to the same restriction. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { stringify } from "yaml";
import { toForm } from "../../src/openapi/restriction.ts";
import type { Restriction } from "../../src/table/restriction/restriction.ts";
import { check } from "../table/_library.ts";

const forms: readonly unknown[] = [
  "open",
  "identified",
  "administrators",
  { self: "branch" },
  { group: "STAFF" },
  { service: "DESK", rank: 2 },
  { faction: "$branch" },
  { faction: "$branch", rank: 4 },
  { anyOf: ["administrators", { group: "STAFF" }, { anyOf: [{ faction: "NORTH" }, "identified"] }] },
  {
    allOf: [
      "identified",
      { group: "STAFF" },
      { anyOf: [{ allOf: ["administrators"] }, { faction: "NORTH" }] },
    ],
  },
  [{ when: { kind: "novel" }, service: "DESK" }, "open"],
  [{ when: { kind: "novel" }, allOf: ["administrators", { service: "DESK" }] }, "open"],
  [{ when: { kind: "novel", pages: 7 }, restriction: "administrators" }, { group: "FRIENDS" }],
  [
    { when: { kind: "poem" }, restriction: [{ when: { pages: 1 }, restriction: "identified" }, "open"] },
    { restriction: [{ when: { title: "x" }, faction: "$branch", rank: 1 }, { anyOf: ["open"] }] },
  ],
];

function restrictionOf(form: unknown): Restriction {
  const route = {
    summary: "A.",
    restriction: form,
    parameters: {
      branch: "faction",
      title: "text",
      pages: "pages",
      kind: { type: "enum", values: ["novel", "poem"] },
    },
    handler: "books.add",
  };
  const isSelf = JSON.stringify(form).includes("self");
  const types = { pages: { type: "integer", minimum: 1, maximum: 5000 } };
  const path = "/books/{branch}/add";
  const routes = isSelf
    ? { "/readers/{branch}": { ...route, parameters: { branch: "text" }, handler: "readers.self" } }
    : { [path]: route };
  const text = stringify({ prefix: "/library/{key}", types, routes });
  const { table, faults } = check(
    isSelf ? text.replaceAll("branch", "reader").replace("readers.self", "readers.show") : text,
  );
  assert.ok(table !== undefined, `${text}\n${JSON.stringify(faults)}`);
  const [first] = table.routes;
  assert.ok(first !== undefined);
  return first.restriction;
}

for (const form of forms) {
  it(JSON.stringify(form), () => {
    const restriction = restrictionOf(form);
    const back = toForm(restriction);
    assert.deepEqual(JSON.parse(JSON.stringify(back).replaceAll("reader", "branch")), form);
    assert.deepEqual(
      restrictionOf(JSON.parse(JSON.stringify(back).replaceAll("reader", "branch"))),
      restriction,
    );
  });
}
