/**
 * The client of the control socket. It never waits for an unresponsive service: while an operation runs, the service sends a
 * sign of life each second.
 *
 * Most commands find no service, so the code that talks to one is loaded only when needed.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import { hasCode } from "../store/folder/files.ts";
import { lockHolder, processState } from "../store/folder/lock-file.ts";
import type { Control, OperationName } from "./operations.ts";
import { entryAt, socketPath } from "./socket.ts";

/** The time limit for an answer or a sign of life, in milliseconds, so that a command ends within 5 s. */
const silenceTimeout = 3_000;
/** The time for which a running process may be too busy to give one, in milliseconds. */
const busyTimeout = 60_000;
/** Retries of a connection that was closed without an answer, and the pause before each in milliseconds. */
const retries = { count: 3, pause: 150 };

/**
 * Connects to the service that runs on a folder. Returns undefined if there is none; the socket of a dead process counts as
 * none.
 * @param signal ends the attempt
 * @throws Failure `STORE_UNAVAILABLE` if a service does not answer, or cannot be reached
 */
export async function connectControl(folder: string, signal?: AbortSignal): Promise<Control | undefined> {
  if ((await entryAt(join(folder, "socket")).catch(() => null)) === undefined) return undefined;
  const path = socketPath(folder);
  /** Whether the process of a silent service runs: comparing two tables can keep it busy for seconds. */
  const isBusy = async () => {
    const pid = await lockHolder(folder);
    return pid !== undefined && (await processState(pid)) === "running";
  };
  try {
    await checkHealth(path, { signal, isBusy });
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    if (error.reason === "absent") return undefined;
    throw await unresponsive(folder, error, "Nothing was changed.");
  }
  let hasAnswered = false;
  return {
    async run<T>(name: OperationName, input: object, signal?: AbortSignal): Promise<T> {
      try {
        const result = await request<T>(path, name, input, { signal, isBusy });
        hasAnswered = true;
        return result;
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof Unanswered)) throw error;
        throw error.reason === "absent" ? new ServiceGone(!hasAnswered) : await unanswered(folder, error);
      }
    },
  };
}

/** The service has stopped between two operations. `untouched` is true if it has run none. */
export class ServiceGone extends Failure {
  readonly untouched: boolean;

  constructor(untouched: boolean) {
    super("SHUTTING_DOWN", "The service on the data folder has just stopped.", {
      hint: "What it has acknowledged is done; repeat the command for the rest.",
    });
    this.untouched = untouched;
  }
}

/**
 * There is no answer: no process listens on the socket, or the service closed the connection, so that it is alive, or it was
 * silent.
 */
class Unanswered extends Error {
  override readonly name = "Unanswered";
  readonly reason: "absent" | "closed" | "silent";

  constructor(reason: Unanswered["reason"], cause?: unknown) {
    super(reason === "closed" ? "the connection was closed without an answer" : "no answer", { cause });
    this.reason = reason;
  }
}

/** Returns if the service answers. @throws Unanswered, or the reason of the signal */
async function checkHealth(path: string, options: RequestOptions): Promise<void> {
  const { signal } = options;
  for (let tried = 1; ; tried++) {
    // Once aborted, it causes no event any more.
    signal?.throwIfAborted();
    try {
      await request(path, "holder", {}, options);
      return;
    } catch (error) {
      signal?.throwIfAborted();
      // A service that is ending closes connections before its socket: the next attempt then finds nobody.
      const isClosed = error instanceof Unanswered && error.reason === "closed";
      if (!isClosed || tried > retries.count) throw error;
      await sleep(retries.pause, undefined, { signal }).catch(() => {});
    }
  }
}

/** Returns the failure of an operation without an answer: the service may have run it or not. */
async function unanswered(folder: string, cause: Unanswered): Promise<Failure> {
  const outcome =
    "The outcome of the command is unknown: check whether the change was made before you repeat it.";
  if (cause.reason === "silent") return unresponsive(folder, cause, outcome);
  const sentence =
    "The service closed the connection before it answered: it may have stopped, or have no free file descriptor.";
  return new Failure("SHUTTING_DOWN", sentence, { hint: outcome, cause });
}

