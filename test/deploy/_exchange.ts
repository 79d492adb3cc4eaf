/** Requests to a proxy or to the service behind it, with paths and headers exactly as given. */
import { once } from "node:events";
import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import { connect as connectPlain } from "node:net";
import { connect as connectSecure } from "node:tls";
import type { RunningProxy } from "./_proxy.ts";

/** Where a request goes: a port of the loopback interface, with TLS if there is a certificate to trust. */
export interface Destination {
  readonly port: number;
  readonly certificate?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Returns the entrance of a proxy with TLS. */
export function secure({ ports, certificate }: RunningProxy): Destination {
  return { port: ports.https, certificate };
}

/** Sends a request, and returns its answer. @param options also `localAddress`, from which the request comes */
export async function send(to: Destination, path: string, options: RequestOptions = {}): Promise<Received> {
  const { port, certificate } = to;
  const all = { host: "127.0.0.1", port, path, agent: false, ...options };
  const request = certificate === undefined ? plainRequest(all) : secureRequest({ ...all, ca: certificate });
  request.end();
  const [response]: IncomingMessage[] = await once(request, "response");
  if (response === undefined) throw new Error("expected a response, got none");
  const chunks: string[] = [];
  for await (const chunk of response.setEncoding("utf8")) chunks.push(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text: chunks.join("") };
}

/** Sends bytes over a new connection, and nothing more; resolves with the answer, or when the other side closes it. */
export function sendRaw({ port, certificate }: Destination, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket =
      certificate === undefined
        ? connectPlain(port, "127.0.0.1")
        : connectSecure({ port, host: "127.0.0.1", ca: certificate });
    const done = () => {
      socket.destroy();
      resolve();
    };
    socket.on("data", done).on("error", done).on("close", done);
    // Without the end a server would wait for the rest of an incomplete request until its deadline.
    socket.end(bytes);
  });
}
