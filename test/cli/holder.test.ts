/** Commands beside an unresponsive process that has the data folder open. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { CliProcess, execute, serveProcess } from "./_process.ts";
import { type Desk, type FailureDocument, seededDesk } from "./_setup.ts";

/** The limit of a test; processes wait for 3 s. */
const timeout = 180_000;

/** Returns a module as a data URL. */
function moduleOf(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Returns a served folder whose service is stopped until the end of the test. */
async function stoppedService(t: TestContext) {
  const desk = await seededDesk(t);
  const serving = await serveProcess(desk);
  serving.child.signal("SIGSTOP");
  return { desk, ...serving };
}

/** Opens files until the process has run out of descriptors. */
const exhaust = `
  import { openSync } from "node:fs";
  export function exhaust() {
    try { for (;;) openSync("/dev/null"); } catch {}
  }
`;

const fewDescriptors = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh"];

describe("beside a service that is stopped", () => {
  it("every command that asks it names its process and exits with 1", { timeout }, async (t) => {
    const { desk, child } = await stoppedService(t);
    await desk.write("backup.json", "");
    const commands = [
      "player list",
      "player add Bob",
      "data restore backup.json",
      "data snapshot",
      "routes status",
      "serve --port 0",
    ];
    const all = await Promise.all(commands.map((command) => desk.run(command.split(" "))));
    for (const [index, { exitCode, stdout, stderr }] of all.entries()) {
      assert.deepEqual([exitCode, stdout], [1, ""], `${commands[index]}: ${stderr}`);
      assert.match(stderr, new RegExp(`\\b${child.pid}\\b`));
      assert.match(stderr, /does not answer/);
      assert.match(stderr, /Nothing was changed/);
    }
  });

  it("data status and data verify read the files, and name its process", { timeout }, async (t) => {
    const { desk, child } = await stoppedService(t);
    const [status, verified] = await Promise.all([
      desk.run(["data", "status", "--json"]),
      desk.run(["data", "verify", "--json"]),
    ]);
    assert.equal(status.exitCode, 1, status.stderr);
    const { holderProblem, lastChange } = JSON.parse(status.stdout);
    assert.match(holderProblem, new RegExp(`process ${child.pid} does not respond.*kill -CONT ${child.pid}`));
    assert.ok(lastChange.sequence > 0);
    assert.equal(verified.exitCode, 0, verified.stderr);
    assert.equal(JSON.parse(verified.stdout).ok, true);
  });

  it("a second serve obeys SIGTERM while it waits for a health check", { timeout }, async (t) => {
    const { desk } = await stoppedService(t);
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
    assert.equal(await second.ended, 0);
    assert.doesNotMatch(second.stderr, /does not answer/);
  });

  it("commands work again when it is continued", { timeout }, async (t) => {
    const { desk, child } = await stoppedService(t);
    await execute(desk, ["player", "add", "Bob"]);
    child.signal("SIGCONT");
    assert.equal(await desk.ok("player", "list"), "");
    await desk.ok("player", "add", "Bob");
  });
});

describe("beside a service that is stopped in the middle of an operation", () => {
  it("the command says that the outcome is not known", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    const { child } = await serveProcess(
      desk,
      [],
      [
        moduleOf(`
        import { open } from "node:fs/promises";
        const file = await open(process.execPath);
        const form = Object.getPrototypeOf(file);
        await file.close();
        process.once("SIGUSR2", () => {
          form.write = () => {
            process.stderr.write("A sync is held up.\\n");
            return new Promise(() => {});
          };
          process.stderr.write("Ready.\\n");
        });
      `),
      ],
    );
    child.signal("SIGUSR2");
    await child.shows("stderr", /Ready/);
    const command = new CliProcess(desk, ["player", "add", "Bob"]);
    await child.shows("stderr", /A sync is held up/);
    child.signal("SIGSTOP");
    assert.equal(await command.ended, 1);
    assert.match(command.stderr, new RegExp(`\\b${child.pid}\\b`));
    assert.match(command.stderr, /outcome of the command is unknown/);
  });

  const onLinux = process.platform === "linux" ? false : "only Linux says in a file that a process runs";
  for (const [what, skip, wait] of [
    ["waits for the disk", false, "await setTimeout(5000)"],
    ["blocks its event loop", onLinux, "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000)"],
  ] as const) {
    it(`a long operation of a service that ${what} is waited for`, { timeout, skip }, async (t) => {
      const desk = await seededDesk(t);
      const { child } = await serveProcess(
        desk,
        [],
        [
          moduleOf(`
            import { open } from "node:fs/promises";
            import { setTimeout } from "node:timers/promises";
            const file = await open(process.execPath);
            const form = Object.getPrototypeOf(file);
            await file.close();
            const { write } = form;
            process.once("SIGUSR2", () => {
              // Longer than the time limit of a health check.
              form.write = async function (...given) { ${wait}; return write.apply(this, given); };
              process.stderr.write("Ready.\\n");
            });
          `),
        ],
      );
      child.signal("SIGUSR2");
      await child.shows("stderr", /Ready/);
      const { exitCode, stderr } = await execute(desk, ["player", "add", "Bob"]);
      assert.deepEqual([exitCode, stderr], [0, ""]);
    });
  }
});

