/** Services on a control socket that answer as a test wants, and the failures that their client reports. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { join } from "node:path";
import { connectControl } from "../../src/control/client.ts";
import { Failure } from "../../src/domain/errors.ts";
import { type Cleanup, temporaryFolder } from "../_setup.ts";

/** What a command is told whose method may have run. */
export const unknownOutcome =
  "The outcome of the command is unknown: check whether the change was made before you repeat it.";

/** What a failure tells. */
interface Expected {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** The message of its cause; undefined if it does not matter. */
  readonly cause?: string;
}

/** Asserts that something rejects with a failure. */
export async function assertFails(running: Promise<unknown>, expected: Expected): Promise<void> {
  // In an array, since `await` and `assert.rejects` would resolve a promise that was thrown.
  const [error] = await running.then(
    () => [],
    (reason: unknown) => [reason],
  );
  assert.ok(error instanceof Failure, String(error));
  const { code, message, hint } = error;
  const { cause, ...told } = expected;
  assert.deepEqual({ code, message, hint }, told);
  if (cause !== undefined) assert.equal(error.cause instanceof Error && error.cause.message, cause);
}

/** Returns the failure of a service that closes connections. @param outcome what it means for the command */
export function closes(folder: string, outcome: string, who = "its process"): Expected {
  return {
    code: "STORE_UNAVAILABLE",
    message: `The service on ${folder} closes connections without an answer: ${who} is running, but may have run out of file descriptors.`,
    hint: `${outcome} Raise its limit (ulimit -n), or restart it.`,
    cause: "the connection was closed without an answer",
  };
}

/** Returns the failure of a service that is silent. */
export function silent(folder: string, hint: string, who = "its process"): Expected {
  return {
    code: "STORE_UNAVAILABLE",
    message: `The service on ${folder} does not answer: ${who} does not respond.`,
    hint,
    cause: "no answer",
  };
}

/** Answers a health check. */
export const healthy = (response: ServerResponse) => void response.end('{"result":null}');

/** A folder with a socket, whose requests a test answers. */
export async function listen(t: Cleanup, answer: RequestListener) {
  const folder = await temporaryFolder(t);
  const server = createServer(answer).listen(join(folder, "socket"));
  await once(server, "listening");
  const stopListening = () => void server.close();
  const close = () => {
    stopListening();
    server.closeAllConnections();
  };
  t.after(close);
  return { folder, close, stopListening };
}

/** Connects to a service that is healthy, and answers an operation as a test wants. */
export async function connected(
  t: Cleanup,
  snapshot: (response: ServerResponse, request: IncomingMessage) => void,
) {
  const service = await listen(t, (request, response) => {
    if (request.url === "/holder") healthy(response);
    else snapshot(response, request);
  });
  const control = await connectControl(service.folder);
  assert.ok(control !== undefined, "the service answers");
  return { ...service, control };
}

/** Counts the timers of this process that are running. */
export function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
