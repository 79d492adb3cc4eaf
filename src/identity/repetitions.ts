/**
 * Makes operations that count, such as `statistic/add`, safe to repeat: with the header `Idempotency-Key` the answer is
 * recorded in the same change as what it counts, so that a repetition by the same caller gets that answer and counts
 * nothing. Other changes are harmless to repeat, and nothing is recorded of them (contract, section 0).
 */
import { createHash } from "node:crypto";
import { Failure } from "../domain/errors.ts";
import { repetitionKey } from "../domain/model.ts";
import type { DataStore, Draft } from "../store/data.ts";
import type { Caller } from "../table/caller.ts";
import type { Request } from "../table/operation.ts";
import type { Input } from "../table/restriction/restriction.ts";

/** How many expired answers are forgotten with one change. */
const forgottenAtOnce = 500;
/** How long an answer is remembered. */
const keptMilliseconds = 24 * 60 * 60 * 1000;

/** How many answers are remembered at most, by the index of the model that counts them. */
const most = { scope: 1000, all: 100_000 } as const;
/**
 * How many of the oldest are forgotten at once where there are too many. Of all a hundred: finding the first of 100,000
 * takes 40 µs, since a `Set` passes over what was removed before it. The same number bounds what one change forgets of a
 * folder that an older version has filled beyond these limits.
 */
const steps = { scope: 1, all: 100 } as const;
const mostForgotten = 100;

/** What tells a repetition: who asks, for what, and under which key. */
export interface CountedRequest extends Pick<Request, "operation" | "idempotencyKey"> {
  readonly caller: Pick<Caller, "scope">;
}

/**
 * Runs a change that counts, or returns what it was answered under the same key.
 * @throws Failure `CONFLICT` where the key was used for another operation, or for other parameters
 */
export function once(
  draft: Draft,
  { caller: { scope }, operation, idempotencyKey: key }: CountedRequest,
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
  forgetOldest(draft, "scope", scope);
  forgetOldest(draft, "all", "");
  return info;
}

/** Forgets the oldest answers that an index gives for a value, where there are more than are remembered. */
function forgetOldest({ repetitions }: Draft, index: keyof typeof most, value: string): void {
  const excess = repetitions.count(index, value) - most[index];
  if (excess <= 0) return;
  const oldest: string[] = [];
  for (const { scope, key } of repetitions.each(index, value)) {
    oldest.push(repetitionKey(scope, key));
    if (oldest.length >= Math.min(Math.max(excess, steps[index]), mostForgotten)) break;
  }
  for (const key of oldest) repetitions.delete(key);
}

/** Removes the answers that have expired. */
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
