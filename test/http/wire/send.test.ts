/** Writing answers through Node's response. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inTime, openServer, requestFor } from "../_server.ts";

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
