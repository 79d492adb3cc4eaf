/** Failures of standard output and standard error, which never end a service. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { onlyInFull } from "../../_depth.ts";
import { CliProcess, environment, main, serveProcess } from "../_process.ts";
import { type Desk, emptyDesk, seededDesk } from "../_setup.ts";

const timeout = 180_000;

/** Waits until a service runs on the data. Returns its process id. */
async function holderOf(desk: Desk): Promise<number> {
  for (;;) {
    const { stdout } = await desk.run(["data", "status"]);
    const [, pid] = /^holder\s+process (\d+) serves it/m.exec(stdout) ?? [];
    if (pid !== undefined) return Number(pid);
    await setTimeout(50);
  }
}

/** Sends requests on one connection, and waits for as many answers. */
async function requestMany(base: string, token: string, count: number): Promise<void> {
  const { hostname, port, pathname } = new URL(base);
  const socket = connect(Number(port), hostname);
  const start = "HTTP/1.1 200 ";
  let answers = 0;
  let rest = "";
  const answered = new Promise<void>((resolve, reject) => {
    socket.on("error", reject).on("close", () => reject(new Error(`${answers} answers of ${count}`)));
    socket.setEncoding("latin1").on("data", (text: string) => {
      // The start of an answer can be in two pieces.
      const pieces = `${rest}${text}`.split(start);
      answers += pieces.length - 1;
      rest = pieces.at(-1)?.slice(1 - start.length) ?? "";
      if (answers >= count) resolve();
    });
  });
  const request = `HEAD ${pathname}/${token}/player/groups HTTP/1.1\r\nHost: here\r\n\r\n`;
  socket.write(request.repeat(count));
  await answered;
  socket.removeAllListeners("close").destroy();
}

/** The arguments of util-linux's `script` for a command on a terminal of its own. */
const onTerminal = (command: string) => ["-qefc", command, "/dev/null"];
const hasTerminals = spawnSync("script", onTerminal("true")).status === 0;

/** A shell's redirection for a process. */
const redirected = (redirection: string) => ["sh", "-c", `exec "$@" ${redirection}`, "sh"];

