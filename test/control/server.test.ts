/** The server of the control socket: its limits, and how it closes. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { connect, createServer, Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { connectControl, ServiceGone } from "../../src/control/client.ts";
import { controlOf, type OperationName } from "../../src/control/operations.ts";
import { type Runner, startControl } from "../../src/control/server.ts";
import { Failure } from "../../src/domain/errors.ts";
import { openWorld } from "../_setup.ts";

const timeout = 180_000;
const holder = { pid: 7, url: "http://here", since: 0 };

/** What some operations do in a test. */
type Answers = Partial<Record<OperationName, (input: object, signal: AbortSignal) => Promise<unknown>>>;

/** Returns what runs some operations; the others reject. */
function runnerOf(answers: Answers): Runner {
  const all: Answers = { holder: async () => holder, ...answers };
  return {
    run: async (name, input, signal) => {
      const answer = all[name] ?? assert.fail(`${name} is not part of this test`);
      return answer(input, signal);
    },
  };
}

async function listen(
  t: TestContext,
  answers: Answers = {},
  runner = runnerOf(answers),
  options: Parameters<typeof startControl>[2] = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-control-"));
  const server = await startControl(folder, runner, { drainMilliseconds: 500, ...options });
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

/** Sends a body to an operation; returns the answer. */
function post(path: string, name: string, body: string): Promise<string> {
  return new Promise<string>((resolve) => {
    let text = "";
    const asking = request(
      { socketPath: path, path: `/${name}`, method: "POST", agent: false },
      (response) => {
        response.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
        });
        response.on("close", () => resolve(text));
      },
    );
    asking.on("error", () => resolve(text));
    asking.setHeader("Content-Type", "application/json");
    asking.end(body);
  });
}

for (const [what, name, head, body, code] of [
  [
    "the body of an unknown operation",
    "player.fly",
    "Content-Length: 1048576",
    "{}".padEnd(1048576),
    "UNKNOWN_ENTRY",
  ],
  [
    "a body in chunks",
    "holder",
    "Transfer-Encoding: chunked",
    `${"2\r\n{}\r\n"}0\r\n\r\n`,
    "PARAMETER_INVALID",
  ],
  [
    "a body that is too large",
    "holder",
    `Content-Length: ${52 * 1024 * 1024}`,
    "{}".padEnd(52 * 1024 * 1024),
    "PARAMETER_INVALID",
  ],
  ["no JSON", "holder", "Content-Length: 1", "{", "PARAMETER_INVALID"],
  ["an array", "holder", "Content-Length: 2", "[]", "PARAMETER_INVALID"],
  ["null", "holder", "Content-Length: 4", "null", "PARAMETER_INVALID"],
] as const) {
  it(`the control socket reads ${what} to its end before it refuses it`, { timeout }, async (t) => {
    const { path } = await listen(t);
    const { socket, closed } = open(t, path);
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    socket.write(`POST /${name} HTTP/1.1\r\nHost: a\r\n${head}\r\nConnection: close\r\n\r\n`);
    // The service answers questions of others meanwhile: by then it has read the head.
    await post(path, "holder", "{}");
    assert.equal(text, "");
    socket.end(body);
    await closed;
    assert.match(text, new RegExp(`"code":"${code}"`));
  });
}

it("a large input that arrives late is not cut off while its operation runs", { timeout }, async (t) => {
  const intervals = t.mock.method(globalThis, "setInterval");
  const { folder } = await listen(t, {
    "routes.reload": async (input) => {
      const now = performance.now() + 5_000;
      t.mock.method(performance, "now", () => now);
      // The search for connections on which endless bytes arrive.
      intervals.mock.calls[0]?.arguments[0]();
      return input;
    },
  });
  const input = { revision: "x".repeat(1024 * 1024) };
  assert.deepEqual(await (await connectControl(folder))?.run("routes.reload", input), input);
});

