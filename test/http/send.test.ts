/** Writing answers: through Node's response, and directly to a socket. */
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { sendRaw } from "../../src/http/send.ts";
import { inTime, openServer, requestFor } from "./_server.ts";

describe("an answer without a response of Node", () => {
  function send(t: TestContext) {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const socket = new Socket();
    const end = t.mock.method(socket, "end", () => socket).mock;
    const resume = t.mock.method(socket, "resume", () => socket).mock;
    const destroy = t.mock.method(socket, "destroy", () => socket).mock;
    sendRaw(socket, { status: 400, headers: ["A", "1", "B", "2"], body: Buffer.from("text") });
    return { socket, end, resume, destroy };
  }

  it("an answer is written as a status line, its headers and its body, and the rest of the input discarded", (t) => {
    const { end, resume } = send(t);
    const written = end.calls.map((call) => call.arguments);
    assert.deepEqual(written, [["HTTP/1.1 400 Bad Request\r\nA: 1\r\nB: 2\r\n\r\ntext"]]);
    assert.equal(resume.callCount(), 1);
  });

  it("a client has 2 s to close its side", (t) => {
    const { destroy } = send(t);
    t.mock.timers.tick(1_999);
    assert.equal(destroy.callCount(), 0);
    t.mock.timers.tick(1);
    assert.equal(destroy.callCount(), 1);
  });

  it("a closed connection is not waited for", (t) => {
    const { destroy, socket } = send(t);
    socket.emit("close");
    t.mock.timers.tick(10_000);
    assert.equal(destroy.callCount(), 0);
  });
});

describe("an answer with a response of Node", () => {
  for (const secure of [false, true]) {
    for (const length of [null, 0, 1, 65_535, 65_536, 65_537, 131_072, 262_145, 600_000]) {
      const what = length === null ? "no body" : `a body of ${length} bytes`;
      it(`an answer with ${what} arrives${secure ? " over TLS" : ""}`, inTime, async (t) => {
        const body = length === null ? null : Buffer.alloc(length, "x");
        const headers = ["Content-Length", String(length ?? 0)];
        const server = await openServer(
          t,
          { fetch: () => new Response(), answerPlain: () => ({ status: 200, headers, body }) },
          secure,
        );
        const { socket, closed } = await server.connect();
        socket.write(`${requestFor("/")}GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
        const [empty = "", ...answers] = (await closed).split("HTTP/1.1 200 OK\r\n");
        assert.equal(empty, "");
        const bodies = answers.map((answer) => answer.slice(answer.indexOf("\r\n\r\n") + 4));
        const text = "x".repeat(length ?? 0);
        assert.ok(bodies.length === 2 && bodies.every((body) => body === text), "both answers are whole");
      });
    }
  }
});
