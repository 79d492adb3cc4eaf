/** The first start after an upgrade: operations that the table lacks, and the editor schema beside it. */
import assert from "node:assert/strict";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { handlers } from "../../src/resources/index.ts";
import { editorSchema } from "../../src/table/editor/editor-schema.ts";
import { isUnedited } from "../../src/table/editor/schema-origin.ts";
import { projectFolder, shippedRoutes } from "../_setup.ts";
import { type Desk, seededDesk } from "./_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const current = await readFile(join(projectFolder, "routes.schema.json"), "utf8");
/** The schema of the first version that had one, without a `$comment`. */
const first = await readFile(join(projectFolder, "test", "_first-schema.json"), "utf8");
const withoutBundle = shipped.replace(/ {2}\/bundle:\n(?: {4}.*\n)+/, "");

/** Starts and stops the service. Returns its log. */
async function startAndStop(desk: Desk): Promise<string> {
  const serving = desk.serve();
  await serving.shows(/Listening/);
  assert.equal(await serving.stop(), 0);
  return serving.stderr.text;
}

/** Returns a folder with this schema. */
async function deskWith(t: TestContext, schema: string): Promise<Desk> {
  const desk = await seededDesk(t);
  await desk.write("routes.schema.json", schema);
  return desk;
}

const schemaOf = (desk: Desk) => readFile(join(desk.folder, "routes.schema.json"), "utf8");

/** Returns a schema of another version: with other operations, and its own digest. */
const otherVersion = `${JSON.stringify(editorSchema([...handlers.keys(), "weather.today"]), undefined, 2)}\n`;

describe("a table that lacks operations of this version", () => {
  it("is served, and each start names them and says how to take them up", async (t) => {
    assert.notEqual(withoutBundle, shipped);
    const desk = await seededDesk(t);
    await desk.write("routes.yaml", withoutBundle);
    const log = await startAndStop(desk);
    const warnings = log.split("\n").filter((line) => line.includes("no route serves"));
    assert.equal(warnings.length, 1);
    const { level, msg } = JSON.parse(String(warnings[0]));
    assert.equal(level, 40);
    const words =
      'no route serves bundle.all; copy its route from the routes.yaml of this version, or if this is intended, add "unserved: [bundle.all]"';
    assert.equal(msg, `In ${join(desk.folder, "routes.yaml")} ${words}. That one is ${shippedRoutes}.`);
    assert.match(
      (await desk.run(["routes", "check", "--strict"])).stderr,
      /no route serves bundle\.all; copy its route/,
    );
  });

  it("says nothing where the table leaves them out on purpose, or serves all", async (t) => {
    const desk = await seededDesk(t);
    assert.doesNotMatch(await startAndStop(desk), /no route serves/);
    await desk.write("routes.yaml", `${withoutBundle}\nunserved: [bundle.all]\n`);
    assert.doesNotMatch(await startAndStop(desk), /no route serves/);
  });
});

describe("the editor schema beside the table", () => {
  it("is replaced by that of this version where another version wrote it, however it is formatted", async (t) => {
    for (const text of [
      first,
      otherVersion,
      JSON.stringify(JSON.parse(otherVersion)),
      otherVersion.replaceAll("\n", "\r\n"),
    ]) {
      const desk = await deskWith(t, text);
      assert.match(await startAndStop(desk), /Replaced .*routes\.schema\.json/);
      assert.equal(await schemaOf(desk), current);
    }
  });

  it("is not replaced if it was edited, is no schema, or is that of this version", async (t) => {
    for (const text of [
      otherVersion.replace("Route table", "Our route table"),
      "",
      "null",
      "{}",
      JSON.stringify(JSON.parse(current)),
    ]) {
      const desk = await deskWith(t, text);
      const { mtimeMs, ino } = await stat(join(desk.folder, "routes.schema.json"));
      assert.doesNotMatch(await startAndStop(desk), /Replaced/);
      const after = await stat(join(desk.folder, "routes.schema.json"));
      assert.deepEqual([after.mtimeMs, after.ino], [mtimeMs, ino]);
      assert.equal(await schemaOf(desk), text);
    }
  });

  it("is not recreated after somebody has removed it", async (t) => {
    const desk = await seededDesk(t);
    await rm(join(desk.folder, "routes.schema.json"));
    await startAndStop(desk);
    await assert.rejects(schemaOf(desk), { code: "ENOENT" });
  });
});

describe("an editor schema that cannot be read or replaced", () => {
  it("is warned of, and stops no start", async (t) => {
    const desk = await seededDesk(t);
    await rm(join(desk.folder, "routes.schema.json"));
    await mkdir(join(desk.folder, "routes.schema.json"));
    assert.match(await startAndStop(desk), /Cannot refresh the editor schema beside/);
  });
});

describe("whether a schema is unedited", () => {
  it("is so for the shipped one, and with no other $comment, key or value", () => {
    assert.ok(isUnedited(current));
    assert.ok(!isUnedited(current.replace("Generated by", "Written by")));
    assert.ok(!isUnedited(current.replace('"title": "Route table"', '"title": "Route table", "x": 1')));
  });
});
