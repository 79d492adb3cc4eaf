/** The log: one line per request, readable on a terminal and JSON otherwise, without URLs and tokens. */
import { Writable } from "node:stream";
import pino from "pino";
import pretty from "pino-pretty";
import { Failure } from "../../src/domain/errors.ts";
import type { RequestRecord } from "../../src/engine/exchange.ts";
import { withoutTokens } from "../../src/identity/tokens.ts";
import { FileError } from "../../src/store/folder/files.ts";
import type { IO, Sink } from "../terminal/io.ts";
import type { LogOptions } from "./log-options.ts";

export type Log = ReturnType<typeof createLog>;

/**
 * The most requests of which lines are written at once, and how long the first of them waits, in milliseconds: a line
 * between two requests costs several times as much.
 */
const maxWaiting = 256;
const interval = 10;

const droppedWords = "Dropped log lines that could not be written.";
const omittedWords = "Omitted log lines of further requests without a known caller.";

/** Creates the log on standard error, since standard output is for results. */
export function createLog(
  { stderr, env }: Pick<IO, "stderr" | "env">,
  { logRequests: requests = "all", logLevel: level = "info" }: LogOptions = {},
) {
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
  /** The time of the line: a request is logged later than it is answered. */
  let time: number | undefined;
  const timestamp = () => `,"time":${time ?? Date.now()}`;
  // Removes tokens, which the text of an error may contain.
  const hooks = { streamWrite: withoutTokens };
  const logger = pino({ level, base: null, timestamp, hooks, serializers: { err: serialize } }, stream);
  // A caller that keeps exceeding a limit is logged once each time that the limit allows a request: the log must not grow
  // as fast as anybody sends.
  const isLogged = ({ code, error, isRepeated }: RequestRecord) =>
    error !== undefined ||
    (level === "info" &&
      isRepeated !== true &&
      (requests === "all" || (requests === "failures" && code !== null)));
  const write = (record: RequestRecord) => {
    if (record.code === null && !readable) {
      lines.write(servedLine(record, time ?? Date.now()));
      return;
    }
    const { requestId, method, route, status, caller, token, address, code, limit, reason, error } = record;
    const milliseconds = rounded(record.milliseconds);
    const who = { caller, token, address };
    const fields = { requestId, method, route, status, milliseconds, ...who, code, limit, reason };
    const words = `${method} ${route ?? "-"} ${status}${code === null ? "" : ` ${code}`} ${milliseconds.toFixed(1)} ms`;
    if (error === undefined) logger.info(fields, words);
    else logger.error({ ...fields, err: error }, words);
  };
  /** The requests whose lines are not written yet, each with the time of its answer in milliseconds since 1970. */
  let waiting: { readonly record: RequestRecord; readonly time: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const request of waiting) {
      time = request.time;
      write(request.record);
    }
    time = undefined;
    waiting = [];
    writeOut();
  };
  /** Writes at once what is not a request: the process may be ending. */
  const atOnce = (log: () => void) => {
    flush();
    log();
    writeOut();
  };
  const strangers = boundStrangers((omitted) => atOnce(() => logger.warn({ omitted }, omittedWords)));
  return {
    request(record: RequestRecord) {
      if (!isLogged(record)) return;
      const isStranger = record.caller === null && record.token === undefined;
      if (isStranger && record.error === undefined && !strangers.allow()) return;
      waiting.push({ record, time: Date.now() });
      if (record.error !== undefined || waiting.length >= maxWaiting) flush();
      else timer ??= setTimeout(flush, interval);
    },
    info: (message: string) => atOnce(() => logger.info(message)),
    warn: (message: string, error?: unknown) =>
      // On a terminal, lines that quote a table stay lines.
      isRefusal(error) && readable
        ? atOnce(() => logger.warn(`${message} ${wordsOf(error)}`))
        : atOnce(() => logger.warn({ err: error }, message)),
    /** Writes a line with fields, which a terminal does not show. */
    event: (level: "info" | "warn", fields: { readonly table: object }, message: string) =>
      atOnce(() => logger[level](fields, message)),
    fatal: (message: string, error: unknown) => atOnce(() => logger.fatal({ err: error }, message)),
    /** Reports the number of lines that could not be written. */
    dropped: (lines: number) => atOnce(() => logger.warn({ dropped: lines }, droppedWords)),
    /** Writes what is buffered. */
    close() {
      strangers.end();
      atOnce(() => logger.flush());
    },
  };
}

/**
 * Formats the line of a successful request, as nearly all are, as pino would, but in a third of the time. It contains no
 * input, so that no token has to be removed from it.
 * @param time milliseconds since 1970
 */
function servedLine(record: RequestRecord, time: number): string {
  const { method, route, status, milliseconds, caller, token, address, requestId } = record;
  let line = `{"level":30,"time":${time},"method":"${method}","route":${JSON.stringify(route)},"status":${status}`;
  line += `,"milliseconds":${rounded(milliseconds)},"caller":${JSON.stringify(caller)}`;
  if (token !== undefined) line += `,"token":${JSON.stringify(token)}`;
  if (address !== undefined) line += `,"address":${JSON.stringify(address)}`;
  return `${line},"requestId":"${requestId}"}\n`;
}

/** Rounds milliseconds to thousandths. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** The most lines of strangers in a window, and its length in milliseconds. At 250 bytes, these are 10 lines and 2.5 KB a second. */
const strangerLines = { most: 600, window: 60_000 };

/**
 * Bounds the log lines of requests without a known caller. No limit of the table applies to pages, preflights and requests
 * that are not valid HTTP, so that otherwise the log would grow as fast as anybody sends.
 * @param report called at the end of each window in which lines were omitted
 */
function boundStrangers(report: (omitted: number) => void) {
  let count = 0;
  let window: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(window);
    window = undefined;
    const omitted = count - strangerLines.most;
    count = 0;
    if (omitted > 0) report(omitted);
  };
  /** Counts a line. Returns whether it may be written. */
  const allow = () => {
    window ??= setTimeout(end, strangerLines.window).unref();
    count += 1;
    return count <= strangerLines.most;
  };
  return { allow, end };
}

/**
 * Returns whether an error is a sentence for a person, such as that of a typo in the table or of a full disk: its stack
 * says nothing.
 */
function isRefusal(error: unknown): error is Failure | FileError {
  return error instanceof Failure || error instanceof FileError;
}

/** Returns what happened, and for the operator alone why and what to do. */
function wordsOf(error: Failure | FileError): string {
  const hint = error instanceof Failure ? error.operatorHint : undefined;
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}

function serialize(error: Error) {
  if (!isRefusal(error)) return pino.stdSerializers.err(error);
  const { name: type, message } = error;
  if (!(error instanceof Failure)) return { type, message };
  return { type, message, code: error.code, hint: error.operatorHint ?? error.hint };
}

/** Returns a stream that formats lines for a person. */
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
