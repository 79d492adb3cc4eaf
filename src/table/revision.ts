/** The revision of a route table: a short hash of its text. */
import { createHash } from "node:crypto";

/** Returns the revision of a table with this text. */
export function revisionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Whether a text has the form of a revision. */
export function isRevision(text: string): boolean {
  return /^[0-9a-f]{12}$/.test(text);
}
