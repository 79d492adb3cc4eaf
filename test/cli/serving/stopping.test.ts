/** `serve` starts completely or not at all, and always stops. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Service } from "../../../src/service.ts";
import { CliProcess, moduleOf, replacingWrites, serveProcess } from "../_process.ts";
import { type Desk, seededDesk } from "../_setup.ts";

/** The limit of a test; stopping has deadlines of its own. */
const timeout = 180_000;
/** Returns a connection to the control socket until the end of the test. */
async function controlConnection(t: TestContext, desk: Desk): Promise<Socket> {
  const socket = connect(join(desk.data, "socket"));
  socket.on("error", () => {});
  t.after(() => socket.destroy());
  await new Promise((resolve) => void socket.once("connect", resolve));
  return socket;
}

describe("a service with a long path", () => {
  it("that is too long for its control socket does not start, and says its length and the limit", async (t) => {
    const desk = await seededDesk(t);
    const stderr = await desk.fails("serve", "--port", "0", "--data", "d".repeat(101));
    assert.match(stderr, /has \d{3} bytes; the limit is 10[37]/);
    assert.match(stderr, /--data/);
  });

  it("that is just short enough starts, and commands reach it", async (t) => {
    const desk = await seededDesk(t);
    const longest = "d".repeat((process.platform === "linux" ? 107 : 103) - "/socket".length);
    // A process, whose working directory is the folder: paths are relative to it.
    await serveProcess(desk, ["--data", longest]);
    const status = new CliProcess(desk, ["data", "status", "--data", longest]);
    assert.equal(await status.ended, 0, status.stderr);
    assert.match(status.stdout, /^holder\s+process \d+ serves it/m);
  });
});

it("serve saves activity every minute", { timeout }, async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const desk = await seededDesk(t);
  const [, open = ""] = await desk.serve(["--json"]).shows(/"open":"(.*?)"/);
  assert.equal((await fetch(open)).status, 200);
  t.mock.timers.tick(60_000);
  while (!(await desk.ok("audit", "--all")).includes("activity.save")) await setImmediate();
});

describe("stopping serve", { timeout }, () => {
  it("does not wait for connections to the control socket on which nothing is under way", async (t) => {
    const desk = await seededDesk(t);
    const serving = desk.serve();
    await serving.shows(/Listening/);
    await controlConnection(t, desk);
    const half = await controlConnection(t, desk);
    half.write("POST /snapshot HTTP/1.1\r\nHost: here\r\n");
    assert.equal(await serving.stop(), 0);
  });

  it("does not wait for ever for an operation under way, and a second signal ends it at once", async (t) => {
    const desk = await seededDesk(t);
    // Unlike a pending write, a promise alone keeps nothing alive: the store could be collected, and its lock released.
    const hang = replacingWrites(`
      process.stderr.write("A write is held up.\\n");
      return (globalThis.pendingWrite = new Promise(() => {}));
    `);
    const { child } = await serveProcess(desk, [], [hang]);
    child.signal("SIGUSR2");
    await child.shows("stderr", /Ready/);
    const command = desk.run(["player", "add", "Bob"]);
    await child.shows("stderr", /A write is held up/);
    child.signal("SIGTERM");
    await child.shows("stderr", /Stopping/);
    // A signal immediately after the first one counts as the same.
    const repeated = setInterval(() => child.signal("SIGINT"), 50);
    t.after(() => clearInterval(repeated));
    assert.equal(await child.ended, 1);
    assert.match(child.stderr, /Exiting at once after a second signal/);
    const { exitCode, stderr } = await command;
    assert.equal(exitCode, 1);
    assert.match(stderr, /outcome of the command is unknown/);
  });

  it("ends a start that is not over at the first signal, and a SIGHUP ends nothing", async (t) => {
    const desk = await seededDesk(t);
    const holder = await Service.open({ folder: desk.data, routes: join(desk.folder, "routes.yaml") });
    desk.beforeClear(() => holder.close());
    const [first, second] = [1, 2].map(() => new CliProcess(desk, ["serve", "--port", "0"]));
    assert.ok(first !== undefined && second !== undefined);
    for (const child of [first, second]) await child.shows("stderr", /Waiting for process/);
    first.signal("SIGTERM");
    assert.equal(await first.ended, 0, first.stderr);
    second.signal("SIGHUP");
    await holder.close();
    await second.shows("stdout", /Listening/);
    second.signal("SIGHUP");
    second.signal("SIGTERM");
    second.signal("SIGHUP");
    assert.equal(await second.ended, 0, second.stderr);
  });

  it("ends although a thread hangs in the file system", async (t) => {
    const desk = await seededDesk(t);
    // A pipe without a writer: reading it never ends.
    const endless = moduleOf(`
      import { execFileSync } from "node:child_process";
      import { open } from "node:fs";
      process.once("SIGUSR2", () => {
        execFileSync("mkfifo", ["endless"]);
        open("endless", "r", () => {});
        process.stderr.write("Ready.\\n");
      });
    `);
    const { child } = await serveProcess(desk, [], [endless]);
    child.signal("SIGUSR2");
    await child.shows("stderr", /Ready/);
    child.signal("SIGTERM");
    await child.shows("stderr", /Stopping/);
    assert.ok([0, "SIGKILL"].includes((await child.ended) ?? ""), child.stderr);
    assert.match(await desk.ok("data", "verify"), /no problems/);
  });
});
