/** The version of the package. */
import { readFileSync } from "node:fs";
import { packaged } from "../src/packaged.ts";

/** Returns the version in `package.json`. */
export function version(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(packaged("package.json"), "utf8"));
  return manifest.version;
}
