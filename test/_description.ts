/** The description of the table that is shipped, with the names that are seeded; `openapi.test.ts` shows that it is served. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { OpenApiDocument } from "../src/openapi/document.ts";
import { describeTable } from "../src/openapi/openapi.ts";
import { descriptionOptions } from "../src/openapi/service-description.ts";
import { checkRoutes } from "../src/operations.ts";
import { readSeed } from "../src/operator/seed-file.ts";
import { shippedRoutes, shippedSeed } from "./_setup.ts";

/** See the head of this file. It is as a client reads it: what JSON has no way to say is not in it. */
export async function shippedDescription(): Promise<OpenApiDocument> {
  const { groups, factions, services } = await readSeed(shippedSeed);
  const vocabulary = { group: groups ?? [], faction: factions ?? [], service: services ?? [] };
  const { table } = checkRoutes(await readFile(shippedRoutes, "utf8"), vocabulary);
  assert.ok(table !== undefined);
  return JSON.parse(JSON.stringify(describeTable(table, vocabulary, descriptionOptions())));
}
