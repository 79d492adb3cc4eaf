/** Follows the journal of a running service. Each step reads the newest changes only, back to those that it has seen. */
import { setTimeout as sleep } from "node:timers/promises";
import type { JournalRecord } from "../store/change.ts";
import { nodeFiles } from "../store/folder/files.ts";
import { readBackwards } from "../store/journal/backwards.ts";

/** The time between two steps, in milliseconds: not every file system reports changes. A step takes about one. */
const pollMilliseconds = 500;

/**
 * Yields the changes after `after`, and then each new one, until the signal aborts.
 * @throws Failure `STORE_UNAVAILABLE` where the journal is damaged
 */
export async function* follow(
  folder: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<JournalRecord> {
  let last = after;
  while (!signal.aborted) {
    const records = await recordsAfter(folder, last);
    yield* records;
    last = records.at(-1)?.sequence ?? last;
    if (records.length === 0) await sleep(pollMilliseconds, undefined, { signal }).catch(() => {});
  }
}

/** Returns the changes after a number, oldest first. */
async function recordsAfter(folder: string, after: number): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of readBackwards(nodeFiles, folder, { isWriting: true })) {
    if (record.sequence <= after) break;
    records.push(record);
  }
  return records.reverse();
}
