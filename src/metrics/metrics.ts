/**
 * The metrics of the service, in the text format of Prometheus. Requests and the store report to them from the beginning;
 * everything else is read when they are scraped. This room is loaded only if metrics are served.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { connectionLimit } from "../http/descriptors.ts";
import type { Service } from "../service.ts";
import { observerFor } from "./requests.ts";
import { addFileMetrics, meterFor } from "./store.ts";
import { addGauges } from "./values.ts";

/** What a scrape reads. */
export interface Surveyed {
  readonly service: Service;
  /** Returns the number of open connections. */
  readonly connections: () => number;
  /** Returns the number of log lines that were dropped since the start. */
  readonly droppedLogLines: () => number;
  /** The version of the service. */
  readonly version: string;
}

export class Metrics {
  /** Holds all metrics. */
  readonly registry = new Registry();
  /** Counts a request. */
  readonly observe = observerFor(this.registry);
  /** Receives the measurements of the store. */
  readonly meter = meterFor(this.registry);

  /** Adds what a scrape reads, once the table is loaded. */
  survey(surveyed: Surveyed): void {
    addFileMetrics(this.registry, surveyed.service.store.folder, Date.now);
    addServiceMetrics(this.registry, surveyed);
    addProcessMetrics(this.registry);
  }
}

/** Adds the metrics of the process and of Node.js that every Node.js program has. */
function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  // These list every connection for each scrape.
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith("nodejs_active_")) registry.removeSingleMetric(name);
}

function addServiceMetrics(registry: Registry, surveyed: Surveyed): void {
  const { service, version } = surveyed;
  new Gauge({
    name: "gameaddon_info",
    help: "The versions of the service and of Node.js; always 1.",
    labelNames: ["version", "node"],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
  addGauges(registry, {
    gameaddon_changes_accepted: [
      "Whether changes are accepted: 1, or 0 as /ready explains.",
      async () => Number((await service.readiness()).changes),
    ],
    gameaddon_players: ["Registered players.", () => service.store.data.players.size],
    gameaddon_clients: ["Players with a valid token.", async () => (await service.clientCount()).total],
    gameaddon_active_clients: [
      "Clients with a request in the last 3 days.",
      async () => (await service.clientCount()).active,
    ],
    gameaddon_shared_lag_changes: [
      "Changes of other machines that this one lacks; 0 without a shared journal.",
      () => service.store.shared?.lag ?? 0,
    ],
    gameaddon_connections: ["Open connections, without those of scrapes and commands.", surveyed.connections],
    gameaddon_streams: ["Open streams, each on a connection of its own.", () => service.streams.size],
    gameaddon_connections_max: [
      "Connections that may be open. Beyond it, those that are idle longest are closed.",
      connectionLimit,
    ],
  });
  new Counter({
    name: "gameaddon_log_lines_dropped_total",
    help: "Log lines that were dropped, since their reader was too slow or the disk full.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(surveyed.droppedLogLines());
    },
  });
}
