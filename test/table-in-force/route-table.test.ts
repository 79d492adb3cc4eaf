/** The error of a faulty route table: its file does not reach a log. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { faultsIn } from "../../src/table-in-force/route-table.ts";

describe("the error of a faulty route table", () => {
  it("has the text of the file, but does not show it where the error is logged", () => {
    const faults = [{ line: 1, column: 3, message: "unknown key" }];
    const error = faultsIn("/srv/routes.yaml", faults, "a secret remark");
    assert.equal(error.faultyFile?.text, "a secret remark");
    for (const shown of [
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
      String(error),
    ]) {
      assert.ok(!shown.includes("secret"), shown);
    }
  });
});
