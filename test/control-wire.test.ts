/** The errors on the control socket, and the path of the socket. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ImportProblems } from "../src/backup/import-problems.ts";
import { socketPath } from "../src/control/socket.ts";
import { fromWire, toWire } from "../src/control/wire.ts";
import { Failure } from "../src/domain/errors.ts";
import { TableFaults } from "../src/table-in-force/route-table.ts";
import { temporaryFolder } from "./_setup.ts";

/** Returns an error as the command receives it. */
function sent(error: unknown): Error {
  return fromWire(JSON.parse(JSON.stringify(toWire(error))));
}

describe("an error on the control socket", () => {
  for (const failure of [
    new Failure("CONFLICT", "No."),
    new Failure("PARAMETER_INVALID", "No.", { parameter: "name" }),
    new Failure("UNKNOWN_PLAYER", "No.", { hint: "Yes." }),
    new Failure("PARAMETER_MISSING", "No.", { parameter: "name", hint: "Yes." }),
  ]) {
    const { code, message, parameter, hint } = failure;
    it(`arrives as it was: ${JSON.stringify({ code, parameter, hint })}`, () => {
      const came = sent(failure);
      assert.ok(came instanceof Failure, String(came));
      assert.deepEqual(
        [came.code, came.message, came.parameter, came.hint],
        [code, message, parameter, hint],
      );
    });
  }

  it("has the hint for operators where there is one", () => {
    const came = sent(new Failure("CONFLICT", "No.", { hint: "Ask.", operatorHint: "Run it." }));
    assert.ok(came instanceof Failure, String(came));
    assert.equal(came.hint, "Run it.");
  });

  it("has the faults of a table, and the text that they are in", () => {
    const faults = [{ line: 3, column: 7, message: "No." }];
    const came = sent(new TableFaults("routes.yaml", faults, "prefix: /x"));
    assert.ok(came instanceof TableFaults, String(came));
    assert.deepEqual([came.file, came.faults, came.text], ["routes.yaml", faults, "prefix: /x"]);
  });

  it("has the problems of an import", () => {
    const came = sent(new ImportProblems("export.json", ["one", "two"]));
    assert.ok(came instanceof ImportProblems, String(came));
    assert.deepEqual([came.file, came.problems], ["export.json", ["one", "two"]]);
  });

  for (const thrown of [new TypeError("unforeseen"), "unforeseen"]) {
    it(`that nobody foresaw has its message: ${thrown}`, () => {
      const came = sent(thrown);
      assert.deepEqual([came instanceof Failure, came.message], [false, "unforeseen"]);
    });
  }
});

describe("the path of the control socket", () => {
  async function inFolder(t: TestContext): Promise<string> {
    const before = process.cwd();
    process.chdir(await temporaryFolder(t));
    t.after(() => process.chdir(before));
    return process.cwd();
  }

  it("is relative where that is shorter, and else absolute", async (t) => {
    const folder = await inFolder(t);
    assert.equal(socketPath(join(folder, "data")), join("data", "socket"));
    assert.equal(socketPath("/d"), join("/d", "socket"));
  });

  it("may be as long as a socket's address, in bytes", async (t) => {
    await inFolder(t);
    const longest = (process.platform === "linux" ? 107 : 103) - "/socket".length;
    const path = socketPath(`${"d".repeat(longest)}`);
    assert.equal(path.length, longest + "/socket".length);
    for (const long of ["d".repeat(longest + 1), "ü".repeat(Math.ceil(longest / 2) + 1)]) {
      assert.throws(() => socketPath(long), { code: "STORE_UNAVAILABLE" });
    }
  });
});