describe("beside a command that is stopped", () => {
  it("another one names its process and exits with 1", {
    skip: process.platform === "linux" ? false : "only Linux says in a file that a process is stopped",
  }, async (t) => {
    const desk = await seededDesk(t);
    const holding = moduleOf(`
        import { open } from "node:fs/promises";
        const file = await open(process.execPath);
        const form = Object.getPrototypeOf(file);
        await file.close();
        const { write } = form;
        form.write = function (bytes, ...given) {
          // The process id in the lock file.
          if (bytes.length < 20) return write.call(this, bytes, ...given);
          process.stderr.write("A sync is held up.\\n");
          return new Promise(() => setInterval(() => {}, 1000));
        };
      `);
    const holder = new CliProcess(desk, ["player", "add", "Ada"], [holding]);
    await holder.shows("stderr", /A sync is held up/);
    holder.signal("SIGSTOP");
    for (const command of ["player add Bob", "serve --port 0"]) {
      const { exitCode, stderr } = await execute(desk, command.split(" "));
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, new RegExp(`\\(${holder.pid}\\).*stopped`));
    }
  });
});

describe("when descriptors are exhausted", () => {
  it("in the service, a command reports that it runs and does not answer", { timeout }, async (t) => {
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
    child.signal("SIGUSR2");
    await child.shows("stderr", /Exhausted/);
    const { exitCode, stderr } = await execute(desk, ["player", "add", "Bob"]);
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, new RegExp(`process ${child.pid} is running.*descriptor`));
    assert.doesNotMatch(stderr, /has (?:just )?stopped|stopped before/);
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0, child.stderr);
  });

  it("in the command, it reports that", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    await serveProcess(desk);
    const onConnect = moduleOf(`
      import { Socket } from "node:net";
      import { exhaust } from ${JSON.stringify(moduleOf(exhaust))};
      const { connect } = Socket.prototype;
      Socket.prototype.connect = function (...all) { exhaust(); return connect.apply(this, all); };
    `);
    const command = new CliProcess(desk, ["--json", "player", "add", "Bob"], [onConnect], fewDescriptors);
    assert.equal(await command.ended, 1, command.stderr);
    const failure = JSON.parse(command.stdout) as FailureDocument;
    assert.match(failure.info, /This command has run out of file descriptors \(EMFILE\)/);
  });
});

describe("the lock file", () => {
  it("has the holder's process id while the folder is held, and is empty afterwards", {
    timeout,
  }, async (t) => {
    const desk = await seededDesk(t);
    const lock = (at: Desk) => readFile(join(at.data, "lock"), "utf8");
    const { child } = await serveProcess(desk);
    assert.equal(await lock(desk), `${child.pid}\n`);
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    assert.equal(await lock(desk), "");
  });
});
