/** The revocations of tokens in the journal, including those of tokens that were removed since. An undone issue is one. */
import * as v from "valibot";
import { model, type Token } from "../domain/model.ts";
import type { DataStore } from "../store/data.ts";
import type { Files } from "../store/folder/files.ts";
import { readHistory } from "../store/journal/history.ts";

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
  /** The changes of tokens, by number and id: those that took an issue back, and those that brought back what was no issue. */
  const takenBack = new Set<string>();
  const broughtBack = new Set<string>();
  const close = data.tokens.watch((id, _before, after) => {
    if (after === undefined) return;
    late.add(id);
    take(after);
  });
  try {
    for await (const { sequence, instant, operation, undoes, changes } of readHistory(files, folder)) {
      for (const { collection, key, before, after } of changes) {
        if (collection !== "tokens" || late.has(key)) continue;
        const [own, undone] = [`${sequence} ${key}`, `${undoes} ${key}`];
        // The undo of a restore, or of what brought a removed player back, takes nothing from anybody.
        const isIssue = undoes === null ? operation !== "data.restore" : takenBack.has(undone);
        if (before === null && !isIssue) broughtBack.add(own);
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
