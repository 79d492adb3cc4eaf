/** Bodies of requests, which are discarded or not read, and long answers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { connect as connectSecurely } from "node:tls";
import { readCertificate } from "../../../src/http/certificate.ts";
import { startServer } from "../../../src/http/server.ts";
import { temporaryFolder } from "../../_setup.ts";
import { makeCertificate } from "../_certificate.ts";
import { answerTo, inTime, openServer, requestFor } from "../_server.ts";

for (const [what, header, piece] of [
  ["chunks of one byte", "Transfer-Encoding: chunked", "1\r\nx\r\n"],
  ["an endless body", "Content-Length: 1000000000000", "x".repeat(1000)],
] as const) {
  it(
    `the server stops reading from a connection that sends ${what}, and closes it after the answer`,
    inTime,
    async (t) => {
      let answer = () => {};
      let sender: IncomingMessage["socket"] | undefined;
      const server = await startServer({
        host: "127.0.0.1",
        port: 0,
        fetch: () => new Response("not asked", { status: 500 }),
        answerPlain(request) {
          if (request.url !== "/body") return answerTo(request);
          if (request instanceof IncomingMessage) sender = request.socket;
          return new Promise((resolve) => {
            answer = () => resolve(answerTo(request));
          });
        },
      });
      t.after(() => server.close());
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      t.after(() => socket.destroy());
      socket.on("error", () => {});
      let received = "";
      socket.setEncoding("utf8").on("data", (text: string) => {
        received += text;
      });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      const pieces = piece.repeat(10_000);
      const send = (error?: Error | null) => {
        if (!error && !socket.destroyed) socket.write(pieces, send);
      };
      socket.write(`GET /body HTTP/1.1\r\nHost: here\r\n${header}\r\n\r\n`, send);
      while (sender === undefined) await fetch(`${server.url}/plain`);
      await fetch(`${server.url}/plain`);
      const { bytesRead } = sender;
      for (let number = 0; number < 50; number += 1) await fetch(`${server.url}/plain`);
      assert.equal(sender.bytesRead, bytesRead);
      answer();
      await closed;
      assert.match(received, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
      assert.ok(received.endsWith("for /body"), "there is no other answer");
    },
  );
}

it("the server answers the request after one with a short body", inTime, async (t) => {
  const { connect } = await openServer(t, { fetch: () => new Response(), answerPlain: answerTo });
  const { socket, received } = await connect();
  socket.write(`GET /first HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\n{}${requestFor("/second")}`);
  while (!received().endsWith("for /second")) await once(socket, "data");
  assert.match(received(), /for \/firstHTTP/);
});

it(
  "the server closes the connection of an answered request whose body ends early, without a second answer",
  inTime,
  async (t) => {
    const { connect } = await openServer(t, { fetch: () => new Response(), answerPlain: answerTo });
    const { socket, received, closed } = await connect();
    socket.write("GET /first HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n");
    while (!received().endsWith("for /first")) await once(socket, "data");
    socket.end();
    const text = await closed;
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
  },
);

it("the server encrypts a long answer only as fast as the client reads it", inTime, async (t) => {
  const folder = await temporaryFolder(t);
  const ca = await makeCertificate(folder);
  const body = Buffer.alloc(64 * 1024 * 1024, "x");
  let reader: IncomingMessage["socket"] | undefined;
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    https: await readCertificate({ cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }),
    fetch: () => new Response("not asked", { status: 500 }),
    answerPlain(request) {
      if (request.url !== "/long") return answerTo(request);
      if (request instanceof IncomingMessage) reader = request.socket;
      return { ...answerTo(request), headers: ["Content-Length", String(body.length)], body };
    },
  });
  t.after(() => server.close());
  const open = async () => {
    const socket = connectSecurely({ host: "127.0.0.1", port: Number(new URL(server.url).port), ca });
    t.after(() => socket.destroy());
    await once(socket, "secureConnect");
    return socket;
  };
  const [slow, other] = [await open(), await open()];
  slow.pause().write(requestFor("/long"));
  for (let number = 0; number < 50 || reader === undefined; number += 1) {
    other.write(requestFor("/plain"));
    await once(other, "data");
  }
  assert.ok(reader.bytesWritten < body.length / 2, `${reader.bytesWritten} bytes are encrypted`);
  let bytes = 0;
  for await (const piece of slow) {
    bytes += piece.length;
    if (bytes > body.length) break;
  }
});
