/** Errors on the control socket, and the path of the socket. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { requireSocketPath, socketPath } from "../../src/control/socket.ts";
import { fromWire, toWire } from "../../src/control/wire.ts";
import { Failure } from "../../src/domain/errors.ts";
import { faultsIn } from "../../src/table-in-force/route-table.ts";
import { temporaryFolder } from "../_setup.ts";

/** Returns an error as the command receives it. */
function transmitted(error: unknown): Error {
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
    it(`a failure arrives unchanged: ${JSON.stringify({ code, parameter, hint })}`, () => {
      const received = transmitted(failure);
      assert.ok(received instanceof Failure, String(received));
      assert.deepEqual(
        [received.code, received.message, received.parameter, received.hint],
        [code, message, parameter, hint],
      );
    });
  }

  it("a failure arrives with its hint for operators", () => {
    const received = transmitted(new Failure("CONFLICT", "No.", { hint: "Ask.", operatorHint: "Run it." }));
    assert.ok(received instanceof Failure, String(received));
    assert.equal(received.hint, "Run it.");
  });

  it("the faults of a table arrive with its text", () => {
    const faults = [{ line: 3, column: 7, message: "No." }];
    const received = transmitted(faultsIn("routes.yaml", faults, "prefix: /x"));
    assert.ok(received instanceof Failure, String(received));
    assert.deepEqual(received.faultyFile, { file: "routes.yaml", faults, text: "prefix: /x" });
  });

  it("the problems of an import arrive on the control socket", () => {
    const received = transmitted(new Failure("PARAMETER_INVALID", "No.", { problems: ["one", "two"] }));
    assert.ok(received instanceof Failure, String(received));
    assert.deepEqual([received.code, received.problems], ["PARAMETER_INVALID", ["one", "two"]]);
  });

  for (const thrown of [new TypeError("unforeseen"), "unforeseen"]) {
    it(`an unexpected error arrives with its message: ${thrown}`, () => {
      const received = transmitted(thrown);
      assert.deepEqual([received instanceof Failure, received.message], [false, "unforeseen"]);
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

  it("the path of the control socket is relative if that is shorter, or else absolute", async (t) => {
    const folder = await inFolder(t);
    assert.equal(socketPath(join(folder, "data")), join("data", "socket"));
    assert.equal(socketPath("/d"), join("/d", "socket"));
  });

  it("the path of the control socket may be as long as a socket's address, in bytes", async (t) => {
    await inFolder(t);
    const longest = (process.platform === "linux" ? 107 : 103) - "/socket".length;
    const path = socketPath(`${"d".repeat(longest)}`);
    assert.equal(path.length, longest + "/socket".length);
    for (const long of ["d".repeat(longest + 1), "ü".repeat(Math.ceil(longest / 2) + 1)]) {
      assert.throws(() => socketPath(long), { code: "STORE_UNAVAILABLE" });
    }
  });

  it("the path of the control socket is free, or that of a socket, in a folder that need not exist", async (t) => {
    const folder = await inFolder(t);
    await writeFile("file", "");
    for (const name of ["none", "file"]) {
      assert.equal(await requireSocketPath(join(folder, name)), join(name, "socket"));
    }
    const server = createServer().listen("socket");
    await once(server, "listening");
    t.after(() => server.close());
    assert.equal(await requireSocketPath(folder), "socket");
  });

  for (const [what, make] of [
    ["a file", (path: string) => writeFile(path, "")],
    ["a directory", (path: string) => mkdir(path)],
  ] as const) {
    it(`${what} at the path of the control socket is refused`, async (t) => {
      const folder = await inFolder(t);
      await make(join(folder, "socket"));
      await assert.rejects(requireSocketPath(folder), {
        code: "STORE_UNAVAILABLE",
        message: `Expected a socket or nothing at ${join(folder, "socket")}, the path of the control socket, got ${what}.`,
        hint: "Move it, or choose another data folder with --data.",
      });
    });
  }

  it("a folder that this user cannot enter is refused", { skip: process.platform === "win32" }, async (t) => {
    const folder = await inFolder(t);
    await chmod(folder, 0);
    // Nothing is closed to root.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const message = /^The data folder \S+ cannot be used: \S+: permission denied \(EACCES\)/;
      await assert.rejects(requireSocketPath(folder), { code: "STORE_UNAVAILABLE", message });
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(folder, 0o700);
    }
  });

  it("a folder that cannot exist is left to what opens it", async (t) => {
    const folder = await inFolder(t);
    await symlink("loop", "loop");
    assert.equal(await requireSocketPath(join(folder, "loop")), join("loop", "socket"));
  });
});
