/** The metrics of the process: the processor, memory, descriptors and the event loop. */
import { readdir } from "node:fs/promises";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";
import { addCounter, addGauges } from "./values.ts";

/** The interval at which the delay of the event loop is measured, in milliseconds. */
const resolution = 10;
const nanosecondsPerSecond = 1e9;

/** Adds the metrics of the process. Their names are those of every Prometheus client. */
export function addProcessMetrics(registry: Registry, maxDescriptors: number): void {
  const started = Date.now() / 1000 - process.uptime();
  addCounter(registry, "process_cpu_seconds_total", "Processor time of the process, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  addGauges(registry, {
    process_resident_memory_bytes: ["Resident memory of the process.", () => process.memoryUsage.rss()],
    process_start_time_seconds: ["Start of the process, in seconds since 1970.", () => started],
    process_open_fds: [
      "Open file descriptors; only on Linux.",
      async () => (await readdir("/proc/self/fd")).length,
    ],
    process_max_fds: [
      "File descriptors that the process may open.",
      () => (Number.isFinite(maxDescriptors) ? maxDescriptors : undefined),
    ],
  });
}

/** Measures the delay of the event loop from now on. @returns a function that ends it */
export function addEventLoopMetrics(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  new Gauge({
    name: "gameaddon_event_loop_delay_seconds",
    help: "Delay of timers by other work since the last scrape: the median, the 99th percentile, the maximum.",
    labelNames: ["statistic"],
    registers: [registry],
    collect() {
      for (const [statistic, seconds] of Object.entries(statisticsOf(delays)))
        this.set({ statistic }, seconds);
      delays.reset();
    },
  });
  return () => delays.disable();
}

/** Returns delays in seconds. The histogram has the time between two timers, of which the interval was intended. */
function statisticsOf(delays: IntervalHistogram): Readonly<Record<"median" | "p99" | "max", number>> {
  const delayOf = (nanoseconds: number) =>
    delays.count === 0 ? 0 : Math.max(0, nanoseconds / nanosecondsPerSecond - resolution / 1000);
  return {
    median: delayOf(delays.percentile(50)),
    p99: delayOf(delays.percentile(99)),
    max: delayOf(delays.max),
  };
}
