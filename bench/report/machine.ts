/** What the figures were measured on, without anything that tells whose machine it is. */
import { arch, availableParallelism, cpus, platform, totalmem } from "node:os";

/** The machine. */
export function machine() {
  return {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    processors: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryMiB: Math.round(totalmem() / 2 ** 20),
  };
}
