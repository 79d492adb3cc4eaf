/**
 * The server: listens on a port through listhen, and passes requests to the queue. It also answers the requests that
 * Node's parser refuses, in the shape of every failure: malformed, too large, or too slow to arrive.
 */
import type { Server as HttpServer, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Server as TLSServer } from "node:tls";
import type { Listener } from "listhen";
import { LRUCache } from "lru-cache";
import { NodeRequest } from "srvx/node";
import { Failure } from "../domain/errors.ts";
import { Exchange, methodNotAllowed, type Observer, readMethods } from "../engine/exchange.ts";
import { longestHeader } from "../engine/request.ts";
import type { Answer } from "../engine/response.ts";
import type { Certificate } from "./certificate.ts";
import { ClientAddresses, type Sender } from "./client-address.ts";
import { type Connection, Connections } from "./connections.ts";
import { connectionLimit } from "./descriptors.ts";
import { isHealthRequest } from "./health-pages.ts";
import { cannotListen, refusedAddress, theService } from "./listening.ts";
import { RequestQueue } from "./request-queue.ts";
import { sendRaw } from "./send.ts";

export interface ServerOptions extends Observer {
  /** Answers a request. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Answers a request as Node has it, without making a `Request` of it; undefined leaves it to {@link fetch}. */
  readonly answerPlain?: (request: IncomingMessage) => Answer | Promise<Answer> | undefined;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** By default no proxy is trusted. */
  readonly clientAddresses?: ClientAddresses | undefined;
  /** For HTTPS. */
  readonly https?: Certificate;
  /** Called with errors that concern no request. */
  readonly warn?: (message: string, error: unknown) => void;
  /** The largest number of connections, by default as descriptors allow. Beyond it, those idle longest are closed. */
  readonly maxConnections?: number;
  /** How long the server waits for requests in progress when it is closed, in milliseconds. */
  readonly drainMilliseconds?: number;
}

export type Server = Awaited<ReturnType<typeof startServer>>;

const defaultDrainMilliseconds = 10_000;

/**
 * Deadlines of a client, in milliseconds: to send the headers of a request, and all of it, which Node checks every 30
 * seconds, and to begin the next one after an answer. `connections.ts` has the deadline of silence.
 */
const deadlines = { headers: 15_000, request: 30_000, next: 5_000 };

/** The largest number of headers of a request. Node drops any more. Each takes about 100 bytes. */
const maxHeaders = 100;

/**
 * The largest length of path and query, in characters. RFC 9110, section 4.1, requires at least as many. No operation
 * needs 2,000; without a limit anybody could have 16 KiB decoded and routed, which takes up to 1 ms.
 */
const maxTarget = 8000;

/** The lowest version of TLS (RFC 8996). `NODE_OPTIONS` could lower Node's default. */
const minVersion = "TLSv1.2";

