/** The paths of the files that are packaged with the service. */
import { join } from "node:path";

/** Returns the path of a packaged file. This module is one folder below the package, as source and as built. */
export function packaged(name: string): string {
  return join(import.meta.dirname, "..", name);
}
