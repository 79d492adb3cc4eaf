/** What came with the service: its files, and where they are. */
import { join } from "node:path";

/** A file that came with the service. This one is one folder below the package's own, as source and as built. */
export function packaged(name: string): string {
  return join(import.meta.dirname, "..", name);
}
