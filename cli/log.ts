/** The log: one line a request, readable on a terminal and JSON otherwise. Never a raw URL, never a token. */
import { Writable } from "node:stream";
import pino from "pino";
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

/** Writes to standard error, since standard output is for results. */
export function createLog({ stderr, env }: IO): Log {
  const readable = stderr.isTTY === true;
  const sink = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      stderr.write(line);
      done();
    },
  });
  const stream = readable
    ? pretty({
        colorize: !env.NO_COLOR,
        translateTime: "SYS:HH:MM:ss",
        ignore: "pid,hostname,method,route,status,milliseconds,code",
        singleLine: true,
        destination: sink,
      })
    : sink;
  const logger = pino(
    {
      // Whatever an error's text may contain: a token does not get past here.
      hooks: { streamWrite: withoutTokens },
    },
    stream,
  );
  return {
    request({ error, ...record }) {
      const { method, route, status, milliseconds, code } = record;
      const fields = { ...record, milliseconds: Math.round(milliseconds * 1000) / 1000 };
      const words = `${method} ${route ?? "-"} ${status}${code === null ? "" : ` ${code}`} ${milliseconds.toFixed(1)} ms`;
      if (error === undefined) logger.info(fields, words);
      else logger.error({ ...fields, err: error }, words);
    },
    info: (message) => logger.info(message),
    warn: (message, error) => logger.warn({ err: error }, message),
    fatal: (message, error) => logger.fatal({ err: error }, message),
    close: () => logger.flush(),
  };
}
