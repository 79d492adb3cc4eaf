/**
 * The service's end of the control socket: how the command line works beside a running service. The service listens
 * on a Unix socket in its data folder that only the folder's owner can open, and carries commands out in its one
 * writer. HTTP with h3: `POST /<method>` with the arguments as a JSON array.
 */
import { chmod, unlink } from "node:fs/promises";
import { createServer } from "node:http";
import { assertBodySize, H3, readBody } from "h3";
import { toNodeHandler } from "srvx/node";
import { Connections } from "../http/connections.ts";
import { type Control, controlMethods } from "./control.ts";
import { requireSocketPath } from "./socket.ts";
import { toWire } from "./wire.ts";

/** Commands at the same time; each has at most two connections. */
const mostConnections = 64;
/** The largest arguments are the texts of two route tables. */
const largestBody = 8 * 1024 * 1024;
/** How long a request may take to arrive, in milliseconds: the sender is on the same machine. */
const arrivalMilliseconds = 5_000;
const defaultDrainMilliseconds = 10_000;

export interface ControlServerOptions {
  /** Told what fails while it listens. */
  readonly warn?: (message: string, error: unknown) => void;
  /** How long operations under way may take when the socket is closed, in milliseconds; 10 s by default. */
  readonly drainMilliseconds?: number;
}

/** A socket that listens. */
export interface ControlServer {
  /**
   * Accepts nothing more, closes connections on which nothing is under way, gives operations their time to finish, and
   * then cuts off the rest.
   */
  close(): Promise<void>;
}

/**
 * Listens on a folder's socket. The caller has the folder's lock, so a socket that is there is a dead holder's.
 * @throws Failure where the folder's path does not do for a socket
 */
export async function startControl(
  folder: string,
  control: Control,
  { warn = () => {}, drainMilliseconds = defaultDrainMilliseconds }: ControlServerOptions = {},
): Promise<ControlServer> {
  const path = await requireSocketPath(folder);
  const app = new H3({ silent: true });
  for (const method of controlMethods) {
    app.post(`/${method}`, async (event) => {
      try {
        assertBodySize(event, largestBody);
        // JSON has no undefined: an argument that was left out arrives as null.
        const given = ((await readBody<unknown[]>(event)) ?? []).map((each) => each ?? undefined);
        const run = control[method] as (...all: unknown[]) => Promise<unknown>;
        return { result: (await run(...given)) ?? null };
      } catch (error) {
        return { error: toWire(error) };
      }
    });
  }
  const handle = toNodeHandler(app.fetch) as Parameters<typeof createServer>[1] & {};
  const connections = new Connections(mostConnections);
  const server = createServer(
    {
      headersTimeout: arrivalMilliseconds,
      requestTimeout: arrivalMilliseconds,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => {
      connections.of(request.socket).latest = response;
      handle(request, response);
    },
  );
  connections.follow(server, false);
  await unlink(path).catch(() => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Nobody else may be able to open it, not even between its birth and a chmod.
    const mask = process.umask(0o177);
    server.listen(path, resolve);
    process.umask(mask);
  });
  // Accepting a connection can fail, for want of a file descriptor for instance. The next one may succeed.
  server.removeAllListeners("error").on("error", (error) => warn("The control socket failed.", error));
  await chmod(path, 0o600);
  return {
    async close() {
      const deadline = setTimeout(() => connections.destroy(), drainMilliseconds);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.close();
      await closed;
      clearTimeout(deadline);
      await unlink(path).catch(() => {});
    },
  };
}
