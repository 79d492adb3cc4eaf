/**
 * Idempotency keys: they make operations that count, such as `statistic/add`, safe to repeat. The answer is stored in the
 * change itself, so that a repetition by the same caller gets that answer and counts nothing. Other changes are harmless
 * to repeat and store nothing.
 */
import { hash } from "node:crypto";
import { Failure } from "../domain/errors.ts";
import { dayMilliseconds } from "../domain/instant.ts";
import { repetitionKey } from "../domain/model.ts";
import type { Draft } from "../store/data.ts";
import type { Input } from "../table/restriction/restriction.ts";

/** The most answers of a caller, and of all callers. */
const most = { ofCaller: 1000, inAll: 100_000 };
/**
 * The number of the oldest answers that one change deletes, at most: data of older versions may exceed the limits. Finding
 * the oldest of 100,000 takes 40 µs, because a `Map` skips over its deleted entries: of all callers' answers so many go
 * at once.
 */
const mostDeleted = 100;

/** What identifies the repetitions of a request, and which request it is. */
export interface RepeatableRequest {
  readonly scope: string;
  /** Its `Idempotency-Key`. */
  readonly key: string;
  readonly operation: string;
  readonly input: Input;
}

/**
 * Runs a change that counts, or returns the stored answer of its key.
 * @throws Failure `CONFLICT` where the key was used for another operation or other parameters
 */
export function runOnce(
  draft: Draft,
  { scope, key, operation, input }: RepeatableRequest,
  now: number,
  change: () => string,
): string {
  const request = hash("sha256", JSON.stringify([operation, input]));
  const hashed = hashOf(key);
  // Older data has keys as they came. Both are of this caller alone, so that nobody gains by confusing them.
  const stored =
    draft.repetitions.get(repetitionKey(scope, hashed)) ?? draft.repetitions.get(repetitionKey(scope, key));
  if (stored !== undefined && now - stored.instant < dayMilliseconds) {
    if (stored.request === request) return stored.info;
    throw new Failure("CONFLICT", "The Idempotency-Key was used for another request.", {
      parameter: "Idempotency-Key",
      hint: "Use a new key for each operation; repeat a key only to repeat its request.",
    });
  }
  const info = change();
  draft.repetitions.put({ scope, key: hashed, request, info, instant: now });
  deleteOldest(draft, scope);
  return info;
}

/** Returns what is stored of a key: 128 bits, so that a long key takes no more of the journal than a short one. */
function hashOf(key: string): string {
  return hash("sha256", key, "base64url").slice(0, 22);
}

/** Deletes the oldest answers of a caller, and of all callers, if there are too many. */
function deleteOldest({ repetitions }: Draft, scope: string): void {
  const own = repetitions.find("scope", scope);
  const excess = Math.min(Math.max(0, own.length - most.ofCaller), mostDeleted);
  for (const { key } of own.slice(0, excess)) repetitions.delete(repetitionKey(scope, key));
  if (repetitions.size <= most.inAll) return;
  const oldest: string[] = [];
  for (const { scope, key } of repetitions.values()) {
    oldest.push(repetitionKey(scope, key));
    if (oldest.length === mostDeleted) break;
  }
  for (const key of oldest) repetitions.delete(key);
}
