/**
 * The metrics of the service, in the text format of Prometheus. Requests and the store report to them from the beginning;
 * everything else is read when they are scraped. This room is loaded only if metrics are served.
 */
import { Gauge, Registry } from "prom-client";
import type { RequestRecord } from "../engine/exchange.ts";
import { connectionLimit, descriptorLimit } from "../http/descriptors.ts";
import type { Readiness } from "../http/health-pages.ts";
import type { Meter } from "../store/journal/meter.ts";
import type { Table } from "../table/table.ts";
import { addEventLoopMetrics, addProcessMetrics } from "./process.ts";
import { RequestMetrics } from "./requests.ts";
import { addFileMetrics, meterFor } from "./store.ts";
import { addCounter, addGauges } from "./values.ts";

/** The parts of a service that a scrape reads. */
export interface MeasuredService {
  readonly store: {
    readonly folder: string;
    readonly data: { readonly players: { readonly size: number } };
    /** Undefined where no other machine shares the journal. */
    readonly shared?: { readonly lag: number } | undefined;
  };
  readonly routes: { readonly table: Table };
  readonly streams: { readonly size: number };
  readiness(): Promise<Readiness>;
  clientCount(): Promise<{ readonly total: number; readonly active: number }>;
}

/** Everything else that a scrape reads. */
export interface Surveyed {
  readonly service: MeasuredService;
  /** Returns the number of open connections. */
  readonly connections: () => number;
  /** Returns the number of log lines that were dropped since the start. */
  readonly droppedLogLines: () => number;
  /** The version of the service. */
  readonly version: string;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestMetrics(this.#registry, () => this.#service?.routes.table);
  /** Receives the measurements of the store. */
  readonly meter: Meter = meterFor(this.#registry);
  #service: MeasuredService | undefined;
  #endEventLoop: (() => void) | undefined;

  /** The media type of {@link text}. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts a request. */
  readonly observe = (record: RequestRecord): void => this.#requests.observe(record);

  /** Adds what a scrape reads, once the table is loaded. */
  survey(surveyed: Surveyed): void {
    const registry = this.#registry;
    const { service } = surveyed;
    this.#service = service;
    addFileMetrics(registry, service.store.folder, Date.now);
    this.#endEventLoop = addEventLoopMetrics(registry);
    addServiceMetrics(registry, surveyed);
    addProcessMetrics(registry, descriptorLimit());
  }

  /** Returns all metrics. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Ends what measures at intervals. */
  close(): void {
    this.#endEventLoop?.();
  }
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
  addCounter(
    registry,
    "gameaddon_log_lines_dropped_total",
    "Log lines that were dropped, since their reader was too slow or the disk full.",
    surveyed.droppedLogLines,
  );
}
