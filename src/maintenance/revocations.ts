/** Which tokens were revoked, also of those that were removed since: the journal remembers them. */
import * as v from "valibot";
import { model } from "../model.ts";
import type { Files } from "../store/files.ts";
import { readHistory } from "../store/reading.ts";

/** When tokens were revoked, in milliseconds since 1970, by their id. */
export type Revocations = ReadonlyMap<string, number>;

/** Reads the revocations that were not undone, as far back as the journal goes. */
export async function readRevocations(files: Files, folder: string): Promise<Revocations> {
  const revoked = new Map<string, number>();
  for await (const { changes } of readHistory(files, folder)) {
    for (const { collection, after } of changes) {
      if (collection !== "tokens" || !v.is(model.tokens.schema, after)) continue;
      const { id, revokedAt } = after;
      if (revokedAt === null) revoked.delete(id);
      else revoked.set(id, revokedAt);
    }
  }
  return revoked;
}
