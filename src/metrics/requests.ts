/** The metrics of requests, which are fed by the records that the log gets. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { RequestRecord } from "../engine/exchange.ts";
import { limitNames } from "../table/limits.ts";

/** The upper bounds of the durations, in seconds. Most reads take less than the first; a change waits for the disk. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];

/** The label of requests that match neither a route nor a page. */
const noRoute = "none";

/** Returns what counts a request. Its labels are bounded by the routes of the tables that have been in force. */
export function observerFor(registry: Registry): (record: RequestRecord) => void {
  const registers = [registry];
  const durations = new Histogram({
    name: "gameaddon_http_request_duration_seconds",
    help: "Time to answer a request, without its wait in the queue, by route and status.",
    labelNames: ["route", "status"],
    buckets,
    registers,
  });
  const limited = new Counter({
    name: "gameaddon_limited_requests_total",
    help: "Requests that a limit refused, by limit.",
    labelNames: ["limit"],
    registers,
  });
  // From 0 on, so that the first refusal is an increase.
  for (const limit of limitNames) limited.inc({ limit }, 0);
  return ({ route, status, milliseconds, limit }) => {
    durations.observe({ route: route ?? noRoute, status }, milliseconds / 1000);
    if (limit !== undefined) limited.inc({ limit });
  };
}
