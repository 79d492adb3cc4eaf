/** Helpers of the tests of clients: a proxy that loses answers, and a function that runs programs. */
import { execFile } from "node:child_process";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Cleanup, projectFolder } from "../_setup.ts";

export const run = promisify(execFile);

/** The TypeScript compiler of the project. */
export const compiler = join(projectFolder, "node_modules", "typescript", "bin", "tsc");

/** Returns the error with which a call fails. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("The call should fail.");
}

/** The fate of a request: it passes, its answer is lost, or it never reaches the service. */
export type Fate = "pass" | "lose" | "drop" | ((response: ServerResponse) => void);

/** A request that a proxy received. */
export interface Seen {
  /** Its path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Opens a proxy in front of a service. The first request has the first fate, and so on; all others pass.
 * @returns the URL of the proxy, and the requests that it has received so far
 */
export async function openProxy(
  t: Cleanup,
  target: string,
  fates: readonly Fate[],
): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const fate = fates[seen.length] ?? "pass";
    const { host: _host, connection: _connection, ...headers } = request.headers;
    seen.push({ url: request.url ?? "", headers: request.headers });
    if (typeof fate === "function") {
      fate(response);
      return;
    }
    if (fate === "drop") {
      request.socket.destroy();
      return;
    }
    const answer = await fetch(target + request.url, { headers: headers as Record<string, string> });
    const body = Buffer.from(await answer.arrayBuffer());
    if (fate === "lose") {
      request.socket.destroy();
      return;
    }
    const {
      "content-encoding": _encoding,
      "content-length": _length,
      ...kept
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  return { url: `http://127.0.0.1:${address.port}`, seen };
}
