/** Methods of a service through its control socket, and what the client reports if it closes, stops or hangs meanwhile. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { writeFile } from "node:fs/promises";
import http, { ClientRequest, type ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { assertFails, closes, connected, healthy, silent, timers, unknownOutcome } from "./_control.ts";

const timeout = 60_000;
const sequence = '{"result":{"sequence":5}}';

describe("a method of a service", () => {
  it("a method is sent as JSON with its arguments, and leaves no timer", async (t) => {
    const sent: unknown[] = [];
    const { control } = await connected(t, async (response, request) => {
      const { method, url, headers } = request;
      sent.push(method, url, headers["content-type"], String(await request.toArray()));
      response.end('{"result":{"ok":true,"body":{}}}');
    });
    const before = timers();
    assert.deepEqual(await control.call("/x", [["a", "b"]], "Ada"), { ok: true, body: {} });
    assert.deepEqual(sent, ["POST", "/call", "application/json", '["/x",[["a","b"]],"Ada"]']);
    assert.equal(timers(), before);
  });

  it("a method that fails rejects with its error", async (t) => {
    const { control } = await connected(t, (response) => {
      response.end('{"error":{"code":"CONFLICT","message":"No.","hint":"Yes."}}');
    });
    await assertFails(control.snapshot(), { code: "CONFLICT", message: "No.", hint: "Yes." });
  });
});

describe("a method without an answer", () => {
  const kinds: Record<string, (response: ServerResponse) => void> = {
    "closes the connection": ({ socket }) => void socket?.destroy(),
    "sends half an answer": (response) => void response.end(sequence.slice(0, 10)),
    "sends JSON that is no answer": (response) => void response.end("{}"),
    "sends an error that is none": (response) => void response.end('{"error":null}'),
    "sends faults that are none": (response) =>
      void response.end('{"error":{"message":"No.","file":"a","faults":[null]}}'),
    "closes the connection within an answer": (response) => {
      response.setHeader("Content-Length", "100");
      response.write(sequence, () => response.destroy());
    },
    "sends bytes that are not HTTP": ({ socket }) => void socket?.end("nonsense\r\n\r\n"),
  };
  for (const [what, answer] of Object.entries(kinds)) {
    it(`the outcome of a method is unknown if the service ${what}, and is healthy`, async (t) => {
      const { control, folder } = await connected(t, answer);
      await assertFails(control.snapshot(), closes(folder, unknownOutcome));
    });
  }

  it("the outcome of a method is unknown if the service closes all connections", async (t) => {
    const destroy = ({ socket }: ServerResponse) => void socket?.destroy();
    const { control, folder } = await connected(t, destroy, destroy);
    await assertFails(control.snapshot(), closes(folder, unknownOutcome));
  });

  it("the outcome of a method is unknown if the service stops", async (t) => {
    const service = await connected(t, () => service.close());
    await assertFails(service.control.snapshot(), {
      code: "SHUTTING_DOWN",
      message: "The service on the data folder stopped before it answered.",
      hint: unknownOutcome,
    });
  });

  it("the outcome of a method is unknown if the service closes its connection, and is silent then", async (t) => {
    const asked = new EventEmitter();
    const { control, folder } = await connected(
      t,
      ({ socket }) => void socket?.destroy(),
      () => void asked.emit("asked"),
    );
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const isAsked = once(asked, "asked");
    const failed = assertFails(control.snapshot(), silent(folder, unknownOutcome));
    await isAsked;
    t.mock.timers.tick(3_000);
    await failed;
  });
});

describe("health checks during a method", () => {
  /** Starts a method, and a service whose answers to it and to health checks a test gives. */
  async function started(t: TestContext, lock: string) {
    const asked = new EventEmitter();
    const methods: ServerResponse[] = [];
    const service = await connected(
      t,
      (response) => {
        methods.push(response);
        asked.emit("method");
      },
      (response) => void asked.emit("health", response),
    );
    await writeFile(join(service.folder, "lock"), lock);
    const isAsked = once(asked, "method");
    const running = service.control.snapshot();
    running.catch(() => {});
    await isAsked;
    return {
      ...service,
      running,
      finish: () => void methods[0]?.end(sequence),
      /** Resolves with the response to the next health check. Rejects if the method has ended. */
      async check(): Promise<ServerResponse> {
        const ended = running.then(() => assert.fail("the method has ended"));
        const [response] = await Promise.race([once(asked, "health"), ended]);
        return response;
      },
    };
  }

  it("a method continues while the service closes the connections of health checks", {
    timeout,
  }, async (t) => {
    const { check, running, finish } = await started(t, "");
    // Four attempts make a health check; the fifth belongs to another one.
    for (let attempt = 1; attempt <= 4; attempt += 1) (await check()).destroy();
    (await check()).destroy();
    finish();
    assert.deepEqual(await running, { sequence: 5 });
  });

  it("a method continues while health checks answer with an error", { timeout }, async (t) => {
    const { check, running, finish } = await started(t, "");
    (await check()).end('{"error":{"message":"No."}}');
    healthy(await check());
    finish();
    assert.deepEqual(await running, { sequence: 5 });
  });

  for (const [what, lock, who, again] of [
    ["whose process is unknown", "", "its process", ""],
    [
      "whose process has ended",
      "4294967294\n",
      "process 4294967294",
      " If it was stopped, `kill -CONT 4294967294` continues it.",
    ],
  ] as const) {
    it(`a method ends if a health check is silent, of a service ${what}`, { timeout }, async (t) => {
      const { check, running, folder } = await started(t, lock);
      t.mock.timers.enable({ apis: ["setTimeout"] });
      await check();
      t.mock.timers.tick(3_000);
      await assertFails(running, silent(folder, `${unknownOutcome}${again}`, who));
    });
  }

  it("a method of a busy process ends when no health check has been answered for 60 s", {
    timeout,
  }, async (t) => {
    let now = 0;
    t.mock.method(performance, "now", () => now);
    const { check, running, folder } = await started(t, `${process.pid}\n`);
    now = 10_000;
    healthy(await check());
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await check();
    now = 70_000;
    t.mock.timers.tick(3_000);
    await check();
    now = 70_001;
    t.mock.timers.tick(3_000);
    const hint = `${unknownOutcome} If it was stopped, \`kill -CONT ${process.pid}\` continues it.`;
    await assertFails(running, silent(folder, hint, `process ${process.pid}`));
  });

  /** Lets the health checks of a method find that nobody listens. Timers advance when the test says so. */
  async function stopping(t: TestContext) {
    const service = await started(t, "");
    service.stopListening();
    const requests = t.mock.method(http, "request").mock;
    t.mock.timers.enable({ apis: ["setTimeout"] });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      t.mock.timers.reset();
      syncBuiltinESMExports();
    });
    return { ...service, requests };
  }

  /** Resolves when a health check has found that nobody listens. */
  async function nobodyListens({ requests }: Awaited<ReturnType<typeof stopping>>): Promise<void> {
    for (let isFound = false; !isFound; ) {
      await new Promise(setImmediate);
      const request = requests.calls[0]?.result;
      isFound = request instanceof ClientRequest && request.closed;
    }
    await new Promise(setImmediate);
  }

  it("a method of a service that no longer listens may finish", { timeout }, async (t) => {
    const service = await stopping(t);
    await nobodyListens(service);
    t.mock.timers.tick(14_000);
    await new Promise(setImmediate);
    service.finish();
    assert.deepEqual(await service.running, { sequence: 5 });
  });

  it("a method of a service that no longer listens ends after 15 s", { timeout }, async (t) => {
    const service = await stopping(t);
    await nobodyListens(service);
    t.mock.timers.tick(15_000);
    await assertFails(service.running, silent(service.folder, unknownOutcome));
  });
});
