/** Follows the journal of a running service. Each step reads the newest changes only, back to those that it has seen. */
import { type FSWatcher, watch } from "node:fs";
import type { JournalRecord } from "../store/change.ts";
import { nodeFiles } from "../store/folder/files.ts";
import { readBackwards } from "../store/journal/backwards.ts";

/** The time until the next step if the system reports no change, in milliseconds. */
const pollMilliseconds = 2000;

/**
 * Yields the changes after `after`, and then each new one, until the signal aborts.
 * @throws Failure `STORE_UNAVAILABLE` where the journal is damaged
 */
export async function* follow(
  folder: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<JournalRecord> {
  const watcher = new FolderWatcher(folder, signal);
  let last = after;
  try {
    while (!signal.aborted) {
      const records = await recordsAfter(folder, last);
      yield* records;
      last = records.at(-1)?.sequence ?? last;
      if (records.length === 0) await watcher.nextChange();
    }
  } finally {
    watcher.close();
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

/** Waits for changes in a folder, and polls as well: not every file system reports them. */
class FolderWatcher {
  readonly #signal: AbortSignal;
  readonly #onChange = () => this.#notify();
  #watcher: FSWatcher | undefined;
  #hasChanged = false;
  #wake: () => void = () => {};

  constructor(folder: string, signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onChange);
    try {
      this.#watcher = watch(folder, this.#onChange);
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // Polling remains.
    }
  }

  /** Waits until something has changed since the last call. */
  async nextChange(): Promise<void> {
    if (!this.#hasChanged && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const poll = setTimeout(resolve, pollMilliseconds);
        this.#wake = () => {
          clearTimeout(poll);
          resolve();
        };
      });
    }
    this.#hasChanged = false;
  }

  close(): void {
    this.#watcher?.close();
    this.#signal.removeEventListener("abort", this.#onChange);
  }

  #notify(): void {
    this.#hasChanged = true;
    // Otherwise the watcher would keep the process alive.
    if (this.#signal.aborted) this.close();
    this.#wake();
  }
}
