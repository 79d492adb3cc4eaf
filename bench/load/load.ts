/** Load on a server: by wrk, or, to try the bench where there is no wrk, by a loop of requests in this process. */
import type { Workshop } from "../run/workshop.ts";
import { runLoop } from "./loop.ts";
import { runWrk } from "./wrk.ts";

/** What is asked of a server. */
export interface Load {
  /** The server, without a slash at the end. */
  readonly url: string;
  /** Asked for one after another, and again from the first. They have tokens in them. */
  readonly paths: readonly string[];
  /** Connections, each with one request under way. */
  readonly connections: number;
  /** How many milliseconds a connection waits at most before each request; in the mean half of it. */
  readonly think?: number;
}

/** What came of a load. Times are in seconds. */
export interface Loaded {
  /** Answers with a good status. What was cut off at the end is not among them. */
  readonly requests: number;
  readonly seconds: number;
  /** All bytes of all answers. */
  readonly bytes: number;
  /** How long half, and 99 of 100 requests, took at most. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Puts load on servers. */
export type Loader = (load: Load, seconds: number) => Promise<Loaded>;

/** The load generator of a bench. */
export function createLoader(workshop: Workshop, withWrk: boolean): Loader {
  return withWrk ? (load, seconds) => runWrk(workshop, load, seconds) : runLoop;
}
