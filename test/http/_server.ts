/** A server that tests start themselves, and raw connections to it, with and without TLS. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectSecurely } from "node:tls";
import type { Answer } from "../../src/engine/response.ts";
import { readCertificate } from "../../src/http/certificate.ts";
import { type Server, type ServerOptions, startServer } from "../../src/http/server.ts";
import { type Cleanup, temporaryFolder } from "../_setup.ts";
import { makeCertificate } from "./_certificate.ts";

/** The timeout of tests that wait for a connection. */
export const inTime = { timeout: 60_000 };

/** Returns a request that keeps its connection. */
export function requestFor(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

/** Returns an answer that names its request. */
export function answerTo({ url = "" }: IncomingMessage): Answer {
  const body = Buffer.from(`for ${url}`);
  return { status: 200, headers: ["Content-Length", String(body.length)], body };
}

/** A connection to a server. */
export interface Client {
  readonly socket: Socket;
  /** Returns everything received so far. */
  readonly received: () => string;
  /** Resolves with everything received, when the connection is closed. */
  readonly closed: Promise<string>;
}

/** A started server, and functions that connect to it. */
export interface TestServer {
  readonly server: Server;
  /** Connects; with TLS, after the handshake. */
  connect(): Promise<Client>;
  /** Connects without a TLS handshake. */
  connectPlainly(): Promise<Client>;
}

/** Starts a server, which is closed after the test. @param secure whether it uses TLS */
export async function openServer(
  t: Cleanup,
  options: Omit<ServerOptions, "host" | "port" | "https">,
  secure = false,
): Promise<TestServer> {
  const folder = await temporaryFolder(t);
  const ca = secure ? await makeCertificate(folder) : "";
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  const https = secure ? { https: await readCertificate(files) } : {};
  const server = await startServer({ ...options, host: "127.0.0.1", port: 0, ...https });
  t.after(() => server.close());
  const port = Number(new URL(server.url).port);
  const connectPlainly = () => clientOf(t, connect(port, "127.0.0.1"), "connect");
  return {
    server,
    connectPlainly,
    connect: () =>
      secure
        ? clientOf(t, connectSecurely({ host: "127.0.0.1", port, ca }), "secureConnect")
        : connectPlainly(),
  };
}

/** Returns a client when its socket is connected or closed. A connection that is cut off can end with an error. */
async function clientOf(t: Cleanup, socket: Socket, event: string): Promise<Client> {
  t.after(() => socket.destroy());
  let text = "";
  socket.setEncoding("latin1").on("data", (piece: string) => {
    text += piece;
  });
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => void socket.once("close", () => resolve(text)));
  await Promise.race([once(socket, event).catch(() => {}), closed]);
  return { socket, received: () => text, closed };
}
