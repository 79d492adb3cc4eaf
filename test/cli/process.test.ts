/** `addon-cli` as real processes: exit codes, signals, HTTPS, and nothing that a process leaves behind (contract, section 4). */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeCertificate } from "../_certificate.ts";
import { CliProcess, execute, serveProcess } from "./_process.ts";
import { type Desk, emptyDesk, seededDesk, tokenForm } from "./_setup.ts";

async function hasSnapshot(desk: Desk): Promise<boolean> {
  return [...(await desk.files()).keys()].some((name) => name.includes("snapshot"));
}

describe("a command in a process", () => {
  it("when it succeeds, fails or is mistyped, the process exits with 0, 1 or 2", async (t) => {
    const desk = await seededDesk(t);
    const done = await execute(desk, ["player", "add", "Ada"]);
    assert.deepEqual([done.exitCode, done.stderr], [0, ""]);
    const failed = await execute(desk, ["player", "show", "Nobody"]);
    assert.deepEqual([failed.exitCode, failed.stdout], [1, ""]);
    const mistyped = await execute(desk, ["playr"]);
    assert.deepEqual([mistyped.exitCode, mistyped.stdout], [2, ""]);
  });

  it("when a token is issued into a pipe, the pipe has the token and a line feed", async (t) => {
    const desk = await seededDesk(t);
    const { stdout, stderr } = await execute(desk, ["token", "issue", "--public"]);
    assert.match(stdout, new RegExp(`^${tokenForm.source}\n$`));
    assert.equal(stderr, "");
  });

  for (const form of ["text", "JSON"] as const) {
    it(`when its working directory was deleted, it exits with 1 and says what to do, as ${form}`, async (t) => {
      const desk = await seededDesk(t);
      const options = ["--data", desk.data, ...(form === "JSON" ? ["--json"] : [])];
      const child = new CliProcess(desk, [...options, "player", "list"], [leaveAndDelete(desk)]);
      assert.equal(await child.ended, 1);
      const info =
        "The working directory no longer exists. Change to a folder that exists, and repeat the command.";
      if (form === "JSON") assert.equal(JSON.parse(child.stdout).info, info);
      else assert.deepEqual([child.stdout, child.stderr], ["", `error: ${info}\n`]);
    });
  }

  it("when its working directory was deleted, a command that needs none works", async (t) => {
    const desk = await seededDesk(t);
    const child = new CliProcess(desk, ["player", "--help"], [leaveAndDelete(desk)]);
    assert.deepEqual([await child.ended, child.stderr], [0, ""]);
    assert.match(child.stdout, /^Usage: addon-cli player/);
  });

  it("when the reader of a pipe has gone, the process prints no stack trace", async (t) => {
    const desk = await seededDesk(t);
    const child = new CliProcess(desk, ["routes", "list"]);
    child.closeOutput();
    await child.ended;
    assert.doesNotMatch(child.stderr, /Unhandled|EPIPE|^\s+at /m);
  });
});

