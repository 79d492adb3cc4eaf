/** The server of the control socket: its limits, and how it closes. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { connect, Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { connectControl, ServiceGone } from "../src/control/client.ts";
import type { Control } from "../src/control/control.ts";
import { startControl } from "../src/control/server.ts";

const timeout = 180_000;
const holder = { pid: 7, url: "http://here", since: 0 };

/** Returns a control with some methods; the others reject. */
function controlWith(methods: Partial<Control>): Control {
  const missing = () => Promise.reject(new Error("not part of this test"));
  return {
    administer: missing,
    call: missing,
    vocabulary: missing,
    snapshot: missing,
    previewRestore: missing,
    restoreRecords: missing,
    undo: missing,
    reloadRoutes: missing,
    routesStatus: missing,
    diffRoutes: missing,
    canI: missing,
    whoCan: missing,
    readiness: missing,
    holder: async () => holder,
    ...methods,
  };
}

async function listen(t: TestContext, methods: Partial<Control> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-control-"));
  const server = await startControl(folder, controlWith(methods), { drainMilliseconds: 500 });
  t.after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  return { folder, server, path: join(folder, "socket") };
}

/** Opens a connection; `closed` resolves when it is closed. */
function open(t: TestContext, path: string): { socket: Socket; closed: Promise<unknown> } {
  const socket = connect(path);
  t.after(() => socket.destroy());
  const closed = new Promise((resolve) => void socket.on("error", () => {}).once("close", resolve));
  return { socket: socket.resume(), closed };
}

it("the control socket refuses a body that is too large, and continues", { timeout }, async (t) => {
  const { folder, path } = await listen(t);
  const answer = await new Promise<string>((resolve) => {
    const asking = request({ socketPath: path, path: "/holder", method: "POST" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("close", () => resolve(text));
    });
    asking.on("error", () => resolve("closed"));
    asking.setHeader("Content-Type", "application/json");
    asking.end(JSON.stringify(["x".repeat(9 * 1024 * 1024)]));
  });
  assert.ok(!answer.includes('"pid"'), answer);
  assert.deepEqual(await (await connectControl(folder))?.holder(), holder);
});

it("the control socket closes connections beyond its limit", { timeout }, async (t) => {
  const { folder, path } = await listen(t);
  const connections = Array.from({ length: 70 }, () => open(t, path));
  await Promise.any(connections.map(({ closed }) => closed));
  for (const { socket } of connections) socket.destroy();
  assert.deepEqual(await (await connectControl(folder))?.holder(), holder);
});

it("the control socket closes a connection without a complete request", { timeout }, async (t) => {
  const { path } = await listen(t);
  const idle = open(t, path);
  const half = open(t, path);
  half.socket.write("POST /holder HTTP/1.1\r\nHost: here\r\n");
  await Promise.all([idle.closed, half.closed]);
});

it("the control socket closes despite an endless operation, and finishes others", { timeout }, async (t) => {
  let finish: (() => void) | undefined;
  let hasBegun = false;
  const { folder, server } = await listen(t, {
    snapshot: () => new Promise((resolve) => (finish = () => resolve({ sequence: 5 }))),
    vocabulary: () => new Promise(() => (hasBegun = true)),
  });
  const control = await connectControl(folder);
  assert.ok(control !== undefined, "the socket is reached");
  const finished = control.snapshot();
  const endless = assert.rejects(control.vocabulary(), /stopped before it answered/);
  while (finish === undefined || !hasBegun) await new Promise(setImmediate);
  const closed = server.close();
  finish();
  assert.deepEqual(await finished, { sequence: 5 });
  await closed;
  await endless;
});

for (const [before, untouched] of [
  ["no request", true],
  ["an answer", false],
] as const) {
  it(`a control whose service stops after ${before} says whether a command may start again`, {
    timeout,
  }, async (t) => {
    const { folder, server } = await listen(t);
    const control = await connectControl(folder);
    assert.ok(control !== undefined, "the socket is reached");
    if (!untouched) assert.deepEqual(await control.holder(), holder);
    await server.close();
    await assert.rejects(control.snapshot(), (error) => {
      assert.ok(error instanceof ServiceGone, String(error));
      assert.equal(error.untouched, untouched);
      return true;
    });
    assert.equal(await connectControl(folder), undefined);
  });
}

it("the control socket reports each connection that it cannot accept", { timeout }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-control-"));
  t.after(() => rm(folder, { recursive: true }));
  const listen = t.mock.method(Server.prototype, "listen");
  const warnings: string[] = [];
  const warn = (message: string, error: unknown) => void warnings.push(`${message} ${error}`);
  const server = await startControl(folder, controlWith({}), { warn });
  t.after(() => server.close());
  const listening = listen.mock.calls[0]?.this;
  assert.ok(listening instanceof Server, "the server listens");
  for (const number of [1, 2]) listening.emit("error", new Error(`EMFILE ${number}`));
  const expected = [1, 2].map((number) => `The control socket failed. Error: EMFILE ${number}`);
  assert.deepEqual(warnings, expected);
  assert.deepEqual(await (await connectControl(folder))?.holder(), holder);
});
