/**
 * The command line's end of the control socket. It never waits for a service that does not respond: while a method
 * runs, it asks on further connections for a sign of life, which a service gives at once whatever it is doing.
 *
 * Most commands find no service: what talking to one takes is loaded when it is needed.
 */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../domain/errors.ts";
import { lockHolder, processState } from "../store/folder/lock-file.ts";
import type { Control, ControlMethod } from "./control.ts";
import { missing, socketPath } from "./socket.ts";
import { fromWire, type WireAnswer } from "./wire.ts";

/** How long a service has to give a sign of life, in milliseconds. It leaves a command within 5 s. */
const lifeMilliseconds = 3_000;
/** How often a sign of life is asked for while a method runs, in milliseconds. */
const lifeInterval = 1_000;
/** How long a service that runs may be busy with a method, without a sign of life, in milliseconds. */
const busyMilliseconds = 60_000;
/** How long a method may go on in a service that is stopping, in milliseconds: longer than the service allows it. */
const stoppingMilliseconds = 15_000;
/** How often a connection that was closed without an answer is tried again, and after which pause in milliseconds. */
const retries = { most: 3, pause: 150 };

/**
 * Reaches the service that runs on a folder; undefined where none does. A dead holder's socket is none.
 * @param signal gives up
 * @throws Failure `STORE_UNAVAILABLE` where a service is there and does not answer, or cannot be reached from here
 */
export async function connectControl(folder: string, signal?: AbortSignal): Promise<Control | undefined> {
  if (await isMissing(join(folder, "socket"))) return undefined;
  const client = new ControlClient(folder, socketPath(folder));
  try {
    await client.signOfLife(signal);
  } catch (error) {
    if (error instanceof NobodyThere) return undefined;
    if (error instanceof NoAnswer) throw await unresponsive(folder, error, "Nothing was changed.");
    throw error;
  }
  return {
    administer: (...all) => client.ask("administer", all),
    call: (...all) => client.ask("call", all),
    vocabulary: () => client.ask("vocabulary", []),
    snapshot: () => client.ask("snapshot", []),
    previewRestore: (...all) => client.ask("previewRestore", all),
    restoreRecords: (...all) => client.ask("restoreRecords", all),
    undo: (...all) => client.ask("undo", all),
    reloadRoutes: (...all) => client.ask("reloadRoutes", all),
    routesStatus: () => client.ask("routesStatus", []),
    diffRoutes: (...all) => client.ask("diffRoutes", all),
    canI: (...all) => client.ask("canI", all),
    whoCan: (...all) => client.ask("whoCan", all),
    holder: () => client.ask("holder", []),
  };
}

/** The service has stopped between two questions. `untouched` says that it had not answered any but the first look. */
export class ServiceGone extends Failure {
  readonly untouched: boolean;

  constructor(untouched: boolean) {
    super("SHUTTING_DOWN", "The service on the data folder has just stopped.", {
      hint: "What it answered before that is done; give the command again for the rest.",
    });
    this.untouched = untouched;
  }
}

/** Nobody listens on the socket. */
class NobodyThere extends Error {
  override readonly name = "NobodyThere";
}

/** The service accepted a connection, or let it wait, and did not answer. */
class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  /** Whether it closed the connection, so that it is alive; else it was silent. */
  readonly closed: boolean;

  constructor(closed: boolean, cause?: unknown) {
    super(closed ? "the connection was closed without an answer" : "no answer", { cause });
    this.closed = closed;
  }
}

/** A service's socket, and what is asked through it. */
class ControlClient {
  readonly #folder: string;
  readonly #path: string;
  #answered = false;

  constructor(folder: string, path: string) {
    this.#folder = folder;
    this.#path = path;
  }

