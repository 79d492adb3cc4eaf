/** Commands beside an unresponsive process that has the data folder open. */
import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { waitForLock } from "../../../cli/data/control.ts";
import { FolderHeld } from "../../../src/store/folder/lock-file.ts";
import { CliProcess, moduleOf, replacingWrites, serveProcess } from "../_process.ts";
import { seededDesk } from "../_setup.ts";

/** The limit of a test. */
const timeout = 180_000;
const onLinux = process.platform === "linux" ? false : "only Linux says in a file what a process does";

/** Opens files until the process has run out of descriptors. */
const exhaust = `
  import { openSync } from "node:fs";
  export function exhaust() {
    try { for (;;) openSync("/dev/null"); } catch {}
  }
`;
const fewDescriptors = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh"];

/** Lets the time of commands in this process pass until they have ended. */
async function passTime<T>(t: TestContext, commands: Promise<T>): Promise<T> {
  let isOver = false;
  void commands.finally(() => (isOver = true));
  for (; !isOver; await setImmediate()) t.mock.timers.tick(1000);
  return commands;
}

it("a long wait for the folder is reported once", async (t) => {
  let now = Date.now();
  // A second at each look at the clock.
  t.mock.method(Date, "now", () => (now += 1000));
  const remarks: string[] = [];
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    if (attempts < 9) throw new FolderHeld("data", undefined);
    return "opened";
  };
  assert.equal(await waitForLock(attempt, (text) => remarks.push(text)), "opened");
  assert.deepEqual(remarks, ["Waiting for another process, which has the data folder open …"]);
});

describe("beside a service that is stopped", { timeout }, () => {
  it("commands name its process and exit with 1, status and verify read the files, and all is well when it is continued", async (t) => {
    const desk = await seededDesk(t);
    await desk.write("backup.json", "{}");
    const { child } = await serveProcess(desk);
    child.signal("SIGSTOP");
    // Once it connects to the socket, everything is loaded and it handles the signal.
    const reached = moduleOf(`
      import { Socket } from "node:net";
      const { connect } = Socket.prototype;
      Socket.prototype.connect = function (...all) {
        setImmediate(() => process.stderr.write("Connecting.\\n"));
        return connect.apply(this, all);
      };
    `);
    const second = new CliProcess(desk, ["serve", "--port", "0"], [reached]);
    await second.shows("stderr", /Connecting/);
    second.signal("SIGTERM");
    assert.equal(await second.ended, 0, "a second serve that waits obeys SIGTERM");

    const lines = [
      "player list",
      "player add Bob",
      "data restore backup.json",
      "routes status",
      "serve --port 0",
    ];
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const commands = ["health", ...lines].map((line) => desk.run(line.split(" ")));
    const all = await passTime(t, Promise.all(commands));
    for (const [index, { exitCode, stdout, stderr }] of all.entries()) {
      assert.deepEqual([exitCode, stdout], [1, ""], `${["health", ...lines][index]}: ${stderr}`);
      assert.match(stderr, new RegExp(`\\b${child.pid}\\b`));
      assert.match(stderr, /does not answer/);
      if (index > 0) assert.match(stderr, /Nothing was changed/);
    }
    const status = await passTime(t, desk.run(["data", "status", "--json"]));
    t.mock.timers.reset();
    const { holderProblem, lastChange } = JSON.parse(status.stdout);
    assert.match(holderProblem, new RegExp(`process ${child.pid} does not respond.*kill -CONT ${child.pid}`));
    assert.ok(lastChange.sequence > 0);
    assert.match(await desk.ok("data", "verify"), /no problems/);
    child.signal("SIGCONT");
    assert.equal(await desk.ok("player", "list"), "");
    await desk.ok("player", "add", "Bob");
  });

  it("in the middle of an operation, the command says that the outcome is not known", async (t) => {
    const desk = await seededDesk(t);
    const held = 'process.stderr.write("A write is held up.\\n"); return new Promise(() => {});';
    const { child } = await serveProcess(desk, [], [replacingWrites(held)]);
    child.signal("SIGUSR2");
    await child.shows("stderr", /Ready/);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const command = desk.run(["player", "add", "Bob"]);
    await child.shows("stderr", /A write is held up/);
    child.signal("SIGSTOP");
    const { exitCode, stderr } = await passTime(t, command);
    assert.equal(exitCode, 1);
    assert.match(stderr, new RegExp(`\\b${child.pid}\\b[\\s\\S]*outcome of the command is unknown`));
  });
});

