/** The revision of a route table: a short hash of its text. */
import { createHash } from "node:crypto";

export function revisionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export function isRevision(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}
