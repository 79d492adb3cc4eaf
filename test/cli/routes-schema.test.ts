/** `routes schema`. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { projectFolder } from "../_setup.ts";
import { emptyDesk } from "./_setup.ts";

it("prints the schema that is packaged with the table", async (t) => {
  const desk = await emptyDesk(t);
  const printed: unknown = JSON.parse(await desk.ok("routes", "schema"));
  const shipped: unknown = JSON.parse(await readFile(join(projectFolder, "routes.schema.json"), "utf8"));
  assert.deepEqual(printed, shipped);
});