it("a command that is interrupted in the middle of an operation says so as well", { timeout }, async (t) => {
  const desk = await seededDesk(t);
  const held = 'process.stderr.write("A write is held up.\\n"); return new Promise(() => {});';
  const { child } = await serveProcess(desk, [], [replacingWrites(held)]);
  child.signal("SIGUSR2");
  await child.shows("stderr", /Ready/);
  const command = new CliProcess(desk, ["player", "add", "Bob"]);
  await child.shows("stderr", /A write is held up/);
  command.signal("SIGINT");
  assert.equal(await command.ended, "SIGINT");
  assert.match(command.stderr, /Interrupted: `addon-cli audit --limit 1` shows/);
});

it("a long operation of a service that waits for the disk, or blocks its event loop, is waited for", {
  timeout,
  skip: onLinux,
}, async (t) => {
  const desk = await seededDesk(t);
  const slow = `
    const { existsSync } = await import("node:fs");
    globalThis.writes = (globalThis.writes ?? 0) + 1;
    process.stderr.write("Write " + globalThis.writes + ".\\n");
    while (existsSync("held"))
      if (globalThis.writes === 1) await setTimeout(5);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return write.apply(this, given);`;
  const { child } = await serveProcess(desk, [], [replacingWrites(slow)]);
  child.signal("SIGUSR2");
  await child.shows("stderr", /Ready/);
  for (const [number, name] of ["Bob", "Cleo"].entries()) {
    const held = await desk.write("held", "");
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const command = desk.run(["player", "add", name]);
    await child.shows("stderr", new RegExp(`Write ${number + 1}\\.`));
    // Several times the limit of a silence, each long enough to look at the process, which takes two reads.
    for (let silence = 0; silence < 3; silence += 1) {
      t.mock.timers.tick(3000);
      for (let read = 0; read < 10; read += 1) await readFile(`/proc/${child.pid}/stat`);
    }
    t.mock.timers.reset();
    await rm(held);
    const { exitCode, stderr } = await command;
    assert.deepEqual([exitCode, stderr], [0, ""]);
  }
});

it("beside a command that is stopped, another one names its process and exits with 1", {
  timeout,
  skip: onLinux,
}, async (t) => {
  const desk = await seededDesk(t);
  // The process id in the lock file is short.
  const holding = `
    if (given[0].length < 20) return write.apply(this, given);
    process.stderr.write("A write is held up.\\n");
    return new Promise(() => setInterval(() => {}, 1000));`;
  const holder = new CliProcess(desk, ["player", "add", "Ada"], [replacingWrites(holding, "start")]);
  await holder.shows("stderr", /A write is held up/);
  holder.signal("SIGSTOP");
  let now = Date.now();
  // At the second look at the clock, a command has waited long enough for a process that is stopped.
  t.mock.method(Date, "now", () => (now += 4000));
  for (const line of ["player add Bob", "serve --port 0"]) {
    const { exitCode, stderr } = await desk.run(line.split(" "));
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, new RegExp(`\\(${holder.pid}\\).*stopped[\\s\\S]*kill -CONT ${holder.pid}`));
  }
});

it("descriptors that are exhausted, in the command or in the service, are named", { timeout }, async (t) => {
  const desk = await seededDesk(t);
  const onSignal = moduleOf(`
    import { exhaust } from ${JSON.stringify(moduleOf(exhaust))};
    process.once("SIGUSR2", () => {
      exhaust();
      // Files that the start closes later must not make room for a command.
      const again = setInterval(exhaust, 1).unref();
      process.once("SIGTERM", () => clearInterval(again));
      process.stderr.write("Exhausted.\\n");
    });
  `);
  const { child } = await serveProcess(desk, [], [onSignal], fewDescriptors);
  const onConnect = moduleOf(`
    import { Socket } from "node:net";
    import { exhaust } from ${JSON.stringify(moduleOf(exhaust))};
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...all) { exhaust(); return connect.apply(this, all); };
  `);
  const command = new CliProcess(desk, ["--json", "player", "add", "Bob"], [onConnect], fewDescriptors);
  assert.equal(await command.ended, 1, command.stderr);
  assert.match(JSON.parse(command.stdout).info, /Cannot reach the service on the data folder: .*EMFILE/);

  child.signal("SIGUSR2");
  await child.shows("stderr", /Exhausted/);
  const { exitCode, stderr } = await desk.run(["player", "add", "Bob"]);
  assert.equal(exitCode, 1, stderr);
  assert.match(stderr, new RegExp(`process ${child.pid} is running.*descriptor`));
  child.signal("SIGTERM");
  assert.equal(await child.ended, 0, child.stderr);
});
