/**
 * The server: the service on a port, through listhen. It also answers, in the contract's shape, what Node refuses
 * before there is a request: a malformed one, one that is too large, or one that takes too long.
 */
import { readFile } from "node:fs/promises";
import {
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import type { Listener } from "listhen";
import { NodeRequest } from "srvx/node";
import { Failure } from "../domain/errors.ts";
import { Exchange, methodNotAllowed, type Observer } from "../engine/exchange.ts";
import type { Answer } from "../engine/response.ts";
import { type Connection, Connections } from "./connections.ts";
import { RequestQueue } from "./request-queue.ts";

export interface ServerOptions extends Observer {
  /** Answers a request. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Answers a request as Node has it, without making a `Request` of it; undefined leaves it to {@link fetch}. */
  readonly answerPlain?: (request: IncomingMessage) => Answer | Promise<Answer> | undefined;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Files of a certificate and its key, for HTTPS. */
  readonly https?: { readonly cert: string; readonly key: string };
  /** Told of what went wrong that concerns no request. */
  readonly warn?: (message: string, error: unknown) => void;
  /** How many connections there may be at the same time. Beyond it those that are idle for longest are closed. */
  readonly maxConnections?: number;
  /** How long requests under way may take when the server is closed, in milliseconds. */
  readonly drainMilliseconds?: number;
}

/** A server that listens. */
export interface Server {
  /** Such as `http://127.0.0.1:8888`, without a slash at the end. */
  readonly url: string;
  /** Takes no more requests, finishes those under way, and closes. */
  close(): Promise<void>;
}

const defaultDrainMilliseconds = 10_000;
const defaultMaxConnections = 10_000;

/**
 * How long a client may take, in milliseconds: to send the headers of a request, and all of it; until bytes go in either
 * direction again while a request is under way, which also ends readers that do not read; and to close its side when it
 * was told that nothing more will be answered. Node looks after the first two every 30 seconds.
 */
const deadlines = { headers: 15_000, request: 30_000, silence: 60_000, farewell: 2_000 };

/** How many headers a request may have: where there are more, Node keeps only these. Each takes about 100 bytes. */
const mostHeaders = 100;

/**
 * How many characters the path and the query of a request may have together. RFC 9110, 4.1, asks for no fewer. No
 * operation needs 2,000, and anybody can have up to 16 KiB decoded and searched for a route, which takes up to 1 ms.
 */
const mostOfTarget = 8000;

/** The methods that some operation takes. */
const methods = "GET, HEAD, OPTIONS";

/** Listens. @throws Failure `STORE_UNAVAILABLE` where the port is taken, or can not be listened on */
export async function startServer(options: ServerOptions): Promise<Server> {
  let closing = false;
  const answer = (request: IncomingMessage, response: ServerResponse, connection: Connection) => {
    const refusal = refusalOf(request, closing);
    if (refusal !== undefined) return refuseRequest(refusal, request, connection);
    return options.answerPlain?.(request) ?? options.fetch(new NodeRequest({ req: request, res: response }));
  };
  const refuse = (error: unknown, method: string, socket: Socket) =>
    new Exchange(options, { method, address: socket.remoteAddress }).refuse(error, methods, [
      "Connection",
      "close",
    ]);
  const refuseRequest = (error: unknown, { method = "" }: IncomingMessage, connection: Connection) => {
    connection.isEnding = true;
    return refuse(error, method, connection.socket);
  };
  const queue = new RequestQueue(
    (request, response, connection) => {
      // An error that nobody catches would end the process, and Node would print the URL that is in it.
      try {
        const answered = answer(request, response, connection);
        if (!(answered instanceof Promise)) return answered;
        return answered.catch((error) => refuseRequest(error, request, connection));
      } catch (error) {
        return refuseRequest(error, request, connection);
      }
    },
    () => connections,
  );
  const connections = new Connections(options.maxConnections ?? defaultMaxConnections, {
    opened: (connection) => queue.open(connection),
    closed: (connection) => queue.close(connection),
  });
  const listener: RequestListener = (request, response) => {
    queue.take(connections.of(request.socket), request, response);
  };
  const listening = await listenOn(listener, options);
  const server = listening.server as HttpServer;
  connections.follow(server, options.https !== undefined);
  // What listhen has put there to close connections waits for the end of every response: see `connections.ts`.
  server.removeAllListeners("request").on("request", listener);
  // Node would answer these on its own, and not in the contract's shape.
  Object.assign(server, { requireHostHeader: false });
  // A client that has sent everything, and ends its side, still gets its answers.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.maxHeadersCount = mostHeaders;
  server.headersTimeout = deadlines.headers;
  server.requestTimeout = deadlines.request;
  server.timeout = deadlines.silence;
  // What can not be accepted, such as for want of a descriptor, concerns that connection only.
  server.on("error", (error) => options.warn?.("A connection could not be accepted.", error));
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  const refused = new WeakSet<Socket>();
  /** Refuses what is no request, once, behind the answers to the requests before it on the same connection. */
  const refuseRaw = (socket: Socket, failure: Failure, method: string) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const write = () => writeRaw(socket, refuse(failure, method, socket));
    const { isIdle, latest } = connections.of(socket);
    if (isIdle || latest === undefined) write();
    else latest.once("close", write);
  };
  server.on("connect", ({ method = "" }: IncomingMessage, socket: Socket) => {
    refuseRaw(socket, methodNotAllowed(method), method);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else refuseRaw(socket, belowRequest(error), "");
  });
  return {
    url: listening.url.replace(/\/$/, ""),
    async close() {
      closing = true;
      const drain = options.drainMilliseconds ?? defaultDrainMilliseconds;
      const deadline = setTimeout(() => {
        connections.destroy();
        // There may be some that came before they were followed.
        server.closeAllConnections();
      }, drain);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.close();
      await closed;
      clearTimeout(deadline);
    },
  };
}

