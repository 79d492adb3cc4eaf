/** Tests of a table: their faults, and the expectations that are not met. Each document of the examples is run. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { testTable } from "../../src/table-test/table-test.ts";
import { casesIn, printed } from "../table/_corpus.ts";
import { goodTable } from "../table/_faults.ts";
import { check, vocabulary } from "../table/_library.ts";

const { table } = check(goodTable);

for (const example of casesIn("table-test/examples")) {
  it(example.title, () => {
    assert.ok(table !== undefined);
    const { result, faults } = testTable(example.text, table, vocabulary);
    const failures = (result?.failures ?? []).map(({ call, caller, expected, got, why, ...position }) => {
      return { ...position, message: `${call}: ${caller}: expected ${expected}, got ${got}. ${why}` };
    });
    const [, number] = /\((\d+) tests\)$/.exec(example.title) ?? [];
    if (number !== undefined) assert.equal(result?.tests, Number(number));
    assert.equal(result === undefined, example.title.includes("faults.yaml"));
    assert.deepEqual(printed(example, [...faults, ...failures]), example.reports);
  });
}
