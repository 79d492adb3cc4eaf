/** Many commands at once, each a process: on a folder without a service, beside one, and beside one that dies. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { Service } from "../../src/service.ts";
import { buildProject } from "../_build.ts";
import { temporaryFolder } from "../_setup.ts";

const endings: (() => unknown)[] = [];
const own = { after: (end: () => unknown) => void endings.push(end) } as Parameters<
  typeof temporaryFolder
>[0];
after(async () => {
  for (const end of endings.reverse()) await end();
});
const root = await temporaryFolder(own);
const main = await buildProject(root);
const env = { PATH: process.env.PATH, HOME: process.env.HOME };

interface Ran {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(folder: string, ...args: string[]): Promise<Ran> {
  const given = [main, "--data", join(folder, "data"), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, given, { cwd: folder, env, timeout: 120_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? null), stdout, stderr }),
    );
  });
}

/** Registers players, all at once. */
function addPlayers(folder: string, count: number): Promise<Ran[]> {
  return Promise.all(
    Array.from({ length: count }, (_, number) => run(folder, "player", "add", `P${number}`)),
  );
}

function assertDone(all: readonly Ran[]): void {
  for (const { code, stderr } of all) assert.equal(code, 0, stderr);
}

/** The players' names, as a command lists them. */
async function playersOf(folder: string): Promise<string[]> {
  const { stdout, stderr, code } = await run(folder, "--json", "player", "list");
  assert.equal(code, 0, stderr);
  return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort();
}

const names = (count: number) => Array.from({ length: count }, (_, number) => `P${number}`).sort();

/** Starts a service, and waits until it listens. */
async function serve(folder: string): Promise<ChildProcess> {
  const args = [main, "--data", join(folder, "data"), "serve", "--port", "0"];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  own.after(() => child.kill("SIGKILL"));
  const ended = once(child, "exit").then(() => assert.fail(`the service did not start: ${said}`));
  ended.catch(() => {});
  await Promise.race([once(child.stdout, "data"), ended]);
  child.stdout.resume();
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

describe("20 commands at once", () => {
  it("on an empty folder all succeed, one after another, and none of their changes is lost", async () => {
    const folder = await temporaryFolder(own);
    assertDone(await addPlayers(folder, 20));
    assert.deepEqual(await playersOf(folder), names(20));
    // Only the first command seeds the names.
    const service = await Service.open({ folder: join(folder, "data"), routes: join(folder, "routes.yaml") });
    assert.equal(new Set(service.vocabulary().group).size, service.vocabulary().group.length);
    assert.deepEqual(service.store.warnings, []);
    await service.close();
  });

  it("beside a running service all succeed, and none of their changes is lost when it is killed", async () => {
    const folder = await temporaryFolder(own);
    const service = await serve(folder);
    assertDone(await addPlayers(folder, 20));
    assert.deepEqual(await playersOf(folder), names(20));
    await end(service, "SIGKILL");
    assert.deepEqual(await playersOf(folder), names(20));
  });
});

describe("commands beside a service that ends meanwhile", () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it(`by ${signal}: acknowledged changes exist, and the others advise what to do`, async () => {
      const folder = await temporaryFolder(own);
      const service = await serve(folder);
      const adding = addPlayers(folder, 8);
      // Some come before, some while, some after.
      await Promise.race([adding, run(folder, "player", "list")]);
      await end(service, signal);
      const ran = await adding;
      const players = await playersOf(folder);
      for (const [number, { code, stderr }] of ran.entries()) {
        if (code === 0) assert.ok(players.includes(`P${number}`), `P${number} is lost`);
        else assert.match(stderr, /stopped|shutting down/);
      }
    });
  }
});