  /** Asks for a sign of life. @throws NobodyThere, NoAnswer */
  async signOfLife(signal?: AbortSignal): Promise<void> {
    const asking = new AbortController();
    const giveUp = () => asking.abort();
    const deadline = setTimeout(giveUp, lifeMilliseconds);
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      await this.#askForLife(asking.signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw asking.signal.aborted ? new NoAnswer(false, error) : error;
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", giveUp);
    }
  }

  async #askForLife(signal: AbortSignal): Promise<void> {
    for (let tried = 1; ; tried++) {
      signal.throwIfAborted();
      try {
        await request(this.#path, "holder", [], signal);
        return;
      } catch (error) {
        // A service that is ending closes connections before its socket: the next attempt then finds nobody.
        if (!(error instanceof NoAnswer) || tried > retries.most) throw error;
        await sleep(retries.pause, undefined, { signal });
      }
    }
  }

  /** Runs a method in the service. */
  async ask<T>(method: ControlMethod, given: readonly unknown[]): Promise<T> {
    const done = new AbortController();
    try {
      const result = await Promise.race([
        request<T>(this.#path, method, given, done.signal),
        this.#failWithoutLife(done.signal),
      ]);
      this.#answered = true;
      return result;
    } catch (error) {
      if (error instanceof NobodyThere) throw new ServiceGone(!this.#answered);
      if (error instanceof NoAnswer) throw await this.#unanswered(error);
      throw error;
    } finally {
      done.abort();
    }
  }

  /** Rejects when the service gives no sign of life any more. */
  async #failWithoutLife(done: AbortSignal): Promise<never> {
    let lived = performance.now();
    for (;;) {
      await sleep(lifeInterval, undefined, { signal: done });
      try {
        await this.signOfLife(done);
        lived = performance.now();
      } catch (error) {
        done.throwIfAborted();
        if (error instanceof NobodyThere) {
          // It is stopping, and finishes what it has begun before it ends.
          await sleep(stoppingMilliseconds, undefined, { signal: done });
          throw new NoAnswer(false);
        }
        // One that closes the connection is alive. Only silence says something about the method under way.
        if (!(error instanceof NoAnswer) || error.closed) continue;
        if (performance.now() - lived > busyMilliseconds || !(await this.#isBusy())) throw error;
      }
    }
  }

  /** Whether a service that is silent is known to run: comparing two tables can keep it busy for seconds. */
  async #isBusy(): Promise<boolean> {
    const pid = await lockHolder(this.#folder);
    return pid !== undefined && (await processState(pid)) === "running";
  }

  /** Why a method had no answer: the service may have carried it out or not. */
  async #unanswered(cause: NoAnswer): Promise<Failure> {
    const look =
      "Whether the command was carried out is not known: look whether the change is there before you repeat it.";
    if (!cause.closed) return unresponsive(this.#folder, cause, look);
    const found = await this.signOfLife().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (found instanceof NobodyThere) {
      return new Failure("SHUTTING_DOWN", "The service on the data folder stopped before it answered.", {
        hint: look,
        cause,
      });
    }
    return unresponsive(this.#folder, found instanceof NoAnswer ? found : cause, look);
  }
}

/** A service that is there and does not answer. @param outcome what that means for the command */
async function unresponsive(folder: string, cause: NoAnswer, outcome: string): Promise<Failure> {
  const pid = await lockHolder(folder);
  const who = pid === undefined ? "its process" : `process ${pid}`;
  if (cause.closed) {
    return new Failure(
      "STORE_UNAVAILABLE",
      `The service on ${folder} closes connections without an answer: ${who} runs, but may have no file descriptor left.`,
      { hint: `${outcome} Raise its limit (ulimit -n), or restart it.`, cause },
    );
  }
  const again = pid === undefined ? "" : ` If it was stopped, \`kill -CONT ${pid}\` continues it.`;
  return new Failure(
    "STORE_UNAVAILABLE",
    `The service on ${folder} does not answer: ${who} gives no sign of life.`,
    { hint: `${outcome}${again}`, cause },
  );
}

function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => missing.has(error.code),
  );
}

/** Sends one request. @throws NobodyThere, NoAnswer, or what the service answered with */
async function request<T>(
  path: string,
  method: ControlMethod,
  given: readonly unknown[],
  signal: AbortSignal,
): Promise<T> {
  const http = await import("node:http");
  return new Promise((resolve, reject) => {
    let connected = false;
    const asking = http.request(
      { socketPath: path, path: `/${method}`, method: "POST", agent: false, signal },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", (cause) => reject(new NoAnswer(true, cause)));
        response.on("end", () => {
          const answer = parse<T>(Buffer.concat(pieces).toString());
          if (answer === undefined) reject(new NoAnswer(true));
          else if ("error" in answer) reject(fromWire(answer.error));
          else resolve(answer.result);
        });
      },
    );
    asking.on("socket", (socket) => socket.once("connect", () => (connected = true)));
    asking.on("error", (cause: NodeJS.ErrnoException) =>
      reject(connected ? new NoAnswer(true, cause) : unconnected(cause)),
    );
    asking.setHeader("Content-Type", "application/json");
    asking.end(JSON.stringify(given));
  });
}

/** What it means that no connection came about. */
function unconnected(cause: NodeJS.ErrnoException): Error {
  const { code } = cause;
  if (missing.has(code) || code === "ECONNREFUSED") return new NobodyThere();
  // The queue of connections that the service has not accepted is full.
  if (code === "EAGAIN") return new NoAnswer(false, cause);
  // It ended before it accepted the connection.
  if (code === "ECONNRESET" || code === "EPIPE") return new NoAnswer(true, cause);
  const isExhausted = code === "EMFILE" || code === "ENFILE";
  return new Failure(
    "STORE_UNAVAILABLE",
    isExhausted
      ? `This command has no file descriptor left (${code}), so it cannot reach the service on the data folder.`
      : `The service on the data folder cannot be reached: ${cause.message}.`,
    {
      hint: isExhausted
        ? "Raise the limit of this shell (ulimit -n). The service was not asked."
        : "Run the command as the user that the service runs as.",
      cause,
    },
  );
}

/** An answer of the service; undefined for anything else, such as the first half of one. */
function parse<T>(text: string): WireAnswer<T> | undefined {
  try {
    const answer = JSON.parse(text) as WireAnswer<T>;
    return "result" in answer || "error" in answer ? answer : undefined;
  } catch {
    return undefined;
  }
}
