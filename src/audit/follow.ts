/** Follows the journal of a running service. Each step reads the newest changes only, back to those that it has seen. */
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../domain/errors.ts";
import type { JournalRecord } from "../store/change.ts";
import { nodeFiles } from "../store/folder/files.ts";
import { readBackwards } from "../store/journal/backwards.ts";

/** The time between two steps, in milliseconds: not every file system reports changes. A step takes about one. */
const pollMilliseconds = 500;

/**
 * Yields the changes after `after`, and then each new one, until the signal aborts.
 * @throws Failure `STORE_UNAVAILABLE` where the journal is damaged, or was replaced by one that ends earlier
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
    // The last change may have been read before its line feed was written.
    if (record.sequence < after - 1 && records.length === 0) throw replaced(folder, record.sequence, after);
    if (record.sequence <= after) break;
    records.push(record);
  }
  return records.reverse();
}

function replaced(folder: string, last: number, after: number): Failure {
  return new Failure(
    "STORE_UNAVAILABLE",
    `The journal in ${folder} now ends with change ${last}, before change ${after}, which was read: another was put in its place.`,
    { hint: "Run the command again to follow it." },
  );
}
