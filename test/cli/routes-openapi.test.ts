/** `routes openapi`: the description of the interface, without a service or beside one. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { prefix, shippedRoutes } from "../_setup.ts";
import { emptyDesk, type FailureDocument, linesOf } from "./_setup.ts";

/** The tested part of a description. */
interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly get: Readonly<Record<string, unknown>> } | undefined>>;
}

const target = `${prefix}/{tokenString}/targetlist/add`;

describe("routes openapi", () => {
  it("when there is nothing yet, it describes the table that comes with the service, and makes no data", async (t) => {
    const desk = await emptyDesk(t);
    const description: Description = JSON.parse(await desk.ok("routes", "openapi"));
    assert.equal(description.openapi, "3.1.0");
    assert.deepEqual(description.paths[target]?.get["x-restriction"], { group: "TARGETLIST" });
    const { exitCode } = await desk.run(["data", "status"]);
    assert.equal(exitCode, 1);
  });

  it("when it is asked for in other forms, it is the same", async (t) => {
    const desk = await emptyDesk(t);
    const text = await desk.ok("routes", "openapi");
    assert.ok(linesOf(text).length > 1000, "it is for people, too");
    const description: unknown = JSON.parse(text);
    assert.deepEqual(await desk.json("routes", "openapi"), description);
    assert.deepEqual(await desk.json("routes", "openapi", "--yaml"), description);
    const yaml = await desk.ok("routes", "openapi", "--yaml");
    assert.match(yaml, /^openapi: 3\.1\.0\n/);
    assert.match(yaml, /[^\n]\n$/);
    assert.deepEqual(parse(yaml), description);
  });

  it("when another table is named, it describes that one, and not one with a fault", async (t) => {
    const desk = await emptyDesk(t);
    const shipped = await readFile(shippedRoutes, "utf8");
    const file = await desk.write("next.yaml", shipped.replaceAll("{ group: TARGETLIST }", "{ group: VIP }"));
    const next = await desk.json<Description>("--routes", file, "routes", "openapi");
    assert.deepEqual(next.paths[target]?.get["x-restriction"], { group: "VIP" });
    await desk.write("next.yaml", shipped.replaceAll("{ group: TARGETLIST }", "{ group: VIPS }"));
    const failure = await desk.failsAs<FailureDocument>("--routes", file, "routes", "openapi");
    assert.equal(failure.code, "TABLE_FAULTS");
    assert.match(await desk.fails("--routes", file, "routes", "openapi"), /unknown group "VIPS"/);
  });

  it("when the service runs, it prints what the service serves, with the names that it has", async (t) => {
    const desk = await emptyDesk(t);
    const serving = desk.serve();
    const [base = ""] = await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
    await desk.write("more.yaml", "groups: [NEW]\n");
    await desk.ok("seed", "groups", "more.yaml");
    const served: unknown = await (await fetch(`${base}${prefix}/openapi.json`)).json();
    const printed = await desk.json<Description>("routes", "openapi");
    assert.deepEqual(printed, served);
    assert.match(JSON.stringify(printed.paths[`${prefix}/{tokenString}/player/add`]), /"NEW"/);
    assert.doesNotMatch(JSON.stringify(printed), /gat_[A-Za-z0-9_-]{43}/);
  });
});
