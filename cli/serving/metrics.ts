/** The metrics of `serve`. Without an address for them, nothing is loaded or counted. */
import type { RequestRecord } from "../../src/engine/exchange.ts";
import { connectionLimit, descriptorLimit } from "../../src/http/descriptors.ts";
import type { Server } from "../../src/http/server.ts";
import type { Service } from "../../src/service.ts";
import type { Meter } from "../../src/store/journal/meter.ts";
import type { DetachedOutput } from "../terminal/io.ts";
import type { Log } from "./log.ts";

/** What `serve` measures. */
export interface Measuring {
  /** Receives the records of requests, for the log and the metrics. */
  readonly observe: (record: RequestRecord) => void;
  readonly meter: Meter | undefined;
  /**
   * Serves the metrics, once the table is loaded.
   * @returns a function that ends that
   * @throws Failure if the port is taken or cannot be used
   */
  listen(service: Service, server: Server): Promise<() => Promise<void>>;
}

/**
 * Starts to measure.
 * @param address of the metrics; undefined for none
 * @param version of the service
 */
export async function measure(
  address: { readonly host: string; readonly port: number } | undefined,
  log: Log,
  outputs: DetachedOutput,
  version: string,
): Promise<Measuring> {
  if (address === undefined)
    return { observe: log.request, meter: undefined, listen: async () => async () => {} };
  const { Metrics } = await import("../../src/metrics/metrics.ts");
  const metrics = new Metrics();
  return {
    observe(record) {
      metrics.observe(record);
      log.request(record);
    },
    meter: metrics.meter,
    async listen(service, server) {
      const { serveMetrics } = await import("../../src/metrics/listener.ts");
      const { warn } = log;
      metrics.survey({
        service,
        connections: () => server.connections,
        maxConnections: connectionLimit(),
        maxDescriptors: descriptorLimit(),
        droppedLogLines: () => outputs.droppedLines(),
        version,
      });
      try {
        const listener = await serveMetrics({ ...address, metrics, warn });
        log.info(`Serving metrics on ${listener.url}.`);
        return async () => {
          await listener.close();
          metrics.close();
        };
      } catch (error) {
        metrics.close();
        throw error;
      }
    },
  };
}
