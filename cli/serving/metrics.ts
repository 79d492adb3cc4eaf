/** Serves the metrics of `serve`. */
import type { Server } from "../../src/http/server.ts";
import type { Metrics } from "../../src/metrics/metrics.ts";
import type { Service } from "../../src/service.ts";
import type { DetachedOutput } from "../terminal/io.ts";
import type { Log } from "./log.ts";

/**
 * Serves metrics at an address, once the table is loaded.
 * @returns a function that ends that
 * @throws Failure if the port is taken or cannot be used
 */
export async function publishMetrics(
  metrics: Metrics,
  version: string,
  address: { readonly host: string; readonly port: number },
  { service, server, outputs, log }: { service: Service; server: Server; outputs: DetachedOutput; log: Log },
): Promise<() => Promise<void>> {
  const { serveMetrics } = await import("../../src/metrics/listener.ts");
  metrics.survey({
    service,
    connections: () => server.connections,
    droppedLogLines: () => outputs.droppedLines(),
    version,
  });
  const listener = await serveMetrics({ ...address, metrics, warn: log.warn });
  log.info(`Serving metrics on ${listener.url}.`);
  return () => listener.close();
}
