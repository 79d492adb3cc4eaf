/** `serve` starts completely or not at all, and always stops. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { CliProcess, execute, serveProcess } from "./_process.ts";
import { type Desk, seededDesk } from "./_setup.ts";

/** The limit of a test; stopping has deadlines of its own. */
const timeout = 180_000;

/** A module that blocks appends to the journal, from the start or after a signal. */
function hangFrom(from: "start" | "SIGUSR2"): string {
  // The lock file's line, a process id, is written. Unlike a pending write, a promise alone keeps nothing alive: the store
  // could be collected, and its lock released.
  const hang = `form.write = function (bytes, ...given) {
    if (bytes.length < 20) return write.call(this, bytes, ...given);
    process.stderr.write("A sync is held up.\\n");
    return (globalThis.pendingSync = new Promise(() => {}));
  };`;
  const code = `
    import { open } from "node:fs/promises";
    const file = await open(process.execPath);
    const form = Object.getPrototypeOf(file);
    await file.close();
    const { write } = form;
    ${from === "start" ? hang : `process.once("SIGUSR2", () => { ${hang} process.stderr.write("Ready.\\n"); });`}
  `;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Returns a connection to the control socket until the end of the test. */
async function controlConnection(t: TestContext, desk: Desk): Promise<Socket> {
  const socket = connect(join(desk.data, "socket"));
  socket.on("error", () => {});
  t.after(() => socket.destroy());
  await new Promise((resolve) => void socket.once("connect", resolve));
  return socket;
}

describe("serve that cannot open its control socket", () => {
  for (const [what, put] of [
    ["a directory", (path: string) => mkdir(path)],
    ["a file", (path: string) => writeFile(path, "mine")],
  ] as const) {
    it(`exits with 1 where ${what} has its name`, { timeout }, async (t) => {
      const desk = await seededDesk(t);
      await put(join(desk.data, "socket"));
      const { exitCode, stdout, stderr } = await execute(desk, ["serve", "--port", "0"]);
      assert.deepEqual([exitCode, stdout], [1, ""], stderr);
      assert.ok(
        stderr.includes(`${join(desk.data, "socket")}, the path of the control socket, got ${what}`),
        stderr,
      );
    });
  }

  it("exits with 1 if the path is too long, and names its length and the limit", {
    timeout,
  }, async (t) => {
    const desk = await seededDesk(t);
    const far = "d".repeat(101);
    const { exitCode, stdout, stderr } = await execute(desk, ["serve", "--port", "0", "--data", far]);
    assert.deepEqual([exitCode, stdout], [1, ""], stderr);
    assert.match(stderr, /has 108 bytes; the limit is 10[37]/);
    assert.match(stderr, /--data/);
  });

  it("starts with the longest possible path, and commands reach it", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    const longest = "d".repeat((process.platform === "linux" ? 107 : 103) - "/socket".length);
    await serveProcess(desk, ["--data", longest]);
    const { exitCode, stdout, stderr } = await execute(desk, ["data", "status", "--data", longest]);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^holder\s+process \d+ serves it/m);
  });

  it("exits with 1, closes the port and gives the folder up when it fails only at listening", {
    timeout,
  }, async (t) => {
    const desk = await seededDesk(t);
    const preload = `
      import { Server } from "node:net";
      const { listen } = Server.prototype;
      Server.prototype.listen = function (...all) {
        if (!String(all[0]).endsWith("socket")) return listen.apply(this, all);
        setImmediate(() => this.emit("error", new Error("the socket is refused")));
        return this;
      };
    `;
    const serving = new CliProcess(
      desk,
      ["serve", "--port", "0"],
      [`data:text/javascript,${encodeURIComponent(preload)}`],
    );
    assert.equal(await serving.ended, 1);
    assert.match(serving.stderr, /the socket is refused/);
    await desk.ok("player", "add", "Ada");
  });
});

describe("stopping serve", () => {
  it("does not wait for connections to the control socket on which nothing is under way", {
    timeout,
  }, async (t) => {
    const desk = await seededDesk(t);
    const { child } = await serveProcess(desk);
    await controlConnection(t, desk);
    const half = await controlConnection(t, desk);
    half.write("POST /snapshot HTTP/1.1\r\nHost: here\r\n");
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0, child.stderr);
  });

  it("does not wait for ever for an operation under way, and a second signal ends it at once", {
    timeout,
  }, async (t) => {
    const desk = await seededDesk(t);
    const { child } = await serveProcess(desk, [], [hangFrom("SIGUSR2")]);
    child.signal("SIGUSR2");
    await child.shows("stderr", /Ready/);
    const command = new CliProcess(desk, ["player", "add", "Bob"]);
    await child.shows("stderr", /A sync is held up/);
    child.signal("SIGTERM");
    await child.shows("stderr", /Stopping/);
    // A signal immediately after the first one counts as the same.
    const repeated = setInterval(() => child.signal("SIGINT"), 50);
    t.after(() => clearInterval(repeated));
    assert.equal(await child.ended, 1);
    clearInterval(repeated);
    assert.match(child.stderr, /Exiting at once after a second signal/);
    assert.equal(await command.ended, 1);
    assert.match(command.stderr, /outcome of the command is unknown/);
  });

  it("ends a start that is not over, at the first signal", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    const holder = new CliProcess(desk, ["player", "add", "Ada"], [hangFrom("start"), keepAlive]);
    await holder.shows("stderr", /A sync is held up/);
    const child = new CliProcess(desk, ["serve", "--port", "0"]);
    await child.shows("stderr", /Waiting for process/);
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0, child.stderr);
  });

  it("goes on at a SIGHUP, also during the start", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    const holder = new CliProcess(desk, ["player", "add", "Ada"], [hangFrom("start"), keepAlive]);
    await holder.shows("stderr", /A sync is held up/);
    const child = new CliProcess(desk, ["serve", "--port", "0"]);
    await child.shows("stderr", /Waiting for process/);
    child.signal("SIGHUP");
    holder.signal("SIGKILL");
    await child.shows("stdout", /Listening/);
    child.signal("SIGHUP");
    child.signal("SIGTERM");
    child.signal("SIGHUP");
    assert.equal(await child.ended, 0, child.stderr);
  });

  it("ends although a thread hangs in the file system", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    // The route table is a pipe without a writer: reading it never ends.
    const preload = `
      import { execFileSync } from "node:child_process";
      import { open } from "node:fs";
      process.once("SIGUSR2", () => {
        execFileSync("mkfifo", ["endless"]);
        open("endless", "r", () => {});
        process.stderr.write("Ready.\\n");
      });
    `;
    const { child } = await serveProcess(desk, [], [`data:text/javascript,${encodeURIComponent(preload)}`]);
    child.signal("SIGUSR2");
    await child.shows("stderr", /Ready/);
    child.signal("SIGTERM");
    await child.shows("stderr", /Stopping/);
    assert.ok([0, "SIGKILL"].includes((await child.ended) ?? ""), child.stderr);
    assert.equal((await desk.ok("data", "verify")).includes("no problems"), true);
  });
});

const keepAlive = `data:text/javascript,${encodeURIComponent("setInterval(() => {}, 1000);")}`;
