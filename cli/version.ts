/** The version of this package. */
import { readFileSync } from "node:fs";
import { packaged } from "../src/packaged.ts";

export function version(): string {
  const { version: value } = JSON.parse(readFileSync(packaged("package.json"), "utf8")) as {
    version: string;
  };
  return value;
}
