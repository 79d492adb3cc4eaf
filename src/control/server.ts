/**
 * The server of the control socket, through which commands use a running service. It listens on a Unix socket in the data
 * folder that only the folder's owner can open. An operation is `POST /<name>` with its input as a JSON object.
 */
import { chmod, unlink } from "node:fs/promises";
import { createServer } from "node:http";
import { H3, type H3Event } from "h3";
import { toNodeHandler } from "srvx/node";
import { Failure } from "../domain/errors.ts";
import { Connections } from "../http/connections.ts";
import { type OperationName, requireOperation } from "./operations.ts";
import { requireSocketPath } from "./socket.ts";
import { toWire } from "./wire.ts";

/** The most connections; a command uses at most two. */
const maxConnections = 64;
/** The largest inputs are files of 8 MiB, such as a roster. JSON escapes a character with up to six bytes. */
const maxBody = 50 * 1024 * 1024;
/**
 * The time limit for receiving a request, in milliseconds. It is as long as a command waits for a busy service: Node refuses
 * what has arrived meanwhile, but was not read in time.
 */
const defaultReceiveMilliseconds = 60_000;
const defaultDrainMilliseconds = 10_000;
/** The interval of signs of life, in milliseconds. */
const lifeInterval = 1_000;

/** The options of {@link startControl}. */
export interface ControlServerOptions {
  /** Called with what fails while it listens. */
  readonly warn?: (message: string, error: unknown) => void;
  /** The time for operations under way when the socket is closed, in milliseconds; 10 s by default. */
  readonly drainMilliseconds?: number;
  /** The time for receiving a request, in milliseconds; a minute by default. */
  readonly receiveMilliseconds?: number;
}

/** Runs operations whose input it parses; see `Control`. */
export interface Runner {
  run(name: OperationName, input: object, signal: AbortSignal): Promise<unknown>;
}

/**
 * Listens on a folder's socket. The caller holds the folder's lock, so an existing socket belongs to a dead process.
 * @throws Failure if the folder's path is not suitable for a socket
 */
export async function startControl(
  folder: string,
  control: Runner,
  {
    warn = () => {},
    drainMilliseconds = defaultDrainMilliseconds,
    receiveMilliseconds = defaultReceiveMilliseconds,
  }: ControlServerOptions = {},
) {
  const path = await requireSocketPath(folder);
  const app = new H3({ silent: true });
  const run = async (event: H3Event) => {
    try {
      // A length that is not declared is not bounded.
      if (event.req.headers.has("transfer-encoding")) {
        throw new Failure("REQUEST_MALFORMED", "The request has no Content-Length.");
      }
      await requireSize(event.req);
      const name = requireOperation(event.context.params?.name ?? "");
      const input = parseJSON(await event.req.text());
      const result = await control.run(name, input, event.req.signal);
      return { result: result ?? null };
    } catch (error) {
      return { error: toWire(error) };
    }
  };
  app.post("/:name", (event) => withSignsOfLife(run(event)));
  const handle = toNodeHandler(app.fetch) as Parameters<typeof createServer>[1] & {};
  const connections = new Connections(maxConnections);
  const server = createServer(
    {
      headersTimeout: receiveMilliseconds,
      requestTimeout: receiveMilliseconds,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      const connection = connections.of(request.socket);
      connection.latest = response;
      // Its bytes are those of the input, which may take seconds.
      connection.isBusy = true;
      response.once("close", () => {
        connection.isBusy = false;
      });
      handle(request, response);
    },
  );
  connections.follow(server, false);
  await unlink(path).catch(() => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Nobody else may open it, not even between its creation and a chmod.
    const mask = process.umask(0o177);
    server.listen(path, resolve);
    process.umask(mask);
  });
  // Accepting a connection can fail, for example without a free file descriptor. The next one may succeed.
  server.removeAllListeners("error").on("error", (error) => warn("The control socket failed.", error));
  await chmod(path, 0o600);
  return {
    /** Stops accepting connections, closes idle ones, waits for operations under way, and then cuts off the rest. */
    async close(): Promise<void> {
      const deadline = setTimeout(() => connections.destroy(), drainMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.close();
      await closed;
      clearTimeout(deadline);
    },
  };
}

/** @throws Failure `REQUEST_TOO_LARGE`, once the request is read: closing it while the command writes would cut off the answer */
async function requireSize({ body, headers }: Request): Promise<void> {
  const size = Number(headers.get("content-length"));
  if (size <= maxBody) return;
  await body?.pipeTo(new WritableStream());
  throw new Failure(
    "REQUEST_TOO_LARGE",
    `The input of the command has ${size} bytes, expected at most ${maxBody}.`,
  );
}

/** Returns the object in a JSON text, which the operation's schema checks. @throws Failure `PARAMETER_INVALID` */
function parseJSON(json: string): object {
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  } catch {
    // It is refused as any other text.
  }
  throw new Failure(
    "PARAMETER_INVALID",
    "The service does not accept this input. Expected an object as JSON.",
    {
      hint: "If the service and the command have different versions, restart the service with this version.",
    },
  );
}

/** Returns a value as JSON once it is there, and until then a space each second, which JSON may begin with. */
function withSignsOfLife(work: Promise<unknown>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let beating: NodeJS.Timeout;
  return new ReadableStream({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      beating = setInterval(() => send(" "), lifeInterval);
      void work
        .then((result) => {
          clearInterval(beating);
          send(JSON.stringify(result));
          controller.close();
        })
        // Does nothing if the command has ended.
        .catch((error: unknown) => controller.error(error));
    },
    cancel: () => clearInterval(beating),
  });
}
