/** The revocations of tokens in the journal, including those of tokens that were removed since. An undone issue is one. */
import * as v from "valibot";
import { model, type Token } from "../domain/model.ts";
import type { DataStore } from "../store/data.ts";
import type { Files } from "../store/folder/files.ts";
import { readHistory } from "../store/journal/history.ts";

/** The operations of the journal that bring back earlier data. */
export const restoreOperations: readonly string[] = ["data.restore", "data.import"];

/** When tokens were revoked, in milliseconds since 1970, by token id. */
export type Revocations = ReadonlyMap<string, number>;

/** Reads the revocations in the journal that were not undone, and follows new ones until `close` is called. */
export async function followRevocations(files: Files, { folder, data }: Pick<DataStore, "folder" | "data">) {
  const revocations = new Map<string, number>();
  /** The tokens that are set meanwhile: what the journal says of them is older. */
  const late = new Set<string>();
  const take = ({ id, revokedAt }: Token) => {
    if (revokedAt === null) revocations.delete(id);
    else revocations.set(id, revokedAt);
  };
  /** The changes, by number and token, that took the issue of the token back. */
  const takenBack = new Set<string>();
  /** Those that brought a token back which nobody had revoked: their undo revokes nothing. */
  const broughtBack = new Set<string>();
  const close = data.tokens.watch((id, _before, after) => {
    if (after === undefined) return;
    late.add(id);
    take(after);
  });
  try {
    let first: number | undefined;
    for await (const { sequence, instant, operation, undoes, changes } of readHistory(files, folder)) {
      first ??= sequence;
      for (const { collection, key, before, after } of changes) {
        if (collection !== "tokens" || late.has(key)) continue;
        const [own, undone] = [`${sequence} ${key}`, `${undoes} ${key}`];
        // A restore, and the undo of a removal of the player. An undone change that the journal lacks can be anything.
        const isReturn =
          undoes === null ? restoreOperations.includes(operation) : undoes >= first && !takenBack.has(undone);
        if (before === null && isReturn) broughtBack.add(own);
        if (after === null && undoes !== null && !broughtBack.has(undone)) {
          takenBack.add(own);
          revocations.set(key, instant);
        } else if (v.is(model.tokens.schema, after)) take(after);
      }
    }
  } catch (error) {
    close();
    throw error;
  }
  return { revocations, close };
}