it("the control socket refuses what is not an operation, or not its input", { timeout }, async (t) => {
  const { service } = await openWorld(t);
  const environment = { ...service.environment, service: async () => service, holder };
  const { path } = await listen(t, {}, controlOf(environment));
  const text = "x".repeat(1024 * 1024 + 1);
  for (const [name, input, code, message] of [
    ["player.fly", {}, "UNKNOWN_ENTRY", 'The running service has no operation "player.fly".'],
    ["toString", {}, "UNKNOWN_ENTRY", 'The running service has no operation "toString".'],
    ["holder", { x: 1 }, "PARAMETER_INVALID", 'This operation has no option "x".'],
    [
      "call",
      { path: "/x" },
      "PARAMETER_INVALID",
      'Invalid key: Expected "parameters" but received undefined.',
    ],
    [
      "who-can",
      { path: 5, parameters: [] },
      "PARAMETER_INVALID",
      "Invalid type: Expected string but received 5.",
    ],
    [
      "routes.diff",
      { after: { file: "a", text } },
      "PARAMETER_INVALID",
      "Expected a table of at most 1048576 bytes.",
    ],
  ] as const) {
    const { error } = JSON.parse(await post(path, name, JSON.stringify(input)));
    assert.deepEqual([error.code, error.message], [code, message]);
    assert.match(error.hint ?? "restart", /restart/);
  }
});

it("the control socket counts no value in a text", { timeout }, async (t) => {
  const { path } = await listen(t, { "routes.reload": async (input) => input });
  const input = { revision: '[{,"\\'.repeat(200_000) };
  const answer = await post(path, "routes.reload", JSON.stringify(input));
  assert.deepEqual(JSON.parse(answer), { result: input });
});

it("the control socket closes connections beyond its limit", { timeout }, async (t) => {
  const { folder, path } = await listen(t);
  const connections = Array.from({ length: 70 }, () => open(t, path));
  await Promise.any(connections.map(({ closed }) => closed));
  for (const { socket } of connections) socket.destroy();
  assert.deepEqual(await (await connectControl(folder))?.run("holder", {}), holder);
});

it("the control socket closes despite an endless operation, and finishes others", { timeout }, async (t) => {
  let finish: (() => void) | undefined;
  let hasBegun = false;
  const { folder, server } = await listen(t, {
    "data.snapshot": () => new Promise((resolve) => (finish = () => resolve({ sequence: 5 }))),
    vocabulary: () => new Promise(() => (hasBegun = true)),
  });
  const control = await connectControl(folder);
  assert.ok(control !== undefined, "the socket is reached");
  const finished = control.run("data.snapshot", {});
  const endless = assert.rejects(control.run("vocabulary", {}), /before it answered/);
  while (finish === undefined || !hasBegun) await new Promise(setImmediate);
  const closed = server.close();
  finish();
  assert.deepEqual(await finished, { sequence: 5 });
  await closed;
  await endless;
});

it("an operation learns when its command ends before the answer", { timeout }, async (t) => {
  const signals: AbortSignal[] = [];
  let isHeld = false;
  const { path } = await listen(t, {
    undo: (_input, signal) => {
      signals.push(signal);
      return isHeld ? new Promise(() => {}) : Promise.resolve(null);
    },
  });
  const send = () => {
    const asking = request({ socketPath: path, path: "/undo", method: "POST", agent: false });
    asking.on("error", () => {}).setHeader("Content-Type", "application/json");
    return asking.end('{"sequence":1}');
  };
  const [response] = await once(send(), "response");
  await once(response.resume(), "close");
  isHeld = true;
  const held = send();
  while (signals.length < 2) await new Promise(setImmediate);
  const [answered, abandoned] = signals;
  assert.ok(answered !== undefined && abandoned !== undefined, "each has a signal");
  assert.equal(abandoned.aborted, false);
  const ended = once(abandoned, "abort");
  held.destroy();
  await ended;
  assert.equal(answered.aborted, false);
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
    if (!untouched) assert.deepEqual(await control.run("holder", {}), holder);
    await server.close();
    await assert.rejects(control.run("data.snapshot", {}), (error) => {
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
  const server = await startControl(folder, runnerOf({}), { warn });
  t.after(() => server.close());
  const listening = listen.mock.calls[0]?.this;
  assert.ok(listening instanceof Server, "the server listens");
  for (const number of [1, 2]) listening.emit("error", new Error(`EMFILE ${number}`));
  const expected = [1, 2].map((number) => `The control socket failed. Error: EMFILE ${number}`);
  assert.deepEqual(warnings, expected);
  assert.deepEqual(await (await connectControl(folder))?.run("holder", {}), holder);
});

it("only the user of the service can open the control socket, and other files keep their permissions", async (t) => {
  const before = process.umask(0o022);
  t.after(() => process.umask(before));
  const { path } = await listen(t);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(process.umask(), 0o022);
});

it("the control socket replaces one that a dead service has left, and disappears when it closes", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-control-"));
  t.after(() => rm(folder, { recursive: true }));
  const [path, former] = [join(folder, "socket"), join(folder, "former")];
  // Node deletes a socket by the name under which it was opened.
  const dead = createServer().listen(former);
  await once(dead, "listening");
  await rename(former, path);
  dead.close();
  await once(dead, "close");
  assert.ok((await stat(path)).isSocket());
  const server = await startControl(folder, runnerOf({}));
  assert.deepEqual(await (await connectControl(folder))?.run("holder", {}), holder);
  await server.close();
  await assert.rejects(stat(path), { code: "ENOENT" });
});

it("the control socket cannot be opened in a folder that does not exist", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-control-"));
  t.after(() => rm(folder, { recursive: true }));
  await assert.rejects(startControl(join(folder, "none"), runnerOf({})), { syscall: "listen" });
});