async function listenOn(listener: RequestListener, { host, port, https }: ServerOptions): Promise<Listener> {
  if (https !== undefined) await requireCertificate(https);
  // As CommonJS it needs packages that only some versions of Node can load from there.
  const { listen } = await import("listhen");
  let listening: Listener;
  try {
    listening = await listen(listener, {
      hostname: host,
      // Without these listhen goes on to another port when this one is taken.
      port: { port, random: port === 0, ports: [], alternativePortRange: [] } as unknown as number,
      https: https ?? false,
      name: "",
      baseURL: "/",
      isProd: true,
      isTest: true,
      public: host === "0.0.0.0" || host === "::",
      showURL: false,
      open: false,
      clipboard: false,
      qr: false,
      tunnel: false,
      ws: false,
      autoClose: false,
    });
  } catch (cause) {
    throw portTaken(host, port, cause);
  }
  if (port === 0 || listening.address.port === port) return listening;
  await listening.close();
  throw portTaken(host, port, undefined);
}

/** Checks a certificate before it is used: listhen would blame the port. @throws Failure that names the files */
async function requireCertificate({ cert, key }: { cert: string; key: string }): Promise<void> {
  try {
    createSecureContext({ cert: await readFile(cert), key: await readFile(key) });
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new Failure(
      "STORE_UNAVAILABLE",
      `The certificate ${cert} with the key ${key} can not be used: ${reason}.`,
      {
        hint: "--cert and --key name PEM files that belong together.",
        cause,
      },
    );
  }
}

function portTaken(host: string, port: number, cause: unknown): Failure {
  const reason =
    cause instanceof Error && !/(?:available|random) port/.test(cause.message) ? ` (${cause.message})` : "";
  return new Failure("STORE_UNAVAILABLE", `The service can not listen on ${host}:${port}${reason}.`, {
    hint: "Something else may be listening there; choose another port with --port, or another address with --host.",
    cause,
  });
}

/** What is refused of a whole request before it reaches a route. */
function refusalOf(request: IncomingMessage, closing: boolean): Failure | undefined {
  if (closing) {
    return new Failure("SHUTTING_DOWN", "The service is shutting down.", { hint: "Try again in a moment." });
  }
  if (request.rawHeaders.length >= 2 * mostHeaders) {
    return new Failure("REQUEST_TOO_LARGE", "The request has too many headers.", {
      hint: `It may have fewer than ${mostHeaders}.`,
    });
  }
  if ((request.url ?? "").length > mostOfTarget) {
    return new Failure("REQUEST_TOO_LARGE", "The path and the query of the request are too long.", {
      hint: `They may have ${mostOfTarget} characters together.`,
    });
  }
  const { host } = request.headers;
  if (request.httpVersionMinor > 0 && host === undefined) {
    return new Failure("REQUEST_MALFORMED", "The request has no Host header.", {
      hint: "HTTP/1.1 needs one.",
    });
  }
  if (host !== undefined && !isHost(host)) {
    return new Failure("REQUEST_MALFORMED", "The Host header is not a host with an optional port.");
  }
  // Node keeps only the first, and a proxy in front may go by another one (RFC 9112, 3.2).
  if (countOf(request.rawHeaders, "host") > 1) {
    return new Failure("REQUEST_MALFORMED", "The request has more than one Host header.");
  }
  return undefined;
}

/** How many headers of a name there are among names and values in turn. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let each = 0; each < rawHeaders.length; each += 2) {
    const found = rawHeaders[each] ?? "";
    if (found.length === name.length && found.toLowerCase() === name) count += 1;
  }
  return count;
}

/** Whether a text can be the host of a URL, which h3 makes of it. HTTP allows an empty one (RFC 9112, 3.2). */
function isHost(text: string): boolean {
  return text === "" || (!/[/?#@\\]/.test(text) && URL.canParse(`http://${text}/`));
}

/** What Node's parser says, as a failure. */
function belowRequest(error: NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }): Failure {
  const packet = error.rawPacket?.toString("latin1") ?? "";
  // There can be whole requests before the fault.
  const begin = packet.lastIndexOf("\n", Math.max(0, (error.bytesParsed ?? 0) - 1)) + 1;
  const [line = ""] = packet.slice(begin).split("\r\n", 1);
  if (error.code === "HPE_INVALID_METHOD" && /^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(line)) {
    return new Failure("METHOD_NOT_ALLOWED", "Expected the method GET.");
  }
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new Failure("REQUEST_TOO_LARGE", "The request line and its headers are too long.", {
        hint: "They may have 16 KiB.",
      });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Failure("REQUEST_TIMEOUT", "The request took too long to arrive.");
    default:
      return new Failure("REQUEST_MALFORMED", "The request is not valid HTTP.");
  }
}

/** Answers where Node has no response object. */
function writeRaw(socket: Socket, { status, headers, body }: Answer): void {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  socket.end(`${head}\r\n${body}`);
  // What else comes is read and dropped: closing before would reset the connection, and the answer could be lost.
  socket.resume();
  const deadline = setTimeout(() => socket.destroy(), deadlines.farewell);
  socket.once("close", () => clearTimeout(deadline));
}
