/** Raw connections to a running service, for requests that `fetch` cannot send. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Answered, assertFailure } from "../_setup.ts";

/** A connection, and all bytes received. */
export class Connection {
  readonly socket: Socket;
  received = Buffer.alloc(0);
  readonly #ended: Promise<unknown>;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on("data", (bytes: Buffer) => {
      this.received = Buffer.concat([this.received, bytes]);
    });
    this.#ended = once(this.socket, "close");
  }

  /** Sends bytes; resolves when they are written. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** Returns the answer, after the server has closed the connection. */
  async answer(): Promise<Answered> {
    await this.#ended;
    return parse(this.received.toString("utf8"));
  }
}

/** Parses one answer. */
function parse(text: string): Answered {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  assert.match(statusLine, /^HTTP\/1\.1 \d{3} \S/);
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]),
  );
  const body = rest.join("\r\n\r\n");
  assert.equal(headers.get("content-length"), String(Buffer.byteLength(body)));
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    body: body === "" ? undefined : JSON.parse(body),
  };
}

/** Sends bytes over a new connection; returns the answer. */
export async function ask(url: string, bytes: string | Buffer): Promise<Answered> {
  const connection = new Connection(url);
  await connection.send(bytes);
  return connection.answer();
}

/** Asserts a failure in the documented shape, with the common headers. */
export function assertRefused(answer: Answered, status: number, code: string): void {
  assertFailure(answer, status, code);
  const { headers } = answer;
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("access-control-allow-origin"), "*");
  assert.match(headers.get("content-type") ?? "", /^application\/json; ?charset=utf-8$/i);
}

/** The last headers of a request that closes its connection. */
export const closing = "Host: localhost\r\nConnection: close\r\n\r\n";