/** Starts to listen. @throws Failure `STORE_UNAVAILABLE` if the port is taken or cannot be used */
export async function startServer(options: ServerOptions) {
  let closing = false;
  const addresses = options.clientAddresses ?? new ClientAddresses();
  const answer = (request: IncomingMessage, response: ServerResponse, connection: Connection) => {
    const refusal = refusalOf(request, closing && !isHealthRequest(request));
    if (refusal !== undefined) return refuseRequest(refusal, request, connection);
    return options.answerPlain?.(request) ?? options.fetch(new NodeRequest({ req: request, res: response }));
  };
  const refuse = (error: unknown, method: string, sender: Sender) =>
    new Exchange(options, { method, address: addresses.of(sender) }).refuse(error, readMethods, [
      "Connection",
      "close",
    ]);
  const refuseRequest = (error: unknown, request: IncomingMessage, connection: Connection) => {
    connection.isEnding = true;
    return refuse(error, request.method ?? "", request);
  };
  const queue = new RequestQueue(
    (request, response, connection) => {
      // An uncaught error would end the process, and Node would print the URL in it.
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
  const connections = new Connections(options.maxConnections ?? connectionLimit(), queue);
  const listener: RequestListener = (request, response) => {
    queue.take(connections.of(request.socket), request, response);
  };
  const listening = await listenOn(listener, options);
  const server = listening.server as HttpServer;
  const useCertificate = ({ cert, key }: Certificate) => {
    if (server instanceof TLSServer) server.setSecureContext({ cert, key, minVersion });
  };
  // listhen has no option for the version of TLS. Nothing is accepted between its start and this.
  if (options.https !== undefined) useCertificate(options.https);
  connections.follow(server, options.https !== undefined);
  // listhen's own listener waits for the end of every response, which `connections.ts` avoids.
  server.removeAllListeners("request").on("request", listener);
  // Otherwise Node answers these itself, and not in the shape of every failure.
  Object.assign(server, { requireHostHeader: false });
  // `connections` closes them. Node would cut off every response that is ended, even if its client has not read it yet.
  Object.assign(server, { closeIdleConnections() {} });
  // A client that closes its side after its last request still gets its answers.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Only after the handshake: Node would wait for the rest of one whose client has closed its side.
  server.on("secureConnection", (socket: Socket) => {
    socket.allowHalfOpen = true;
  });
  server.maxHeadersCount = maxHeaders;
  server.headersTimeout = deadlines.headers;
  server.requestTimeout = deadlines.request;
  server.keepAliveTimeout = deadlines.next;
  server.on("timeout", (socket: Socket) => {
    // The next request may have arrived, and nobody has read it yet: closing the connection would lose it.
    if (connections.of(socket).isHeld) socket.setTimeout(socket.timeout ?? 0);
    else socket.destroy();
  });
  // A connection that cannot be accepted, for example for want of a descriptor, concerns no other.
  server.on("error", (error) => options.warn?.("A connection could not be accepted.", error));
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  const refused = new WeakSet<Socket>();
  /** Refuses bytes that are no request, once per connection, after the answers to the requests before them. */
  const refuseRaw = (
    socket: Socket,
    failure: Failure,
    { method = "", headers = {} }: Partial<IncomingMessage> = {},
  ) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const { isIdle, latest } = connections.of(socket);
    // The body of a request is ignored. Refused for it, the request would have two answers.
    const isAnswered = latest?.req.complete === false;
    const end = () => {
      if (isAnswered) socket.destroySoon();
      else sendRaw(socket, refuse(failure, method, { headers, socket }));
    };
    if (isIdle || latest === undefined) end();
    else latest.once("close", end);
  };
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    // Node has removed its own listener. The refusal waits for the answers before it, which the client may never read.
    socket.on("timeout", () => socket.destroy());
    refuseRaw(socket, methodNotAllowed(request.method ?? ""), request);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else refuseRaw(socket, parserFailure(error));
  });
  return {
    /** Such as `http://127.0.0.1:8888`, without a slash at the end: listhen leaves the colon when it omits port 80 or 443. */
    url: listening.url.replace(/:?\/?$/, ""),
    /** Uses another certificate for new connections. Open ones go on with theirs. */
    useCertificate,
    get connections(): number {
      return connections.size;
    },
    /** Refuses new requests, finishes those in progress, and closes. */
    async close(): Promise<void> {
      closing = true;
      const drain = options.drainMilliseconds ?? defaultDrainMilliseconds;
      const deadline = setTimeout(() => {
        connections.destroy();
        // Some may have been accepted before they were tracked.
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
  // Its CommonJS build requires packages that only some versions of Node can load from CommonJS.
  const { listen } = await import("listhen");
  let listening: Listener;
  try {
    listening = await listen(listener, {
      hostname: host,
      // Otherwise listhen tries other ports when this one is taken.
      port: { port, random: port === 0, ports: [], alternativePortRange: [] } as unknown as number,
      // listhen takes a text that begins with "--" as PEM, and any other as a path.
      https: https === undefined ? false : { cert: https.cert, key: https.key },
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
    throw await refused(host, port, cause);
  }
  if (port === 0 || listening.address.port === port) return listening;
  await listening.close();
  throw await refused(host, port);
}

/** The refusal of the address of a service. @param cause of listhen, which hides that of the system */
async function refused(host: string, port: number, cause?: unknown): Promise<Failure> {
  return (await refusedAddress(theService, host, port)) ?? cannotListen(theService, host, port, cause);
}

/** Returns why a complete request is refused before it reaches a route, or undefined. */
function refusalOf(request: IncomingMessage, closing: boolean): Failure | undefined {
  if (closing) {
    return new Failure("SHUTTING_DOWN", "The service is shutting down.", { hint: "Try again in a moment." });
  }
  if (request.rawHeaders.length >= 2 * maxHeaders) {
    return new Failure("REQUEST_TOO_LARGE", "The request has too many headers.", {
      hint: `Expected fewer than ${maxHeaders}.`,
    });
  }
  if ((request.url ?? "").length > maxTarget) {
    return new Failure("REQUEST_TOO_LARGE", "The path and the query of the request are too long.", {
      hint: `Expected at most ${maxTarget} characters together.`,
    });
  }
  // A proxy in front may have read another path (RFC 9112, section 3.2): a URL ends before "#", and "\" in a path is "/".
  if (/#|^[^?]*\\/.test(request.url ?? "")) {
    return new Failure("REQUEST_MALFORMED", 'The target of the request has "#", or a path with "\\".', {
      hint: "Percent-encode them as %23 and %5C.",
    });
  }
  const { host, "transfer-encoding": coding } = request.headers;
  // Without it, nobody knows where the body ends (RFC 9112, section 6.3).
  if (coding !== undefined && !/(?:^|[\s,])chunked\s*$/i.test(coding)) {
    return new Failure("REQUEST_MALFORMED", "The last transfer coding of the request is not chunked.");
  }
  if (/^https?:/i.test(request.url ?? "") && !URL.canParse(request.url ?? "")) {
    return new Failure("REQUEST_MALFORMED", "The target of the request is not a URL.");
  }
  if (request.httpVersionMinor > 0 && host === undefined) {
    return new Failure("REQUEST_MALFORMED", "The request has no Host header.", {
      hint: "HTTP/1.1 requires one.",
    });
  }
  if (host !== undefined && (host.length > longestHeader || !hostValidity.memo(host))) {
    return new Failure("REQUEST_MALFORMED", "The Host header is not a host with an optional port.");
  }
  // Node uses the first, and a proxy in front may have used another (RFC 9112, section 3.2).
  let hosts = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2)
    if (request.rawHeaders[index]?.toLowerCase() === "host") hosts += 1;
  if (hosts > 1) {
    return new Failure("REQUEST_MALFORMED", "The request has more than one Host header.");
  }
  return undefined;
}

/** Whether the latest hosts are valid. Without it, the row "a read of /statistic/{player}" has a twelfth less. */
const hostValidity = new LRUCache<string, boolean>({ max: 100, memoMethod: isHost });

/** Returns whether a text can be the host of a URL, which h3 requires. An empty one is allowed (RFC 9112, section 3.2). */
function isHost(text: string): boolean {
  return text === "" || (!/[/?#@\\]/.test(text) && URL.canParse(`http://${text}/`));
}

function parserFailure(error: NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }): Failure {
  const packet = error.rawPacket?.toString("latin1") ?? "";
  // Complete requests can precede the fault.
  const begin = packet.lastIndexOf("\n", Math.max(0, (error.bytesParsed ?? 0) - 1)) + 1;
  const [line = ""] = packet.slice(begin).split("\r\n", 1);
  if (error.code === "HPE_INVALID_METHOD" && /^[A-Z]+ \S+ HTTP\/1\.[01]$/.test(line)) {
    return new Failure("METHOD_NOT_ALLOWED", "Expected the method GET.");
  }
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return new Failure("REQUEST_TOO_LARGE", "The request line and its headers are too long.", {
        hint: "Expected at most 16 KiB.",
      });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Failure("REQUEST_TIMEOUT", "The request took too long to arrive.");
    default: {
      const [, target = ""] = /^[A-Z]+ (\/.*)$/.exec(line.slice(0, line.lastIndexOf(" HTTP/"))) ?? [];
      const [unencoded] = /[^\0-\x7f]| /.exec(target) ?? [];
      const hint =
        unencoded === " "
          ? 'Write "-" for a space.'
          : "Percent-encode what is not ASCII, as UTF-8, such as %C3%A4 for ä.";
      return new Failure("REQUEST_MALFORMED", "The request is not valid HTTP.", unencoded ? { hint } : {});
    }
  }
}
