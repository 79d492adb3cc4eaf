/** Metrics whose values are read when they are scraped. */
import { Gauge, type Registry } from "prom-client";

/** A value that may take a moment to read; undefined leaves the metric without one. */
type Value = number | undefined | Promise<number | undefined>;

/** Gauges by name, each with its help text and what reads its value. */
type Gauges = Readonly<Record<string, readonly [help: string, read: () => Value]>>;

/** Adds gauges. One has no value while it cannot be read: the other values of the scrape may show why. */
export function addGauges(registry: Registry, gauges: Gauges): void {
  for (const [name, [help, read]] of Object.entries(gauges)) {
    const readSafely = async () => read();
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await readSafely().catch(() => undefined);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }
}
