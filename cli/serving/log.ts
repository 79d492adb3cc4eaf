/** The log: one line a request, readable on a terminal and JSON otherwise. Never a raw URL, never a token. */
import { Writable } from "node:stream";
import pino from "pino";
import pretty from "pino-pretty";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import { withoutTokens } from "../../src/identity/tokens.ts";
import type { IO, Sink } from "../terminal/io.ts";
import type { LogOptions } from "./log-options.ts";
import { rounded, ServedLines, WaitingRequests } from "./request-lines.ts";

export interface Log {
  readonly request: (record: RequestRecord) => void;
  readonly info: (message: string) => void;
  readonly warn: (message: string, error?: unknown) => void;
  /** Writes a line with fields; on a terminal the message has to say it all. */
  readonly event: (level: "info" | "warn", fields: { readonly table: object }, message: string) => void;
  readonly fatal: (message: string, error: unknown) => void;
  /** Tells how many lines could not be written. */
  readonly dropped: (lines: number) => void;
  /** Hands over what waits to be written together. */
  readonly close: () => void;
}

const droppedWords = "Lines of the log were dropped, since they could not be written for a while.";

/** Writes to standard error, since standard output is for results. */
export function createLog(
  { stderr, env }: Pick<IO, "stderr" | "env">,
  { requests = "all", level = "info" }: LogOptions = {},
): Log {
  const readable = stderr.isTTY === true;
  let text = "";
  const lines = {
    write(line: string) {
      text += line;
    },
  };
  const writeOut = () => {
    const all = text;
    text = "";
    if (all !== "") stderr.write(all);
  };
  const stream = readable ? prettyStream(stderr, !env.NO_COLOR) : lines;
  /** When that happened of which a line is made: a request's line is made later than it was answered. */
  let time: number | undefined;
  const timestamp = () => `,"time":${time ?? Date.now()}`;
  // Whatever an error's text may contain: a token does not get past here.
  const logger = pino({ level, base: null, timestamp, hooks: { streamWrite: withoutTokens } }, stream);
  const served = new ServedLines();
  const isLogged = ({ code, error }: RequestRecord) =>
    error !== undefined ||
    (level === "info" && (requests === "all" || (requests === "failures" && code !== null)));
  const tell = (record: RequestRecord) => {
    if (record.code === null && !readable) {
      lines.write(served.lineOf(record, timestamp()));
      return;
    }
    const { requestId, method, route, status, caller, token, address, code, reason, error } = record;
    const milliseconds = rounded(record.milliseconds);
    const fields = { requestId, method, route, status, milliseconds, caller, token, address, code, reason };
    const words = `${method} ${route ?? "-"} ${status}${code === null ? "" : ` ${code}`} ${milliseconds.toFixed(1)} ms`;
    if (error === undefined) logger.info(fields, words);
    else logger.error({ ...fields, err: error }, words);
  };
  const waiting = new WaitingRequests((answered) => {
    for (const each of answered) {
      time = each.time;
      tell(each.record);
    }
    time = undefined;
    writeOut();
  });
  /** What is not of a request alone is written at once: nobody should wait for it, and the process may be ending. */
  const atOnce = (write: () => void) => {
    waiting.flush();
    write();
    writeOut();
  };
  return {
    request(record) {
      if (!isLogged(record)) return;
      waiting.add(record);
      if (record.error !== undefined) waiting.flush();
    },
    info: (message) => atOnce(() => logger.info(message)),
    warn: (message, error) => atOnce(() => logger.warn({ err: error }, message)),
    event: (level, fields, message) => atOnce(() => logger[level](fields, message)),
    fatal: (message, error) => atOnce(() => logger.fatal({ err: error }, message)),
    dropped: (lines) => atOnce(() => logger.warn({ dropped: lines }, droppedWords)),
    close: () => atOnce(() => logger.flush()),
  };
}

/** For people: colours where they are wanted, the rest of the fields on the same line. */
function prettyStream(stderr: Sink, colorize: boolean) {
  const destination = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      stderr.write(line);
      done();
    },
  });
  return pretty({
    colorize,
    translateTime: "SYS:HH:MM:ss",
    ignore: "method,route,status,milliseconds,code,table",
    singleLine: true,
    destination,
  });
}
