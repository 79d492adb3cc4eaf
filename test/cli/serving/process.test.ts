/** `addon-cli` as real processes: exit codes, signals, HTTPS, journals, limits of the system. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fstatSync } from "node:fs";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { isOutputKept } from "../../../cli/terminal/kept-output.ts";
import { unavailable } from "../../_strace.ts";
import {
  CliProcess,
  environment,
  execute,
  main,
  moduleOf,
  replacingWrites,
  serveProcess,
} from "../_process.ts";
import { type Desk, emptyDesk, seededDesk, toDocument, tokenForm } from "../_setup.ts";

const timeout = 120_000;
const onLinux = process.platform === "linux" ? false : "there is no /proc";

describe("a command in a process", { timeout }, () => {
  it("exits with 0, 1 or 2, with a token alone on standard output", async (t) => {
    const desk = await seededDesk(t);
    const [done, failed, mistyped] = await Promise.all([
      execute(desk, ["token", "issue", "--public"]),
      execute(desk, ["player", "show", "Nobody"]),
      execute(desk, ["playr"]),
    ]);
    assert.deepEqual([done.exitCode, done.stderr], [0, ""]);
    assert.match(done.stdout, new RegExp(`^${tokenForm.source}\n$`));
    assert.deepEqual([failed.exitCode, failed.stdout], [1, ""]);
    assert.deepEqual([mistyped.exitCode, mistyped.stdout], [2, ""]);
  });

  it("whose working directory was deleted exits with 1 and says what to do, unless it needs none", async (t) => {
    const desk = await seededDesk(t);
    const run = async (name: string, ...args: string[]) => {
      const folder = JSON.stringify(join(desk.folder, name));
      const leave = `import { mkdirSync, rmdirSync } from "node:fs";
        mkdirSync(${folder}); process.chdir(${folder}); rmdirSync(${folder});`;
      const child = new CliProcess(desk, args, [moduleOf(leave)]);
      return { exitCode: await child.ended, stdout: child.stdout, stderr: child.stderr };
    };
    const info =
      "The working directory no longer exists. Change to a folder that exists, and repeat the command.";
    const text = await run("one", "--data", desk.data, "player", "list");
    assert.deepEqual(text, { exitCode: 1, stdout: "", stderr: `error: ${info}\n` });
    const json = await run("two", "--json", "--data", desk.data, "player", "list");
    assert.equal(toDocument<{ info: string }>(json.stdout).info, info);
    const help = await run("three", "player", "--help");
    assert.deepEqual([help.exitCode, help.stderr], [0, ""]);
  });

  it("reads a backup from standard input if that is a file, and refuses a pipe", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("player", "add", "Dora");
    const args = ["--json", "data", "restore", "/dev/stdin", "--yes"];
    const piped = new CliProcess(desk, args, [], ["sh", "-c", 'cat b.gz | "$@"', "sh"]);
    assert.equal(await piped.ended, 1, piped.stderr);
    assert.match(piped.stdout, /\/dev\/stdin is a pipe instead of a regular file/);
    const child = new CliProcess(desk, args, [], ["sh", "-c", 'exec "$@" < b.gz', "sh"]);
    assert.equal(await child.ended, 0, child.stderr);
    assert.equal(await desk.ok("player", "list"), "");
  });
});

describe("serve in a process", { timeout }, () => {
  it("answers a request that is under way when it is stopped, and shows its token only once", async (t) => {
    const desk = await emptyDesk(t);
    const held = join(desk.folder, "held");
    const body = `
      const { existsSync } = await import("node:fs");
      if (existsSync(${JSON.stringify(held)})) process.stderr.write("A write is held up.\\n");
      while (existsSync(${JSON.stringify(held)})) await setTimeout(5);
      return write.apply(this, given);`;
    const { child, open: url, base, token } = await serveProcess(desk, [], [replacingWrites(body, "start")]);
    assert.equal((await fetch(url)).status, 200);
    assert.equal(await readFile(join(desk.data, "lock"), "utf8"), `${child.pid}\n`);
    await writeFile(held, "");
    const answer = fetch(`${base}/${token}/event/gangwar?attacker=3&defender=4`);
    await child.shows("stderr", /A write is held up/);
    child.signal("SIGTERM");
    await child.shows("stderr", /Stopping/);
    await rm(held);
    assert.equal((await answer).status, 200);
    assert.equal(await child.ended, 0);
    assert.doesNotMatch(child.stderr, tokenForm);
    assert.equal(await readFile(join(desk.data, "lock"), "utf8"), "");
    assert.ok([...(await desk.files()).keys()].some((name) => name.includes("snapshot")));
    assert.match(await desk.ok("call", "/event"), /"attacker": 3/);

    const again = new CliProcess(desk, ["serve", "--port", "0"]);
    await again.shows("stdout", /http:\/\/127\.0\.0\.1:\d+/);
    again.signal("SIGINT");
    assert.equal(await again.ended, 0);
    assert.doesNotMatch(again.stdout + again.stderr, tokenForm);
  });

  const streamOf = (descriptor: number) =>
    `export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/$$/fd/${descriptor}); exec "$@"`;
  for (const [output, script] of [
    ["standard output is the journal of systemd", streamOf(1)],
    ["standard error is the journal of systemd", streamOf(2)],
    ["standard output is a file", ': > out; tail --pid=$$ -f out & exec "$@" > out'],
  ] as const) {
    it(`issues no token if ${output}, and prints the command that does`, { skip: onLinux }, async (t) => {
      const desk = await emptyDesk(t);
      const child = new CliProcess(desk, ["serve", "--port", "0"], [], ["sh", "-c", script, "sh"]);
      const [, command = ""] = await child.shows("stdout", /^No public token was issued.* addon-cli (.*)$/m);
      assert.equal(command, `--data ${desk.data} token issue --public`);
      assert.match(await desk.ok(...command.split(" ")), tokenForm);
      child.signal("SIGTERM");
      assert.equal(await child.ended, 0);
      assert.doesNotMatch(child.stdout + child.stderr, tokenForm);
    });
  }

  it("recognises the journal by the device and the inode of a stream", async (t) => {
    const file = await open("/dev/null", "w");
    t.after(() => file.close());
    const { dev, ino } = fstatSync(file.fd, { bigint: true });
    const stream = `${dev}:${ino}`;
    assert.equal(isOutputKept(stream, 4095, file.fd), true);
    for (const other of [undefined, "", ":", `${dev}:${ino + 1n}`, `${dev}`, `${stream} `, "0:0"])
      assert.equal(isOutputKept(other, file.fd, file.fd), false, String(other));
    assert.equal(isOutputKept("8:12345", 4095, 4095), false);
  });

  it("locks out neither operators nor players by idle connections beyond the limit of open files", async (t) => {
    const desk = await emptyDesk(t);
    const limited = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"];
    const { open: url, token, base } = await serveProcess(desk, [], [], limited);
    const { hostname, port } = new URL(url);
    // A connection that is kept would be among the idle ones.
    const ask = (to: string) => fetch(to, { headers: { Connection: "close" } });
    const idle: Socket[] = [];
    t.after(() => idle.forEach((socket) => void socket.destroy()));
    let closed = 0;
    for (let number = 0; number < 512; number += 1) {
      const socket = connect(Number(port), hostname);
      idle.push(socket);
      socket.on("error", () => {});
      await new Promise<void>((resolve) => {
        socket.once("connect", resolve).once("close", () => {
          closed += 1;
          resolve();
        });
      });
      // The system accepts connections even if the service does not: only an answer shows that it does.
      if (number % 32 === 0) assert.equal((await ask(url)).status, 200);
    }
    await desk.ok("player", "add", "Ada");
    assert.equal((await ask(`${base}/${token}/event/gangwar?attacker=1&defender=2`)).status, 200);
    assert.ok(closed > 0 && closed < idle.length, `${closed} were closed`);
  });

  it("answers requests while the maximum number of streams is open", async (t) => {
    const desk = await emptyDesk(t);
    const limited = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh"];
    const { open: url, token, base } = await serveProcess(desk, ["--limits", "off"], [], limited);
    const ending = new AbortController();
    t.after(() => ending.abort());
    // The garbage collector closes those that nobody holds.
    const open: Response[] = [];
    const openAll = async (address: string) => {
      for (let count = 0; ; count += 1) {
        const response = await fetch(address, { signal: ending.signal });
        if (response.status !== 200) return [count, response.status];
        open.push(response);
      }
    };
    assert.deepEqual(await openAll(`${base}/${token}/stream`), [96, 503]);
    assert.deepEqual(await openAll(new URL("/overlay/gangwar/stream", url).href), [48, 503]);
    assert.equal((await fetch(`${base}/${token}/event`)).status, 200);
    assert.equal(open.length, 96 + 48);
  });
});

describe("a command that asks", {
  timeout,
  skip: unavailable("script", "-qefc", "true", "/dev/null"),
}, () => {
  for (const [where, redirection, shown] of [
    ["on a terminal reads the answer", "", /Remove Ada\? \[y\/N\] y\s+Removed Ada,/],
    ["does not ask where its input comes from elsewhere", "</dev/null", /there is nobody to ask/],
    ["does not ask where its remarks go elsewhere", "2>errors; cat errors", /there is nobody to ask/],
  ] as const) {
    it(where, async (t) => {
      const desk = await seededDesk(t);
      await desk.ok("player", "add", "Ada");
      const command = `${process.execPath} ${main} player remove Ada ${redirection}`;
      const { stdout } = spawnSync("script", ["-qefc", command, "/dev/null"], {
        cwd: desk.folder,
        env: { ...environment, SHELL: "/bin/sh" },
        input: "y\n",
        encoding: "utf8",
        timeout,
      });
      assert.match(stripVTControlCharacters(stdout), shown);
    });
  }
});

describe("a running service", { timeout }, () => {
  it("whose socket is deleted or replaced recreates it, and commands reach it again; without its lock it exits", async (t) => {
    const desk = await emptyDesk(t);
    const { child, base, token } = await serveProcess(desk);
    await rm(join(desk.data, "socket"));
    // The command does not find the service, waits for the folder, and then finds it.
    assert.equal((await execute(desk, ["player", "add", "Ada"])).exitCode, 0);
    await child.shows("stderr", /Recreated .*socket, which was deleted or replaced/);
    // A copy of the folder over it leaves a socket on which nobody listens.
    const copy = join(desk.data, "copy");
    assert.equal(spawnSync("cp", ["-a", join(desk.data, "socket"), copy]).status, 0);
    await rename(copy, join(desk.data, "socket"));
    assert.equal((await execute(desk, ["player", "add", "Bob"])).exitCode, 0);
    assert.equal((await fetch(`${base}/${token}/statistic/Ada`)).status, 200);
    await rm(join(desk.data, "lock"));
    assert.equal(await child.ended, 1);
    assert.match(child.stderr, /lock was moved, deleted or replaced while it was open.*Then start again/);
    assert.match(await desk.ok("data", "verify"), /no problems/);
  });

  it("whose folder is moved during a write exits, and says that the change may have been saved", async (t) => {
    const desk: Desk = await emptyDesk(t);
    const moved = `${desk.data}-2`;
    const move = `
      const result = await write.apply(this, given);
      form.write = write;
      (await import("node:fs")).renameSync(${JSON.stringify(desk.data)}, ${JSON.stringify(moved)});
      return result;`;
    const { child } = await serveProcess(desk, [], [replacingWrites(move)]);
    child.signal("SIGUSR2");
    await child.shows("stderr", /Ready/);
    const { exitCode, stderr } = await execute(desk, ["player", "add", "Ada"]);
    assert.equal(exitCode, 1);
    // The service may exit before it answers.
    assert.match(stderr, /may have been saved|The outcome of the command is unknown/);
    // systemd then does not start it again, with a new, empty folder.
    assert.equal(await child.ended, 2);
    assert.match(child.stderr, /was moved, deleted or replaced.* may have been saved.*put it back/);
    assert.match(await desk.ok("--data", "data-2", "player", "list"), /^Ada\t/m);
  });
});
