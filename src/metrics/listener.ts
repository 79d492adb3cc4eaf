/**
 * The listener of the metrics, which has an address of its own: they need no token, and are for this machine or a private
 * network. It answers `GET /metrics`, one request on each connection.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import { Connections } from "../http/connections.ts";
import { cannotListen, inURL, theMetrics } from "../http/listening.ts";

const path = "/metrics";

/** The most connections. A scraper uses one; beyond them, those that have been idle longest are closed. */
const maxConnections = 16;
/** The deadlines to send a request, and of a silent connection, in milliseconds. Scrapers are near. */
const deadlines = { request: 5_000, silence: 10_000 };

/** The options of {@link serveMetrics}. */
export interface ListenerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly registry: Pick<Registry, "contentType" | "metrics">;
  /** Called with errors that end no scrape. */
  readonly warn: (message: string, error: unknown) => void;
}

/** Serves metrics until it is closed. @throws Failure `STORE_UNAVAILABLE` if the port is taken or cannot be used */
export async function serveMetrics({ host, port, registry, warn }: ListenerOptions) {
  const connections = new Connections(maxConnections);
  const server = createServer(
    {
      headersTimeout: deadlines.request,
      requestTimeout: deadlines.request,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      const connection = connections.of(request.socket);
      // Further requests that arrived on the connection are not answered: it closes after the first.
      if (connection.latest !== undefined) return;
      connection.latest = response;
      response.shouldKeepAlive = false;
      response.on("error", () => response.destroy());
      answer(request, response, registry).catch((error) => {
        warn("The metrics could not be read.", error);
        response.destroy();
      });
    },
  );
  server.timeout = deadlines.silence;
  connections.follow(server, false);
  server.on("clientError", (_error, socket) => socket.destroy());
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    throw cannotListen(theMetrics, host, port, cause);
  }
  // Accepting a connection can fail, for example without a free file descriptor. The next one may succeed.
  server.on("error", (error) => warn("The listener of the metrics failed.", error));
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${inURL(host)}:${bound}${path}`,
    /** Cuts off scrapes under way, and closes. */
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.destroy();
      await closed;
    },
  };
}

async function answer(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  registry: ListenerOptions["registry"],
): Promise<void> {
  if (url.split("?", 1)[0] !== path) send(response, 404, `Expected the path ${path}.\n`);
  else if (method !== "GET") send(response.setHeader("Allow", "GET"), 405, "Expected the method GET.\n");
  else send(response.setHeader("Content-Type", registry.contentType), 200, await registry.metrics());
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Cache-Control": "no-store", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}