/** Returns the failure for an unresponsive service. @param outcome what it means for the command */
async function unresponsive(folder: string, cause: Unanswered, outcome: string): Promise<Failure> {
  const pid = await lockHolder(folder);
  const who = pid === undefined ? "its process" : `process ${pid}`;
  if (cause.reason === "closed") {
    return new Failure(
      "STORE_UNAVAILABLE",
      `The service on ${folder} closes connections without an answer: ${who} is running, but may have run out of file descriptors.`,
      { hint: `${outcome} Raise its limit (ulimit -n), or restart it.`, cause },
    );
  }
  const again = pid === undefined ? "" : ` If it was stopped, \`kill -CONT ${pid}\` continues it.`;
  return new Failure(
    "STORE_UNAVAILABLE",
    `The service on ${folder} does not answer: ${who} does not respond.`,
    { hint: `${outcome}${again}`, cause },
  );
}

interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether a silent service may still be at work, so that it gets {@link busyTimeout}. */
  readonly isBusy?: () => Promise<boolean>;
}

/**
 * Sends one request.
 * @throws Unanswered, or what the service answered with
 */
async function request<T>(
  path: string,
  name: OperationName,
  input: object,
  { signal, isBusy = async () => false }: RequestOptions,
): Promise<T> {
  const http = await import("node:http");
  let timer: NodeJS.Timeout | undefined;
  let abort = () => {};
  let isOver = false;
  const asked = new Promise<string>((resolve, reject) => {
    let connected = false;
    let heardAt = performance.now();
    const awaitSign = () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        const isPatient = performance.now() - heardAt < busyTimeout && (await isBusy());
        // The answer may have come meanwhile.
        if (isOver) return;
        if (isPatient) awaitSign();
        else asking.destroy(new Unanswered("silent"));
      }, silenceTimeout);
    };
    const asking = http.request(
      { socketPath: path, path: `/${name}`, method: "POST", agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => {
          heardAt = performance.now();
          awaitSign();
          pieces.push(piece);
        });
        response.on("error", (cause) => reject(failureOf(cause, true)));
        response.on("end", () => resolve(Buffer.concat(pieces).toString()));
      },
    );
    awaitSign();
    abort = () => void asking.destroy();
    signal?.addEventListener("abort", abort);
    asking.on("socket", (socket) => socket.once("connect", () => (connected = true)));
    asking.on("error", (cause) => reject(failureOf(cause, connected)));
    asking.setHeader("Content-Type", "application/json");
    asking.end(JSON.stringify(input));
  });
  try {
    return await resultIn<T>(await asked);
  } finally {
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Returns the error for a connection that was not made, or that was closed by the service or given up. */
function failureOf(cause: Error, connected: boolean): Error {
  if (cause instanceof Unanswered) return cause;
  // A service that ends before it accepts a connection resets it.
  if (connected || hasCode(cause, "ECONNRESET", "EPIPE")) return new Unanswered("closed", cause);
  if (hasCode(cause, "ENOENT", "ENOTDIR", "ECONNREFUSED")) return new Unanswered("absent", cause);
  // The queue of unaccepted connections is full.
  if (hasCode(cause, "EAGAIN")) return new Unanswered("silent", cause);
  const message = `Cannot reach the service on the data folder: ${reasonOf(cause)}.`;
  const hint = hasCode(cause, "EMFILE", "ENFILE")
    ? "Raise the limit of this shell (ulimit -n). The service received nothing."
    : "Run the command as the user that the service runs as.";
  return new Failure("STORE_UNAVAILABLE", message, { hint, cause });
}

/** Returns the result in an answer. @throws Unanswered for half an answer and the like, or what the service answered with */
async function resultIn<T>(text: string): Promise<T> {
  let answer: { readonly result: T } | { readonly error?: unknown };
  try {
    answer = Object(JSON.parse(text));
  } catch (cause) {
    throw new Unanswered("closed", cause);
  }
  if ("result" in answer) return answer.result;
  // With valibot, which takes longer to load than many a command runs.
  const { fromWire, isWireError } = await import("./wire.ts");
  throw isWireError(answer.error) ? fromWire(answer.error) : new Unanswered("closed");
}
