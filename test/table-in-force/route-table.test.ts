/** The error of a faulty route table: what it says, and that its file does not reach a log. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { faultsIn } from "../../src/table-in-force/route-table.ts";

const fault = (line: number, message: string) => ({ line, column: 3, message });

describe("the error of a faulty route table", () => {
  for (const [messages, expected] of [
    [["unknown key"], "/srv/routes.yaml has a fault:\n/srv/routes.yaml:1:3: unknown key"],
    [
      ["unknown key", "duplicate key"],
      "/srv/routes.yaml has 2 faults:\n/srv/routes.yaml:1:3: unknown key\n/srv/routes.yaml:2:3: duplicate key",
    ],
  ] as const) {
    it(`counts the faults and lists each with its position: ${messages.length}`, () => {
      const faults = messages.map((message, index) => fault(index + 1, message));
      assert.equal(faultsIn("/srv/routes.yaml", faults, "").message, expected);
    });
  }

  it("has the text of the file, but does not show it where the error is logged", () => {
    const error = faultsIn("/srv/routes.yaml", [fault(1, "unknown key")], "a secret remark");
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
