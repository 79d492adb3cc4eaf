/**
 * Repeating a request safely: with the header `Idempotency-Key` the answer is recorded in the same change as what it
 * tells of, so that the same caller repeating the same key and operation gets that answer and no second change. It
 * makes `statistic/add`, a counter, safe to repeat.
 */
import { createHash } from "node:crypto";
import type { Request } from "../engine/operation.ts";
import type { Input } from "../engine/restriction.ts";
import { Failure } from "../errors.ts";
import { repetitionKey } from "../model.ts";
import type { DataStore, Draft } from "../store/data.ts";

/** How many answers are forgotten with one change. */
const forgottenAtOnce = 500;
/** How long an answer is kept for a repetition. */
const keptMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Runs a change, or gives what it was answered under the same key.
 * @throws Failure `CONFLICT` where the key was used for another operation, or for other parameters
 */
export function once(
  draft: Draft,
  { caller: { scope }, operation, idempotencyKey: key }: Request,
  input: Input,
  now: number,
  change: () => string,
): string {
  if (key === undefined) return change();
  const request = createHash("sha256")
    .update(JSON.stringify([operation, input]))
    .digest("hex");
  const known = draft.repetitions.get(repetitionKey(scope, key));
  if (known !== undefined && now - known.instant < keptMilliseconds) {
    if (known.request === request) return known.info;
    throw new Failure("CONFLICT", "The Idempotency-Key was used for another operation.", {
      parameter: "Idempotency-Key",
      hint: "Use a new key for each operation, and the same one only to repeat it.",
    });
  }
  const info = change();
  draft.repetitions.put({ scope, key, request, info, instant: now });
  return info;
}

/** Removes the answers that are older than they are kept. */
export async function forgetRepetitions(store: DataStore, now: number): Promise<void> {
  const { repetitions } = store.data;
  const old: string[] = [];
  // They are in the order in which they came, except for those that were put again.
  for (const { scope, key, instant } of repetitions.values()) {
    if (now - instant >= keptMilliseconds) old.push(repetitionKey(scope, key));
  }
  // In pieces, so that no request waits for all of a busy day.
  for (let index = 0; index < old.length; index += forgottenAtOnce) {
    const piece = old.slice(index, index + forgottenAtOnce);
    await store.change({ who: "system", operation: "repetitions.forget" }, (draft) => {
      for (const key of piece) draft.repetitions.delete(key);
    });
  }
}