describe("serve in a process", () => {
  it("when it starts for the first time, the address that it prints answers 200; later it shows no token", async (t) => {
    const desk = await emptyDesk(t);
    const { child, open, base, token } = await serveProcess(desk);
    const response = await fetch(open);
    assert.equal(response.status, 200);
    assert.ok(Array.isArray(await response.json()));
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
    assert.doesNotMatch(child.stderr, tokenForm);
    assert.ok(await hasSnapshot(desk));

    const again = new CliProcess(desk, ["serve", "--port", "0"]);
    const [address = ""] = await again.shows("stdout", /http:\/\/127\.0\.0\.1:\d+/);
    assert.equal((await fetch(open.replace(new URL(base).origin, address))).status, 200);
    again.signal("SIGINT");
    assert.equal(await again.ended, 0);
    assert.ok(!`${again.stdout}${again.stderr}`.includes(token));
    assert.doesNotMatch(again.stdout + again.stderr, tokenForm);
  });

  it("when SIGTERM comes during a request, it is answered, and the process exits with 0 and a snapshot", async (t) => {
    const desk = await seededDesk(t);
    const { child, base, token, hold } = await serveHeld(desk);
    const answer = fetch(`${base}/${token}/event/gangwar?attacker=3&defender=4`);
    await hold.reached();
    child.signal("SIGTERM");
    await child.shows("stderr", /Stopping/);
    await hold.release();
    assert.equal((await answer).status, 200);
    assert.equal(await child.ended, 0);
    assert.ok(await hasSnapshot(desk));
    const { gangwar } = await desk.json<{ gangwar: unknown }>("call", "/event");
    assert.deepEqual(gangwar, { attacker: 3, defender: 4 });
  });

  it("when it is killed, what was answered before is there at the next start", async (t) => {
    const desk = await seededDesk(t);
    const { child, base, token } = await serveProcess(desk);
    assert.equal((await fetch(`${base}/${token}/event/gangwar?attacker=5&defender=6`)).status, 200);
    child.signal("SIGKILL");
    assert.equal(await child.ended, "SIGKILL");
    const { gangwar } = await desk.json<{ gangwar: unknown }>("call", "/event");
    assert.deepEqual(gangwar, { attacker: 5, defender: 6 });
  });

  it("when the port is busy, it exits with 1, names it, and does not use up the public token", async (t) => {
    const desk = await emptyDesk(t);
    const port = await busyPort(t);
    const { exitCode, stdout, stderr } = await execute(desk, ["serve", "--port", String(port)]);
    assert.equal(exitCode, 1);
    assert.doesNotMatch(stdout + stderr, tokenForm);
    assert.ok(stderr.includes(String(port)), stderr);
    assert.doesNotMatch(stderr, /^\s+at /m, "no stack is shown to the operator");
    const { open } = await serveProcess(desk);
    assert.equal((await fetch(open)).status, 200);
  });

  it("when routes.yaml has a fault, it exits with 1 and prints line and column", async (t) => {
    const desk = await seededDesk(t);
    const table = await readFile(join(desk.folder, "routes.yaml"), "utf8");
    const line = table
      .split("\n")
      .findIndex((each) => each.includes("{ group: TARGETLIST }") && !each.startsWith("#"));
    const lines = table.split("\n").with(line, "    restriction: { group: TARGETLST }");
    await desk.write("routes.yaml", lines.join("\n"));
    const { exitCode, stdout, stderr } = await execute(desk, ["serve", "--port", "0"]);
    assert.equal(exitCode, 1);
    assert.equal(stdout, "");
    assert.ok(stderr.includes(`routes.yaml:${line + 1}:27: `), stderr);
    assert.match(stderr, /Did you mean "TARGETLIST"/);
  });

  it("when --https is given a certificate, the address is https and answers", async (t) => {
    const desk = await emptyDesk(t);
    const certificate = await makeCertificate(desk.folder);
    const { open, child } = await serveProcess(desk, ["--https", "--cert", "cert.pem", "--key", "key.pem"]);
    assert.match(open, /^https:\/\/127\.0\.0\.1:\d+\//);
    assert.equal(await statusOf(open, certificate), 200);
    child.signal("SIGTERM");
    assert.equal(await child.ended, 0);
  });
});

/** Returns a module that changes to a folder and deletes it. */
function leaveAndDelete(desk: Desk): string {
  const folder = JSON.stringify(join(desk.folder, "gone"));
  const code = `
    import { mkdirSync, rmdirSync } from "node:fs";
    mkdirSync(${folder});
    process.chdir(${folder});
    rmdirSync(${folder});
  `;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Returns a port on which something else listens. */
async function busyPort(t: TestContext): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => void server.close(resolve)));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

function statusOf(url: string, certificate: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { ca: certificate, agent: false }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    })
      .once("error", reject)
      .end();
  });
}

/** Keeps a service from syncing, so that a request is under way. */
interface Hold {
  /** Settles when a sync is blocked. */
  reached(): Promise<unknown>;
  release(): Promise<void>;
}

/** Serves a folder as a process whose next sync waits until it is released. */
async function serveHeld(desk: Desk): Promise<Awaited<ReturnType<typeof serveProcess>> & { hold: Hold }> {
  const held = join(desk.folder, "held");
  const preload = `
    import { existsSync } from "node:fs";
    import { open } from "node:fs/promises";
    import { setTimeout } from "node:timers/promises";
    const file = await open(process.execPath);
    const form = Object.getPrototypeOf(file);
    await file.close();
    for (const name of ["write", "sync", "datasync"]) {
      const original = form[name];
      form[name] = async function (...given) {
        if (existsSync(${JSON.stringify(held)})) process.stderr.write("A sync is held up.\\n");
        while (existsSync(${JSON.stringify(held)})) await setTimeout(5);
        return original.apply(this, given);
      };
    }
  `;
  const serving = await serveProcess(desk, [], [`data:text/javascript,${encodeURIComponent(preload)}`]);
  await writeFile(held, "");
  return {
    ...serving,
    hold: {
      reached: () => serving.child.shows("stderr", /A sync is held up/),
      release: () => rm(held),
    },
  };
}
