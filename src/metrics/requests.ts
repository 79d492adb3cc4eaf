/** The metrics of requests, which are fed by the records that the log gets. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { RequestRecord } from "../engine/exchange.ts";
import { limitNames } from "../table/limits.ts";

/** The upper bounds of the durations, in seconds. Most reads take less than the first; a change waits for the disk. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/** The label of requests that match neither a route nor a page. */
const noRoute = "none";

/** The part of a route table that bounds the labels. */
interface Routes {
  readonly routes: readonly { readonly path: string }[];
}

/** See the head of this file. */
export class RequestMetrics {
  readonly #table: () => Routes | undefined;
  readonly #durations: Histogram<"route" | "status">;
  readonly #limited: Counter<"limit">;
  /** The series by route and status. */
  readonly #series = new Map<string, Map<number, Histogram.Internal<"route" | "status">>>();
  readonly #limits = new Set<string>();
  #known: Routes | undefined;

  /** @param table returns the table in force */
  constructor(registry: Registry, table: () => Routes | undefined) {
    this.#table = table;
    this.#durations = new Histogram({
      name: "gameaddon_http_request_duration_seconds",
      help: "Time to answer a request, without its wait in the queue, by route and status.",
      labelNames: ["route", "status"],
      buckets,
      registers: [registry],
    });
    this.#limited = new Counter({
      name: "gameaddon_limited_requests_total",
      help: "Requests that a limit refused, by limit.",
      labelNames: ["limit"],
      registers: [registry],
    });
    // From 0 on, so that the first refusal is an increase.
    for (const limit of limitNames) this.#limited.inc({ limit }, 0);
  }

  /** Counts a request. */
  observe({ route, status, milliseconds, limit }: RequestRecord): void {
    const table = this.#table();
    if (table !== this.#known) this.#adopt(table);
    this.#seriesOf(route ?? noRoute, status).observe(milliseconds / 1000);
    if (limit === undefined) return;
    this.#limits.add(limit);
    this.#limited.inc({ limit });
  }

  #seriesOf(route: string, status: number): Histogram.Internal<"route" | "status"> {
    let byStatus = this.#series.get(route);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.#series.set(route, byStatus);
    }
    let series = byStatus.get(status);
    if (series === undefined) {
      series = this.#durations.labels({ route, status: String(status) });
      byStatus.set(status, series);
    }
    return series;
  }

  /** Removes the series of routes that the table lacks: otherwise each reload of another table would add some. */
  #adopt(table: Routes | undefined): void {
    this.#known = table;
    const paths = new Set([noRoute, ...(table?.routes ?? []).map(({ path }) => path)]);
    for (const [route, byStatus] of this.#series) {
      if (paths.has(route)) continue;
      for (const status of byStatus.keys()) this.#durations.remove({ route, status: String(status) });
      this.#series.delete(route);
    }
    for (const limit of this.#limits) {
      if (paths.has(limit) || !limit.startsWith("/")) continue;
      this.#limited.remove({ limit });
      this.#limits.delete(limit);
    }
  }
}
