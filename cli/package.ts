/** What came with the service: its files, and its version. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file that came with the service. This file is two folders below the package as source, three when built. */
export function packaged(name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const root = here.endsWith(join("dist", "cli")) ? join(here, "..", "..") : join(here, "..");
  return join(root, name);
}

/** The version of this package. */
export function version(): string {
  const { version: value } = JSON.parse(readFileSync(packaged("package.json"), "utf8")) as {
    version: string;
  };
  return value;
}
