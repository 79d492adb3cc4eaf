/** The files that are packaged with the service, and its version. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the path of a packaged file. This module is one folder below the package, as source and as built. */
export function packaged(name: string): string {
  return join(import.meta.dirname, "..", name);
}

/** Of the package, which is read once: it may be replaced under a running service. */
export const { version, license }: Readonly<Record<"version" | "license", string>> = JSON.parse(
  readFileSync(packaged("package.json"), "utf8"),
);