describe("a service whose log cannot be written", () => {
  for (const [what, redirection] of [
    ["the reader of both streams has gone, as with `serve 2>&1 | head -2`", "2>&1"],
    ["the disk is full", "2>/dev/full"],
  ] as const) {
    it(`goes on when ${what}`, { timeout }, async (t) => {
      const desk = await seededDesk(t);
      const { child, base, token } = await serveProcess(desk, [], [], redirected(redirection));
      child.closeOutput();
      for (let round = 0; round < 2; round += 1) await requestMany(base, token, 10);
      child.signal("SIGTERM");
      assert.equal(await child.ended, 0);
    });
  }

  it("counts what it drops for a reader that stalls, and stops although it stalls", {
    timeout,
  }, async (t) => {
    const desk = await seededDesk(t);
    const { child, base, token } = await serveProcess(desk, ["--limits", "off"]);
    child.stallErrors();
    await requestMany(base, token, 8_000);
    child.resumeErrors();
    const [, dropped] = await child.shows("stderr", /"dropped":(\d+)/);
    assert.ok(Number(dropped) > 0, dropped);
    assert.equal(child.stderr.split('"/player/groups"').length - 1 + Number(dropped), 8_000);
    child.stallErrors();
    await requestMany(base, token, 8_000);
    child.signal("SIGTERM");
    await child.exited;
    child.resumeErrors();
    assert.equal(await child.ended, 0);
  });

  it("starts and stops on a terminal that is stopped by Ctrl-S", {
    timeout,
    skip: hasTerminals ? onlyInFull : "there is no util-linux `script` here",
  }, async (t) => {
    const desk = await seededDesk(t);
    // The shell reads the line after the terminal has processed the Ctrl-S before it.
    const serve = `stty -echo; read line; exec ${process.execPath} ${main} serve --port 0`;
    const terminal = spawn("script", onTerminal(serve), {
      cwd: desk.folder,
      env: { ...environment, SHELL: "/bin/sh" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = once(terminal, "exit");
    desk.beforeClear(async () => {
      terminal.kill("SIGKILL");
      await ended;
    });
    terminal.stdin.write("\x13\n");
    const pid = await holderOf(desk);
    process.kill(pid, "SIGTERM");
    await ended;
    assert.match(await desk.ok("data", "status"), /no service runs on it/);
    assert.match(await desk.ok("data", "verify"), /no problems/);
  });

  const mayMount = spawnSync("unshare", ["-Urm", "true"]).status === 0;
  it("writes again when there is room on the disk", {
    skip: mayMount ? false : "unshare -Urm is not allowed here",
  }, async (t) => {
    const desk = await emptyDesk(t);
    const full = join(desk.folder, "full");
    // The shell waits for a line in a pipe before it frees space, and prints the log at the end.
    const script = `
        mkdir ${full}; mount -t tmpfs -o size=64k t ${full} || exit 9
        head -c 65536 /dev/zero > ${full}/ballast
        ( while [ ! -e ${desk.folder}/make-room ]; do sleep 0.05; done; rm ${full}/ballast ) &
        ( while [ ! -s ${full}/log ]; do sleep 0.05; done; touch ${desk.folder}/recovered; cat ${full}/log > ${desk.folder}/copy; touch ${desk.folder}/copied ) &
        exec "$@" 2> ${full}/log`;
    const wrapper = ["unshare", "-Urm", "sh", "-c", script, "sh"];
    const { base, token, child } = await serveProcess(desk, ["--limits", "off"], [], wrapper);
    await requestMany(base, token, 10);
    spawn("touch", [join(desk.folder, "make-room")]);
    for (;;) {
      await requestMany(base, token, 1);
      const copied = await readFile(join(desk.folder, "copied")).catch(() => undefined);
      if (copied !== undefined) break;
      await setTimeout(50);
    }
    assert.match(await readFile(join(desk.folder, "copy"), "utf8"), /"\/player\/groups"/);
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0, child.stderr);
  });
});

describe("another command whose output cannot be written", () => {
  it("reports that on standard error and exits with 1 when the disk is full", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    for (const args of [["--json", "routes", "list"], ["--help"]]) {
      const child = new CliProcess(desk, args, [], redirected(">/dev/full"));
      assert.equal(await child.ended, 1, `${args.join(" ")}: ${child.stderr}`);
      assert.match(child.stderr, /Cannot write to standard output: no space left on device \(ENOSPC\)\./);
      assert.doesNotMatch(child.stderr, /^\s+at /m);
    }
  });

  for (const [what, run] of [
    [
      "its reader is gone",
      async (desk: Desk) => {
        const child = new CliProcess(desk, ["--json", "token", "issue", "--public"]);
        child.closeOutput();
        return child;
      },
    ],
    [
      "the disk is full",
      async (desk: Desk) =>
        new CliProcess(desk, ["token", "issue", "--public"], [], redirected(">/dev/full")),
    ],
  ] as const) {
    it(`reports that an issued token could not be printed, and how to revoke it, when ${what}`, {
      timeout,
    }, async (t) => {
      const desk = await seededDesk(t);
      const child = await run(desk);
      assert.equal(await child.ended, 1);
      const [{ id } = { id: "" }] = await desk.json<{ id: string }[]>("token", "list");
      assert.match(child.stderr, new RegExp(`The token ${id} was issued, but could not be printed`));
      assert.match(child.stderr, new RegExp(`token revoke ${id}`));
      assert.doesNotMatch(child.stderr, /gat_/);
    });
  }

  it("reports that codes could not be printed, and what undoes that", { timeout }, async (t) => {
    const desk = await emptyDesk(t);
    await desk.ok("player", "add", "Bob");
    const args = ["token", "invite", "--player", "Bob"];
    for (const hint of [/could not be printed\.(?!.*undo)/s, /`addon-cli undo 4` returns to the codes/]) {
      const child = new CliProcess(desk, args, [], redirected(">/dev/full"));
      assert.equal(await child.ended, 1);
      assert.match(child.stderr, hint);
    }
  });

  it("exits with 0 when the reader has seen enough, unless it fails itself", { timeout }, async (t) => {
    const desk = await seededDesk(t);
    for (const args of [
      ["routes", "list"],
      ["can-i", "public", "/player/add"],
    ]) {
      const child = new CliProcess(desk, args);
      child.closeOutput();
      assert.equal(await child.ended, Number(args[0] === "can-i"), child.stderr);
    }
  });

  it("does its work when its remarks cannot be written", { timeout }, async (t) => {
    const desk = await emptyDesk(t);
    const child = new CliProcess(desk, ["player", "add", "Ada"], [], redirected("2>/dev/full"));
    assert.equal(await child.ended, 0);
    assert.match(await desk.ok("player", "list"), /^Ada\t/);
  });
});

it("a file as standard output gets all of it", async (t) => {
  const desk = await emptyDesk(t);
  const line = `"${process.execPath}" "${main}" routes schema > schema.json`;
  assert.equal(spawnSync("sh", ["-c", line], { cwd: desk.folder, env: environment, timeout }).status, 0);
  assert.equal(await readFile(join(desk.folder, "schema.json"), "utf8"), await desk.ok("routes", "schema"));
});
