/** The sources of options: flags before and after the command, and the environment (contract, section 4). */
import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { shippedRoutes } from "../_setup.ts";
import { type Desk, emptyDesk, seededDesk } from "./_setup.ts";

const oneRoute = `prefix: /gameaddon/v1/{tokenString}
routes:
  /places:
    summary: Returns the navi points.
    restriction: open
    handler: navipoint.list
`;

/** Returns a desk whose folders `here` and `there` have one player each, Hera and Thea. */
async function twoFolders(t: TestContext): Promise<Desk> {
  const desk = await emptyDesk(t);
  for (const [folder, name] of [
    ["here", "Hera"],
    ["there", "Thea"],
  ] as const) {
    await desk.ok("seed", "groups", "--data", folder);
    await desk.ok("player", "add", name, "--data", folder);
  }
  return desk;
}

describe("the data folder", () => {
  it("when it is not given, it is data in the working directory", async (t) => {
    const desk = await seededDesk(t);
    assert.ok((await desk.files()).size > 0);
  });

  it("when --data precedes the command, it is used", async (t) => {
    const desk = await twoFolders(t);
    assert.match(await desk.ok("--data", "there", "player", "list"), /^Thea\t/);
  });

  it("when --data follows the command, or is between its words, it is used", async (t) => {
    const desk = await twoFolders(t);
    assert.match(await desk.ok("player", "list", "--data", "there"), /^Thea\t/);
    assert.match(await desk.ok("player", "--data", "there", "list"), /^Thea\t/);
    assert.match(await desk.ok("player", "show", "--data=there", "Thea"), /Thea/);
  });

  it("when ADDON_DATA is set, that folder is used", async (t) => {
    const desk = await twoFolders(t);
    const { stdout } = await desk.run(["player", "list"], { env: { ADDON_DATA: "there" } });
    assert.match(stdout, /^Thea\t/);
  });

  it("when both ADDON_DATA and --data name it, the flag wins", async (t) => {
    const desk = await twoFolders(t);
    const { stdout } = await desk.run(["player", "list", "--data", "here"], { env: { ADDON_DATA: "there" } });
    assert.match(stdout, /^Hera\t/);
  });

  it("when the path is absolute, that folder is used", async (t) => {
    const desk = await twoFolders(t);
    assert.match(await desk.ok("player", "list", "--data", join(desk.folder, "there")), /^Thea\t/);
  });
});

describe("the route table", () => {
  async function withTables(t: TestContext): Promise<Desk> {
    const desk = await seededDesk(t);
    await desk.write("one.yaml", oneRoute);
    await mkdir(join(desk.folder, "other"));
    await copyFile(shippedRoutes, join(desk.folder, "other", "routes.yaml"));
    return desk;
  }

  it("when it is not given, it is routes.yaml in the working directory", async (t) => {
    const desk = await withTables(t);
    await desk.write("routes.yaml", oneRoute);
    assert.match(await desk.ok("routes", "list"), /^\/places\t.*\n$/);
  });

  it("when --routes precedes or follows the command, it is used", async (t) => {
    const desk = await withTables(t);
    assert.match(await desk.ok("--routes", "one.yaml", "routes", "list"), /^\/places\t.*\n$/);
    assert.match(await desk.ok("routes", "list", "--routes", "one.yaml"), /^\/places\t.*\n$/);
    assert.equal(await desk.ok("call", "/places", "--routes", "one.yaml"), "[]\n");
  });

  it("when ADDON_ROUTES is set, that table is used", async (t) => {
    const desk = await withTables(t);
    const { stdout } = await desk.run(["routes", "list"], { env: { ADDON_ROUTES: "one.yaml" } });
    assert.match(stdout, /^\/places\t.*\n$/);
  });

  it("when both ADDON_ROUTES and --routes name it, the flag wins", async (t) => {
    const desk = await withTables(t);
    const { stdout } = await desk.run(["routes", "list", "--routes", "other/routes.yaml"], {
      env: { ADDON_ROUTES: "one.yaml" },
    });
    assert.match(stdout, /\/targetlist\/add\t/);
  });

  it("when there is no such table, the failure names the file and --routes", async (t) => {
    const desk = await withTables(t);
    const stderr = await desk.fails("routes", "list", "--routes", "none.yaml");
    assert.ok(stderr.includes(join(desk.folder, "none.yaml")));
    assert.match(stderr, /--routes/);
  });
});

