/** Load on a server: by wrk, or, to try the bench where there is no wrk, by a loop of requests in this process. */
import type { Workshop } from "../run/workshop.ts";
import { startLoop } from "./loop.ts";
import { startWrk } from "./wrk.ts";

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
  /** Without pauses. */
  readonly seconds: number;
  /** How often it was paused. What was under way then was answered meanwhile: a request for each connection. */
  readonly pauses: number;
  /** All bytes of all answers. */
  readonly bytes: number;
  /** How long half, and 99 of 100 requests, took at most. Of no use where there were pauses. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A load that is put on a server now and then. */
export interface Running {
  /** Begins, or goes on after a pause. */
  resume(): void;
  /** No request is sent until it goes on. What was sent is answered, and counted when it goes on. */
  pause(): void;
  /** Ends it, when it has gone on. @throws BenchFailure where any request was refused, or a connection broke */
  end(): Promise<Loaded>;
}

/** Gets a load ready. */
export type Loader = (load: Load) => Running;

/** The load generator of a bench. */
export function createLoader(workshop: Workshop, withWrk: boolean): Loader {
  return withWrk ? (load) => startWrk(workshop, load) : startLoop;
}
