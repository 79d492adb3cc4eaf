/** The log: one line a request, readable on a terminal and JSON otherwise. Never a raw URL, never a token. */
import { Writable } from "node:stream";
import pino, { type Logger } from "pino";
import pretty from "pino-pretty";
import type { RequestRecord } from "../src/engine/engine.ts";
import { withoutTokens } from "../src/identity/tokens.ts";
import type { IO } from "./io.ts";

export interface Log {
  readonly request: (record: RequestRecord) => void;
  readonly info: (message: string) => void;
  readonly warn: (message: string, error: unknown) => void;
  readonly fatal: (message: string, error: unknown) => void;
  readonly close: () => void;
}

/** How much waits at most, in characters: about what a pipe takes at once. */
const enough = 16 * 1024;

/** How often lines are written at most, in milliseconds. */
const interval = 10;

/**
 * Collects lines: a write to the operating system for each would cost more than the request that it tells of. A line
 * that comes after a pause is written in the same turn of the event loop, those of a busy moment together.
 */
class Lines {
  readonly #stderr: IO["stderr"];
  #waiting = "";
  #flushed = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(stderr: IO["stderr"]) {
    this.#stderr = stderr;
  }

  write(line: string): void {
    const isFirst = this.#waiting === "";
    this.#waiting += line;
    if (this.#waiting.length >= enough) this.flush();
    else if (isFirst) this.#schedule();
  }

  flush(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    if (this.#waiting === "") return;
    const lines = this.#waiting;
    this.#waiting = "";
    this.#flushed = performance.now();
    this.#stderr.write(lines);
  }

  #schedule(): void {
    const rest = this.#flushed + interval - performance.now();
    if (rest > 0) this.#timer = setTimeout(() => this.flush(), rest);
    else this.#turn = setImmediate(() => this.flush());
  }
}

/** Writes to standard error, since standard output is for results. */
export function createLog({ stderr, env }: IO): Log {
  const readable = stderr.isTTY === true;
  const lines = new Lines(stderr);
  const stream = readable ? prettyStream(lines, !env.NO_COLOR) : lines;
  const logger = pino(
    {
      // Whatever an error's text may contain: a token does not get past here.
      hooks: { streamWrite: withoutTokens },
    },
    stream,
  );
  /** What is not of a request alone is written at once: nobody should wait for it, and the process may be ending. */
  const atOnce = (write: () => void) => {
    write();
    lines.flush();
  };
  /**
   * Loggers of what went well, by method, route and status: what all their lines share is made into JSON once. Nothing in such
   * a line comes from outside, so nothing is looked for in it.
   */
  const plain = pino({}, stream);
  const served = new Map<string, Logger>();
  const servedBy = (method: string, route: string | null, status: number): Logger => {
    const key = `${method} ${route} ${status}`;
    const known = served.get(key) ?? plain.child({ method, route, status });
    served.set(key, known);
    return known;
  };
  return {
    request(record) {
      const { requestId, method, route, status, caller, code, error } = record;
      const milliseconds = Math.round(record.milliseconds * 1000) / 1000;
      if (code === null && !readable) {
        servedBy(method, route, status).info({ milliseconds, caller, requestId });
        return;
      }
      const { reason } = record;
      const fields = { requestId, method, route, status, milliseconds, caller, code, reason };
      const words = `${method} ${route ?? "-"} ${status}${code === null ? "" : ` ${code}`} ${milliseconds.toFixed(1)} ms`;
      if (error === undefined) logger.info(fields, words);
      else atOnce(() => logger.error({ ...fields, err: error }, words));
    },
    info: (message) => atOnce(() => logger.info(message)),
    warn: (message, error) => atOnce(() => logger.warn({ err: error }, message)),
    fatal: (message, error) => atOnce(() => logger.fatal({ err: error }, message)),
    close: () => atOnce(() => logger.flush()),
  };
}

/** For people: colours where they are wanted, the rest of the fields on the same line. */
function prettyStream(lines: Lines, colorize: boolean) {
  const destination = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines.write(line);
      lines.flush();
      done();
    },
  });
  return pretty({
    colorize,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname,method,route,status,milliseconds,code",
    singleLine: true,
    destination,
  });
}
