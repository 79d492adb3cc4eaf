/** The description of the shipped table with the seeded names. `openapi.test.ts` tests that it is served. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describeTable, type OpenApiDocument } from "../../src/openapi/openapi.ts";
import { checkRoutes } from "../../src/operations.ts";
import { readSeed } from "../../src/operator/seed-file.ts";
import { shippedRoutes, shippedSeed } from "../_setup.ts";

/** Returns the description as a client parses it from JSON. */
export async function shippedDescription(): Promise<OpenApiDocument> {
  const { groups, factions, services } = await readSeed(shippedSeed);
  const vocabulary = { group: groups ?? [], faction: factions ?? [], service: services ?? [] };
  const { table } = checkRoutes(await readFile(shippedRoutes, "utf8"), vocabulary);
  assert.ok(table !== undefined);
  return JSON.parse(JSON.stringify(describeTable(table, vocabulary)));
}
