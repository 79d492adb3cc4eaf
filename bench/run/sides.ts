/** Sides under load: requests to a server, and additions to statistics whose sum is checked afterwards. */
import type { Load, Loaded } from "../load/load.ts";
import type { World } from "../scale/world.ts";
import type { Bench } from "./bench.ts";
import { killsOf } from "./check.ts";
import { PausableSide, type Piece, type Turns } from "./compare.ts";
import { ensure } from "./failure.ts";
import type { ServerProcess } from "./server.ts";

/** What a load is judged by. What was answered in pauses is not among the requests. */
export type Judged = (loaded: Pick<Loaded, "requests" | "seconds" | "p99">) => number;

/** Requests a second. */
export const perSecond: Judged = ({ requests, seconds }) => requests / seconds;

/** Seconds a request, all connections together. */
export const secondsEach: Judged = ({ requests, seconds }) => seconds / requests;

/** How long the fastest of the slowest 1 % takes, in seconds. */
export const slowestPercent: Judged = ({ p99 }) => p99;

/** A server under load. */
export class LoadSide extends PausableSide {
  readonly #bench: Bench;
  readonly #server: ServerProcess;
  readonly #load: Omit<Load, "url">;
  readonly #judged: Judged;
  /** Answers so far, warming included. */
  answered = 0;
  /** Requests that may have been cut off so far: as many as there are connections, each time. */
  cutOff = 0;
  #bytes = 0;

  constructor(bench: Bench, server: ServerProcess, load: Omit<Load, "url">, judged: Judged) {
    super();
    this.#bench = bench;
    this.#server = server;
    this.#load = load;
    this.#judged = judged;
  }

  async takeTurns(): Promise<Turns> {
    const before = await this.#server.cpuSeconds();
    const running = this.#bench.load({ url: this.#server.url, ...this.#load });
    return {
      resume: () => running.resume(),
      pause: () => running.pause(),
      end: async () => this.#toPiece(await running.end(), before),
    };
  }

  async #toPiece(loaded: Loaded, cpuBefore: number | undefined): Promise<Piece> {
    const cpuAfter = await this.#server.cpuSeconds();
    this.#server.requireAlive();
    this.answered += loaded.requests;
    this.cutOff += this.#load.connections;
    this.#bytes += loaded.bytes;
    const cpu =
      cpuBefore === undefined || cpuAfter === undefined
        ? {}
        : { cpuMicroseconds: ((cpuAfter - cpuBefore) * 1e6) / loaded.requests };
    const { pauses, p50, p99, max } = loaded;
    const requests = loaded.requests - pauses * this.#load.connections;
    const slowest = pauses > 0 ? {} : { p99Microseconds: p99 * 1e6, maxMicroseconds: max * 1e6 };
    const details = { requests, p50Microseconds: p50 * 1e6, ...slowest, ...cpu };
    return { value: this.#judged({ ...loaded, requests }), details };
  }

  /** The bytes of an answer in the mean. */
  get bytesEach(): number {
    return this.#bytes / this.answered;
  }

  /** @throws BenchFailure where the server's log has no line for each request: it would have done less work */
  async requireLog(): Promise<void> {
    const lines = await this.#server.logLines();
    // The last lines may not have been written yet.
    ensure(
      lines >= this.answered * 0.9 - 1000,
      () => `the log has ${lines} lines after ${this.answered} requests`,
    );
  }
}

/** Additions to the kills of some players, counted before and after. */
export class Additions {
  readonly side: LoadSide;
  readonly #server: ServerProcess;
  readonly #world: World;
  #before = 0;

  private constructor(side: LoadSide, server: ServerProcess, world: World) {
    this.side = side;
    this.#server = server;
    this.#world = world;
  }

  /** Each caller adds kills of its own, in turn. */
  static async on(
    bench: Bench,
    server: ServerProcess,
    world: World,
    connections: number,
    judged: Judged,
  ): Promise<Additions> {
    const paths = world.paths("/statistic/{name}/add?type=KILL");
    const side = new LoadSide(bench, server, { paths, connections }, judged);
    const additions = new Additions(side, server, world);
    additions.#before = await additions.#sum();
    return additions;
  }

  /** @throws BenchFailure where not exactly what was answered was counted, but for what was cut off */
  async check(): Promise<void> {
    const counted = (await this.#sum()) - this.#before;
    const { answered, cutOff } = this.side;
    ensure(
      counted >= answered && counted <= answered + cutOff,
      () => `${answered} additions were answered, and at most ${cutOff} cut off, but ${counted} were counted`,
    );
  }

  async #sum(): Promise<number> {
    const kills = await killsOf(this.#server.url, this.#world, this.#world.callers);
    return kills.reduce((sum, each) => sum + each, 0);
  }
}
