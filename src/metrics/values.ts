/** Metrics whose values are read when they are scraped. */
import { Counter, Gauge, type Registry } from "prom-client";

/** A value that may take a moment to read; undefined leaves the metric without one. */
type Value = number | undefined | Promise<number | undefined>;

/** The name and the help text of a metric. */
export interface Named {
  readonly name: string;
  readonly help: string;
}

/** Adds a gauge. It has no value while it cannot be read: the other values of the scrape may show why. */
export function addGauge(registry: Registry, named: Named, read: () => Value): void {
  const readSafely = async () => read();
  new Gauge({
    ...named,
    registers: [registry],
    async collect() {
      const value = await readSafely().catch(() => undefined);
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

/** Adds a counter of something that is counted elsewhere. */
export function addCounter(registry: Registry, named: Named, read: () => number): void {
  new Counter({
    ...named,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
