/**
 * The server of the control socket, through which commands use a running service. It listens on a Unix socket in the data
 * folder that only the folder's owner can open. An operation is `POST /<name>` with its input as a JSON object.
 */
import { once } from "node:events";
import { chmod, unlink } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "../domain/errors.ts";
import { statusOf } from "../engine/response.ts";
import { isMap } from "../table/yaml/wording.ts";
import { type OperationName, requireOperation } from "./operations.ts";
import { requireSocketPath } from "./socket.ts";
import { toWire } from "./wire.ts";

/** The most connections; a command uses at most two. */
const maxConnections = 64;
/** In bytes. The largest inputs are files of 8 MiB, such as a roster. JSON escapes a character with up to six bytes. */
const maxInput = 50 * 1024 * 1024;
const defaultDrainMilliseconds = 10_000;
/** The interval of signs of life, in milliseconds. */
const lifeInterval = 1_000;

export interface ControlServerOptions {
  /** Called with what fails while it listens. */
  readonly warn?: (message: string, error: unknown) => void;
  /** The time for operations under way when the socket is closed, in milliseconds; 10 s by default. */
  readonly drainMilliseconds?: number;
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
  { warn = () => {}, drainMilliseconds = defaultDrainMilliseconds }: ControlServerOptions = {},
) {
  const path = await requireSocketPath(folder);
  const run = async (request: IncomingMessage, signal: AbortSignal) => {
    const name = request.url?.slice(1) ?? "";
    try {
      // First: closing the connection while the command writes would cut off the answer. Node limits the time that this
      // takes.
      const input = await inputOf(request);
      const result = await control.run(requireOperation(name), input, signal);
      return JSON.stringify({ result: result ?? null });
    } catch (error) {
      // A table or a backup with faults is the operator's.
      const isTheirs = name === "data.preview-restore" || (error instanceof Failure && error.faultyFile);
      const isFault = !isTheirs && (!(error instanceof Failure) || statusOf[error.code] >= 500);
      if (isFault && !signal.aborted) warn(`The operation ${name} of a command failed.`, error);
      return JSON.stringify({ error: toWire(error) });
    }
  };
  /** The connections that have not sent a request, which Node leaves open when the server closes. */
  const silent = new Set<Socket>();
  const server = createServer((request, response) => {
    silent.delete(request.socket);
    response.shouldKeepAlive = false;
    const ended = new AbortController();
    // The JSON of the answer may begin with spaces.
    const beating = setInterval(() => response.write(" "), lifeInterval);
    response.once("close", () => {
      clearInterval(beating);
      if (!response.writableFinished) ended.abort();
    });
    void run(request, ended.signal).then((answer) => {
      clearInterval(beating);
      response.end(answer);
    });
  });
  server.maxConnections = maxConnections;
  server.on("connection", (socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  await unlink(path).catch(() => {});
  // Nobody else may open it, not even between its creation and a chmod.
  const mask = process.umask(0o177);
  server.listen(path);
  process.umask(mask);
  await once(server, "listening");
  // Accepting a connection can fail, for example without a free file descriptor. The next one may succeed.
  server.on("error", (error) => warn("The control socket failed.", error));
  await chmod(path, 0o600);
  return {
    /** Stops accepting connections, waits for operations under way, and then cuts off the rest. */
    async close(): Promise<void> {
      const deadline = setTimeout(() => server.closeAllConnections(), drainMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of silent) socket.destroy();
      await closed;
      clearTimeout(deadline);
    },
  };
}

/** Returns the input in a request, which the operation's schema checks. @throws Failure `PARAMETER_INVALID` */
async function inputOf(request: IncomingMessage): Promise<object> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size <= maxInput) pieces.push(piece);
  }
  try {
    const input: unknown = JSON.parse(String(Buffer.concat(pieces)));
    if (isMap(input) && size <= maxInput && request.headers["content-length"] !== undefined) return input;
  } catch {
    // Refused below, like any other invalid input.
  }
  const sentence =
    "The service does not accept this input. Expected an object as JSON, with a Content-Length of at most 50 MiB.";
  throw new Failure("PARAMETER_INVALID", sentence, {
    hint: "If the service and the command have different versions, restart the service with this version.",
  });
}
