/** The revocations of tokens in the journal, including those of tokens that were removed since. */
import * as v from "valibot";
import { model, type Token } from "../domain/model.ts";
import type { DataStore } from "../store/data.ts";
import type { Files } from "../store/folder/files.ts";
import { readHistory } from "../store/journal/history.ts";

/** When tokens were revoked, in milliseconds since 1970, by token id. */
export type Revocations = ReadonlyMap<string, number>;

/** Revocations that stay up to date. */
export interface FollowedRevocations {
  readonly revocations: Revocations;
  /** Stops following the store. */
  readonly close: () => void;
}

/** Reads the revocations in the journal that were not undone, and follows new ones. */
export async function followRevocations(
  files: Files,
  { folder, data }: Pick<DataStore, "folder" | "data">,
): Promise<FollowedRevocations> {
  const revoked = new Map<string, number>();
  const take = ({ id, revokedAt }: Token) => {
    if (revokedAt === null) revoked.delete(id);
    else revoked.set(id, revokedAt);
  };
  // Changes made while the journal is read come after those that are read.
  const late: Token[] = [];
  let note = (token: Token): void => void late.push(token);
  const close = data.tokens.watch((_id, _before, after) => {
    if (after !== undefined) note(after);
  });
  try {
    for await (const { changes } of readHistory(files, folder)) {
      for (const { collection, after } of changes) {
        if (collection === "tokens" && v.is(model.tokens.schema, after)) take(after);
      }
    }
  } catch (error) {
    close();
    throw error;
  }
  for (const token of late) take(token);
  note = take;
  return { revocations: revoked, close };
}