it("the control socket closes when the operations under way are finished, and leaves no timer", {
  timeout,
}, async (t) => {
  const events: string[] = [];
  let finish: (() => void) | undefined;
  // Longer than the timeout of the test: a socket that waits for it fails the test.
  const drain = 10 * timeout;
  const { folder, server, path } = await listen(
    t,
    { "data.snapshot": () => new Promise((resolve) => (finish = () => resolve({ sequence: 5 }))) },
    undefined,
    { drainMilliseconds: drain },
  );
  const control = await connectControl(folder);
  const idle = open(t, path);
  await once(idle.socket, "connect");
  const finished = control?.run("data.snapshot", {}).then(() => events.push("finished"));
  while (finish === undefined) await new Promise(setImmediate);
  const [started, cleared] = [
    t.mock.method(globalThis, "setTimeout"),
    t.mock.method(globalThis, "clearTimeout"),
  ];
  const closed = server.close().then(() => events.push("closed"));
  const deadline = started.mock.calls.find((call) => call.arguments[1] === drain)?.result;
  assert.ok(deadline !== undefined, "there is a deadline");
  await idle.closed;
  assert.deepEqual(events, []);
  finish();
  await Promise.all([finished, closed]);
  assert.deepEqual(events.sort(), ["closed", "finished"]);
  assert.ok(cleared.mock.calls.some((call) => call.arguments[0] === deadline));
});

it("the control socket sends a sign of life each second until an operation is done", {
  timeout,
}, async (t) => {
  let finish: (() => void) | undefined;
  const { path } = await listen(t, {
    "data.snapshot": () => new Promise((resolve) => (finish = () => resolve({ sequence: 5 }))),
  });
  t.mock.timers.enable({ apis: ["setInterval"] });
  const answer = post(path, "data.snapshot", "{}");
  while (finish === undefined) await new Promise(setImmediate);
  t.mock.timers.tick(2_000);
  finish();
  assert.equal(await answer, '  {"result":{"sequence":5}}');
});

it("faults of the service are reported, refusals are not", { timeout }, async (t) => {
  const warnings: string[] = [];
  const warn = (message: string, error: unknown) => void warnings.push(`${message} ${error}`);
  const fail = (error: Error) => () => Promise.reject(error);
  const answers = {
    "data.snapshot": fail(new Failure("STORE_UNAVAILABLE", "The disk is full.")),
    "group.list": fail(new Error("a mistake")),
    "player.show": fail(new Failure("UNKNOWN_PLAYER", "There is no player.")),
  };
  const { path } = await listen(t, answers, runnerOf(answers), { warn });
  for (const name of Object.keys(answers)) await post(path, name, "{}");
  assert.deepEqual(warnings, [
    "The operation data.snapshot of a command failed. Failure: The disk is full.",
    "The operation group.list of a command failed. Error: a mistake",
  ]);
});
