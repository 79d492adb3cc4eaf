/** Methods of a service through its control socket, and what the client reports if it closes, stops or hangs meanwhile. */
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { assertFails, connected, silent, timers, unknownOutcome } from "./_control.ts";

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
    assert.deepEqual(await control.run("call", { path: "/x", parameters: [["a", "b"]], as: "Ada" }), {
      ok: true,
      body: {},
    });
    assert.deepEqual(sent, [
      "POST",
      "/call",
      "application/json",
      '{"path":"/x","parameters":[["a","b"]],"as":"Ada"}',
    ]);
    assert.equal(timers(), before);
  });

  it("a method that fails rejects with its error", async (t) => {
    const { control } = await connected(t, (response) => {
      response.end('{"error":{"code":"CONFLICT","message":"No.","hint":"Yes."}}');
    });
    await assertFails(control.run("data.snapshot", {}), { code: "CONFLICT", message: "No.", hint: "Yes." });
  });
});

describe("a method without an answer", () => {
  const kinds: Record<string, (response: ServerResponse, service: { close(): void }) => void> = {
    stops: (_response, service) => service.close(),
    "closes the connection": ({ socket }) => void socket?.destroy(),
    "sends half an answer": (response) => void response.end(sequence.slice(0, 10)),
    "sends JSON that is no answer": (response) => void response.end("{}"),
    "sends an error that is none": (response) => void response.end('{"error":null}'),
    "sends faults that are none": (response) =>
      void response.end('{"error":{"message":"No.","faultyFile":{"file":"a","faults":[null],"text":""}}}'),
    "closes the connection within an answer": (response) => {
      response.setHeader("Content-Length", "100");
      response.write(sequence, () => response.destroy());
    },
    "sends bytes that are not HTTP": ({ socket }) => void socket?.end("nonsense\r\n\r\n"),
  };
  for (const [what, answer] of Object.entries(kinds)) {
    it(`the outcome of a method is unknown if the service ${what}`, async (t) => {
      const service = await connected(t, (response) => answer(response, service));
      await assertFails(service.control.run("data.snapshot", {}), {
        code: "SHUTTING_DOWN",
        message:
          "The service closed the connection before it answered: it may have stopped, or have no free file descriptor.",
        hint: unknownOutcome,
      });
    });
  }
});

describe("a method that takes long", () => {
  /** Starts a method of a service that has received it, and whose timers advance when the test says so. */
  async function started(t: TestContext, lock: string) {
    const asked = new EventEmitter();
    const service = await connected(t, (response) => void asked.emit("method", response));
    await writeFile(join(service.folder, "lock"), lock);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let now = 0;
    t.mock.method(performance, "now", () => now);
    const isAsked = once(asked, "method");
    const armed = t.mock.method(globalThis, "setTimeout");
    let hasEnded = false;
    const running = service.control.run("data.snapshot", {}).finally(() => {
      hasEnded = true;
    });
    running.catch(() => {});
    const [response]: ServerResponse[] = await isAsked;
    assert.ok(response !== undefined, "the method was asked");
    return {
      ...service,
      running,
      response,
      hasEnded: () => hasEnded,
      pass(milliseconds: number): void {
        now += milliseconds;
        t.mock.timers.tick(milliseconds);
      },
      /** Does something after which the client waits for a sign of life again, or gives up. */
      async untilHandled(work: () => void): Promise<void> {
        const count = armed.mock.callCount();
        work();
        while (armed.mock.callCount() === count && !hasEnded) await new Promise(setImmediate);
      },
    };
  }

  it("continues as long as the service sends signs of life", async (t) => {
    const { running, response, pass, untilHandled } = await started(t, "");
    for (let second = 0; second < 100; second += 1) {
      await untilHandled(() => response.write(" "));
      pass(1_000);
    }
    response.end(sequence);
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
    it(`ends after three seconds without one, of a service ${what}`, async (t) => {
      const { running, folder, pass } = await started(t, lock);
      pass(3_000);
      await assertFails(running, silent(folder, `${unknownOutcome}${again}`, who));
    });
  }

  it("of a busy process ends after a minute without one", async (t) => {
    const { running, folder, pass, untilHandled, hasEnded } = await started(t, `${process.pid}\n`);
    for (let passed = 3; passed < 60; passed += 3) await untilHandled(() => pass(3_000));
    assert.equal(hasEnded(), false);
    pass(3_000);
    const hint = `${unknownOutcome} If it was stopped, \`kill -CONT ${process.pid}\` continues it.`;
    await assertFails(running, silent(folder, hint, `process ${process.pid}`));
  });
});