describe("host and port", () => {
  /** Returns a port on which something else listens. */
  async function busyPort(t: TestContext): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    t.after(() => new Promise((resolve) => void server.close(resolve)));
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    return address.port;
  }

  it("when ADDON_PORT names the port, that is used", async (t) => {
    const desk = await seededDesk(t);
    const port = await busyPort(t);
    const { exitCode, stderr } = await desk.run(["serve"], { env: { ADDON_PORT: String(port) } });
    assert.equal(exitCode, 1);
    assert.ok(stderr.includes(`127.0.0.1:${port}`), stderr);
  });

  it("when both ADDON_PORT and --port name the port, the flag wins", async (t) => {
    const desk = await seededDesk(t);
    const port = await busyPort(t);
    const serving = desk.serve([], { env: { ADDON_PORT: String(port) } });
    const [, listening] = await serving.shows(/http:\/\/127\.0\.0\.1:(\d+)/);
    assert.notEqual(listening, String(port));
  });

  it("when ADDON_PORT is not a port, the error names it, and the exit code is 2", async (t) => {
    const desk = await seededDesk(t);
    const { exitCode, stdout, stderr } = await desk.run(["serve"], { env: { ADDON_PORT: "eighty" } });
    assert.equal(exitCode, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /ADDON_PORT.*eighty/);
  });

  it("when ADDON_PORT is not a port and the command does not use it, it does not matter", async (t) => {
    const desk = await seededDesk(t);
    assert.equal((await desk.run(["player", "list"], { env: { ADDON_PORT: "eighty" } })).exitCode, 0);
  });

  // 192.0.2.1 is reserved for documentation: no machine has it.
  it("when ADDON_HOST names the address, that is used", async (t) => {
    const desk = await seededDesk(t);
    const { exitCode, stderr } = await desk.run(["serve", "--port", "0"], {
      env: { ADDON_HOST: "192.0.2.1" },
    });
    assert.equal(exitCode, 1);
    assert.ok(stderr.includes("192.0.2.1"), stderr);
  });

  it("when the host is neither an address nor a name, serve does not listen on another one", async (t) => {
    const desk = await seededDesk(t);
    for (const host of ["[::1]", "fe80::1%eth0", "no_such", "-h", "a".repeat(64)]) {
      assert.match(await desk.misused("serve", "--port", "0", `--host=${host}`), /--host.*IP address/, host);
      const { exitCode, stderr } = await desk.run(["serve", "--port", "0"], { env: { ADDON_HOST: host } });
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, /ADDON_HOST is .*IP address/);
    }
  });

  it("when both ADDON_HOST and --host name the address, the flag wins", async (t) => {
    const desk = await seededDesk(t);
    const serving = desk.serve(["--host", "127.0.0.1"], { env: { ADDON_HOST: "192.0.2.1" } });
    await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
  });
});

describe("an empty setting", () => {
  it("in the environment counts as none", async (t) => {
    const desk = await seededDesk(t);
    const env = { ADDON_DATA: "", ADDON_ROUTES: "", ADDON_HOST: "", ADDON_PORT: "" };
    assert.equal((await desk.run(["routes", "list"], { env })).exitCode, 0);
    assert.equal((await desk.run(["player", "list"], { env })).exitCode, 0);
    const serving = desk.serve([], { env });
    await serving.shows(/http:\/\/127\.0\.0\.1:\d+/);
  });

  it("on the command line is wrong usage", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.misused("player", "list", "--data", ""), /--data <dir>.*empty/);
    assert.match(await desk.misused("routes", "list", "--routes="), /--routes <file>.*empty/);
    assert.match(await desk.misused("serve", "--host", ""), /--host <host>.*IP address/);
  });
});

describe("--no-input", () => {
  it("when it is given, commands work as usual", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("--no-input", "player", "add", "Ada");
    assert.match(await desk.ok("player", "list", "--no-input"), /^Ada\t/);
  });
});
