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

export class RequestMetrics {
  readonly #table: () => Routes | undefined;
  readonly #durations: Histogram<"route" | "status">;
  readonly #limited: Counter<"limit">;
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
    this.#begin();
  }

  /** Counts a request. */
  observe({ route, status, milliseconds, limit }: RequestRecord): void {
    const table = this.#table();
    if (table !== this.#known) this.#adopt(table);
    this.#durations.observe({ route: route ?? noRoute, status }, milliseconds / 1000);
    if (limit !== undefined) this.#limited.inc({ limit });
  }

  /** Begins again where the table lacks a route of the one before: otherwise each reload of another table would add some. */
  #adopt(table: Routes | undefined): void {
    const paths = new Set(table?.routes.map(({ path }) => path));
    const isAnyGone = this.#known?.routes.some(({ path }) => !paths.has(path)) === true;
    this.#known = table;
    if (isAnyGone) this.#begin();
  }

  #begin(): void {
    this.#durations.reset();
    this.#limited.reset();
    // From 0 on, so that the first refusal is an increase.
    for (const limit of limitNames) this.#limited.inc({ limit }, 0);
  }
}
