/** Tests of a table whose calls omit parameters: the others have to be valid for the operation, too. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { checkRoutes } from "../../src/operations.ts";
import { testTable } from "../../src/table-test/table-test.ts";
import { prefix } from "../_setup.ts";
import { vocabulary } from "../table/_library.ts";

const routes = `
prefix: ${prefix}/{tokenString}
routes:
  /wantedreason/add:
    summary: A.
    restriction: open
    parameters: { reason: text, points: { type: integer, minimum: 0, maximum: 1000 } }
    handler: wantedreason.add
`;

/** Returns whether a test allows somebody to add a wanted reason without its points. */
async function isAllowed(reason: string): Promise<boolean> {
  const { table, faults } = checkRoutes(routes, vocabulary);
  assert.ok(table !== undefined, JSON.stringify(faults));
  const tests = `tests: { /wantedreason/add: { with: { reason: ${reason} }, allowed: player } }`;
  const { result, faults: inTests } = await testTable(tests, { table, vocabulary });
  assert.deepEqual(inTests, []);
  return result?.failures.length === 0;
}

it("a test allows nobody with a new text that has an invisible character, even without other parameters", async () => {
  assert.equal(await isAllowed("Theft"), true);
  assert.equal(await isAllowed('"The\\u200Bft"'), false);
});
