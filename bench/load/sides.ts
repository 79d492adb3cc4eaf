/** Sides that are a server under load. */
import { counterTypes, type Dataset } from "../data/dataset.ts";
import { topAnswer } from "../data/expected.ts";
import { killsOf } from "../run/check.ts";
import { pausableSide, type Sample, type Side } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { requireAnswer } from "../run/http.ts";
import type { Product } from "../run/product.ts";
import type { Server } from "../run/server.ts";
import { settings } from "../settings.ts";
import { Paced } from "./paced.ts";
import { type Load, prepareWrk } from "./wrk.ts";

/** Returns the figure by which a load is judged. Requests that were answered in pauses are not included. */
type Judge = (load: { readonly requests: number; readonly seconds: number; readonly p99: number }) => number;

/** Requests a second. */
export const perSecond: Judge = ({ requests, seconds }) => requests / seconds;

/** Seconds per request, all connections together. */
export const secondsEach: Judge = ({ requests, seconds }) => seconds / requests;

/** The latency of the slowest 1 %, microseconds as seconds. */
export const slowestPercent: Judge = ({ p99 }) => p99 / 1e6;

/** The rate of changes beside the reads of the top list, per second. */
export const changesPerSecond = 1000;

/** A server under load. */
export interface LoadSide extends Required<Omit<Side, "check">> {
  /** Answers and their bytes so far, and requests that may have been cut off: one per connection each time. */
  readonly counts: { answered: number; bytes: number; cutOff: number };
  /** @throws BenchFailure unless the server's log has a line for each request: it would have done less work */
  requireLog(): Promise<void>;
}

/** Returns a server under load as a side. */
export function loadSide(server: Server, load: Load, judge: Judge): LoadSide {
  const counts = { answered: 0, bytes: 0, cutOff: 0 };
  const side = pausableSide(async () => {
    const cpuBefore = await server.cpuSeconds();
    const wrk = prepareWrk(server.url, load);
    const end = async (): Promise<Sample> => {
      const { requests: answered, pauses, bytes, seconds, p50, p99, max } = await wrk.end();
      const cpu = (await server.cpuSeconds()) - cpuBefore;
      server.requireAlive();
      counts.answered += answered;
      counts.bytes += bytes;
      counts.cutOff += load.connections;
      const requests = answered - pauses * load.connections;
      // A pause would count as the latency of the requests under way.
      const slowest = pauses > 0 ? {} : { p99Microseconds: p99, maxMicroseconds: max };
      const details = { requests, p50Microseconds: p50, ...slowest, cpuMicroseconds: (cpu * 1e6) / answered };
      return { value: judge({ requests, seconds, p99 }), details };
    };
    return { resume: wrk.resume, pause: wrk.pause, end };
  });
  return {
    ...side,
    counts,
    async requireLog() {
      const lines = await server.logLines();
      const { answered } = counts;
      // The last lines may not be written yet.
      ensure(lines >= answered * 0.9 - 1000, () => `the log has ${lines} lines after ${answered} requests`);
    },
  };
}

/** Returns reads of a path by every caller as a side. */
export function readSide({ server, dataset }: Product, path: string, judge: Judge) {
  return loadSide(server, { paths: dataset.paths(path), connections: settings.connections }, judge);
}

/** Returns additions to the kills of every caller as a side. Its check compares the sum with the answers. */
export async function additionSide(
  server: Server,
  dataset: Dataset,
  connections: number,
  judge: Judge,
): Promise<LoadSide & Required<Side>> {
  const side = loadSide(
    server,
    { paths: dataset.paths("/statistic/{name}/add?type=KILL"), connections },
    judge,
  );
  const before = await killsOf(server.url, dataset);
  return {
    ...side,
    async check() {
      const counted = (await killsOf(server.url, dataset)) - before;
      const { answered, cutOff } = side.counts;
      ensure(
        counted >= answered && counted <= answered + cutOff,
        () => `${answered} additions were answered, at most ${cutOff} cut off, but ${counted} counted`,
      );
    },
  };
}

/** Returns reads of the top list as a side, beside paced additions of every type by the players who are in it. */
export function changingTop(product: Product): Required<Side> {
  const { server, dataset } = product;
  const leaders = dataset.leaders();
  const changes = counterTypes.flatMap(([counter, type]) =>
    leaders.map((number) => ({ number, counter, url: `/statistic/{name}/add?type=${type}` })),
  );
  const urls = changes.map(({ number, url }) => `${server.url}${dataset.path(number, url)}`);
  const added = urls.map(() => 0);
  const reads = readSide(product, "/statistic/top", secondsEach);
  const side = pausableSide(async () => {
    const paced = new Paced(urls, changesPerSecond);
    const measurement = await reads.prepare();
    return {
      resume() {
        paced.resume();
        measurement.resume();
      },
      pause() {
        measurement.pause();
        paced.pause();
      },
      async end(): Promise<Sample> {
        paced.resume();
        const { value, details } = await measurement.end().finally(() => paced.pause());
        const rate = await paced.end();
        for (const [index, count] of paced.answered.entries()) added[index] = (added[index] ?? 0) + count;
        return { value, details: { ...details, changesPerSecond: rate } };
      },
    };
  });
  return {
    ...side,
    async check() {
      const changed = new Map(leaders.map((number) => [number, dataset.statistic(number)]));
      for (const [index, { number, counter }] of changes.entries()) {
        const statistic = changed.get(number) ?? dataset.statistic(number);
        changed.set(number, { ...statistic, [counter]: statistic[counter] + (added[index] ?? 0) });
      }
      const [caller = 0] = dataset.callers;
      await requireAnswer(
        `${server.url}${dataset.path(caller, "/statistic/top")}`,
        topAnswer(dataset, changed),
      );
    },
  };
}
