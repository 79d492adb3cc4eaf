/**
 * The description has the operations of the interface, each with its parameters, and the
 * token as a secret. Written without a look at the route table.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ParameterObject } from "../../src/openapi/document.ts";
import type { OpenApiDocument } from "../../src/openapi/openapi.ts";
import { operations } from "../_operations.ts";
import { prefix } from "../_setup.ts";
import { shippedDescription } from "./_description.ts";
import { resolved } from "./_openapi.ts";

/** The documented values. */
const values: readonly (readonly [string, string, readonly unknown[]])[] = [
  ["/statistic/{player}/add", "type", ["DEATH", "KILL", "PLAYTIME", "REVIVE", "SERVICE"]],
  ["/navipoint/add", "article", ["der", "die", "das"]],
  ["/mgmt/version", "type", ["add", "remove"]],
  ["/player/add", "group", ["CEO", "DEV", "MOD", "SUP", "BETA", "VIP", "BLACKLIST", "TARGETLIST"]],
];

/** The documented limits. */
const limits: readonly (readonly [string, string, Readonly<Record<string, number>>])[] = [
  ["/statistic/{player}/set", "amount", { minimum: 0, maximum: 2147483647 }],
  ["/housebanreason/add", "days", { minimum: 1, maximum: 3650 }],
  ["/wantedreason/add", "points", { minimum: 0, maximum: 1000 }],
  ["/wantedreason/add", "reason", { minLength: 1, maxLength: 64 }],
  ["/navipoint/add", "x", { minimum: -2147483648, maximum: 2147483647 }],
  ["/targetlist/add", "name", { minLength: 1, maxLength: 32 }],
];

const document = await shippedDescription();

/** Returns the parameters of an operation, without references. */
function parametersOf(document: OpenApiDocument, path: string): readonly ParameterObject[] {
  const operation = document.paths[`${prefix}/{tokenString}${path}`]?.get;
  assert.ok(operation !== undefined, `${path} is not described`);
  return operation.parameters.map((parameter) => resolved(document, parameter));
}

function parameterOf(document: OpenApiDocument, path: string, name: string): ParameterObject {
  const parameter = parametersOf(document, path).find((parameter) => parameter.name === name);
  assert.ok(parameter !== undefined, `${path} has no ${name}`);
  return parameter;
}

describe("the description has", () => {
  it("the operations of the interface, each with its parameters and no others", () => {
    const described = Object.keys(document.paths).map((path) => path.slice(`${prefix}/{tokenString}`.length));
    const others = ["/bundle", "/stream", "/token/claim"];
    assert.deepEqual(
      described.filter((path) => !others.includes(path)).sort(),
      operations.map(({ path }) => path).sort(),
    );
    for (const { path, parameters: expected } of operations) {
      const parameters = parametersOf(document, path);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
      const query = Object.keys(expected).filter((name) => !inPath.includes(name));
      const names = (place: string) =>
        parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
      assert.deepEqual(names("path"), ["tokenString", ...inPath], path);
      assert.deepEqual(names("query"), query, path);
      for (const { name, required } of parameters.filter((parameter) => parameter.in === "query")) {
        assert.equal(required, name !== "advanced", `${path} ${name}`);
      }
    }
  });

  it("no limit of a text that finds an entry, which can be older than the limit", () => {
    const { schema, description } = parameterOf(document, "/wantedreason/remove", "reason");
    assert.deepEqual(schema, { type: "string" });
    assert.match(description, /\(1 to 64 characters\)\. An older entry can have a text of another form\.$/);
  });

  it("the token as a secret in the path of every operation", () => {
    for (const { path } of operations) {
      const token = parameterOf(document, path, "tokenString");
      assert.equal(token.in, "path");
      assert.equal(token.required, true);
      assert.equal(token.schema.format, "password");
      assert.equal(token["x-secret"], true);
      assert.equal(token.example, "-");
    }
  });

  it("the token in the header Authorization, or else in the path", () => {
    assert.deepEqual(document.security, [{ token: [] }, {}]);
    const { type, scheme, description } = document.components.securitySchemes.token ?? {};
    assert.deepEqual([type, scheme], ["http", "bearer"]);
    assert.match(description ?? "", /`-` in its place/);
    const { pattern } = parameterOf(document, "/player", "tokenString").schema;
    for (const text of ["-", `gat_${"A".repeat(43)}`]) assert.match(text, new RegExp(String(pattern)));
    for (const text of ["", "--", "gat_", `-gat_${"A".repeat(43)}`])
      assert.doesNotMatch(text, new RegExp(String(pattern)));
  });

  it("a description of each parameter, and an example of each but the headers", () => {
    for (const { path } of operations) {
      for (const { name, description, example, in: place } of parametersOf(document, path)) {
        assert.match(description, /\w{3}.*\.$/, `${path} ${name}`);
        if (place !== "header") assert.notEqual(example, undefined, `${path} ${name}`);
      }
    }
  });

  it("the values and limits of parameters", () => {
    for (const [path, name, listed] of values) {
      assert.deepEqual(parameterOf(document, path, name).schema.enum, listed, `${path} ${name}`);
    }
    for (const [path, name, expected] of limits) {
      const { schema } = parameterOf(document, path, name);
      for (const [key, value] of Object.entries(expected))
        assert.equal(schema[key], value, `${path} ${name} ${key}`);
    }
    const advanced = parameterOf(document, "/houseban", "advanced");
    assert.deepEqual([advanced.schema.type, advanced.schema.default], ["boolean", false]);
  });

  it("the restriction, in words and in the form of the table", () => {
    const { paths } = document;
    const told = (path: string) => {
      const operation = paths[`${prefix}/{tokenString}${path}`]?.get;
      return [
        operation?.["x-restriction"],
        /Who may call it: (.*)\./.exec(operation?.description ?? "")?.[1],
      ];
    };
    assert.deepEqual(told("/mgmt"), ["open", "everyone with a valid token"]);
    assert.deepEqual(told("/event/bomb"), ["identified", "identified players"]);
    assert.deepEqual(told("/mgmt/version"), ["administrators", "administrators"]);
    assert.deepEqual(told("/statistic/{player}/add"), [{ self: "player" }, 'the player named in "player"']);
    assert.deepEqual(told("/targetlist/done"), [{ group: "TARGETLIST" }, "members of the group TARGETLIST"]);
    const rescue = { service: "RESCUE", rank: 4 };
    assert.deepEqual(told("/houseban/add"), [rescue, "members of the service RESCUE with rank 4 or higher"]);
    const faction = "members of the faction {factionString}";
    assert.deepEqual(told("/blacklistreason/{factionString}"), [{ faction: "$factionString" }, faction]);
    assert.deepEqual(told("/houseban"), [
      [{ when: { advanced: true }, service: "RESCUE" }, "open"],
      "members of the service RESCUE when advanced is true; everyone with a valid token otherwise",
    ]);
  });

  it("that all operations but the counter are safe to repeat", () => {
    const { paths } = document;
    const counters = Object.entries(paths).filter(([, { get }]) => !get["x-repeatable"]);
    assert.deepEqual(
      counters.map(([path]) => path),
      [`${prefix}/{tokenString}/statistic/{player}/add`],
    );
    for (const { path, changes } of operations) {
      const { get } = paths[`${prefix}/{tokenString}${path}`] ?? {};
      assert.equal(get?.["x-effect"], changes ? "change" : "read", path);
      const header = changes ? "IdempotencyKey" : "IfNoneMatch";
      assert.ok(JSON.stringify(get?.parameters).includes(`#/components/parameters/${header}`), path);
    }
  });
});
