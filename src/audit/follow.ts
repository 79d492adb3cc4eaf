/** Follows the journal of a running service. Each step reads only what was appended since the last one. */
import { type FSWatcher, watch } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JournalRecord } from "../store/change.ts";
import { isMissing, nodeFiles, readRange, sizeOf } from "../store/folder/files.ts";
import { segmentFile, segmentsAfter, segmentsIn } from "../store/folder/folder-names.ts";
import { damaged } from "../store/folder/refusals.ts";
import { BrokenLine } from "../store/journal/lines.ts";
import { headerLine, readSegment, type Segment } from "../store/journal/segment.ts";

/** The time until the next step if the system reports no change, in milliseconds. */
const pollMilliseconds = 2000;

/** A position in the journal: in the segment that begins with `first`, after the change `sequence`. */
interface Position {
  readonly first: number;
  /** 0, or the beginning of a line. */
  readonly offset: number;
  readonly sequence: number;
  readonly chain: number;
}

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
  let position: Position = { first: 0, offset: 0, sequence: after, chain: 0 };
  try {
    while (!signal.aborted) {
      const found = await readOn(folder, position);
      yield* found.records;
      const isDone = found.records.length === 0 && found.position.first === position.first;
      ({ position } = found);
      if (isDone) await watcher.nextChange();
    }
  } finally {
    watcher.close();
  }
}

/** Reads what was appended since a position. Returns it, and the position after it. */
async function readOn(
  folder: string,
  position: Position,
): Promise<{ records: readonly JournalRecord[]; position: Position }> {
  // Listed first: if there is a newer segment now, nothing is appended to this one any more.
  const firsts = segmentsIn(await readdir(folder));
  const covering = segmentsAfter(firsts, position.sequence)[0] ?? firsts[0];
  const bytes = firsts.includes(position.first) ? await readFrom(folder, position) : undefined;
  if (bytes === undefined) return { records: [], position: startOf(covering ?? position.first, position) };

  // The header that a segment would have if it began at the position.
  const header =
    position.offset === 0 ? Buffer.alloc(0) : headerLine(position.sequence + 1, position.chain, 0);
  let segment: Segment;
  try {
    segment = readSegment(Buffer.concat([header, bytes]));
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    // A failed write was cut back, and another one has replaced it: what was read of the first is void.
    if (position.offset > 0) return { records: [], position: startOf(position.first, position) };
    throw damaged(join(folder, segmentFile(position.first)), error.offset, error.message);
  }
  // A change without its line feed is still being written.
  const whole = segment.unterminated ? segment.records.slice(0, -1) : segment.records;
  const end = segment.unterminated ? (segment.records.at(-1)?.offset ?? segment.end) : segment.end;
  const last = whole.at(-1);
  const next: Position = {
    first: position.first,
    offset: position.offset + end - header.length,
    sequence: Math.max(position.sequence, last?.record.sequence ?? 0),
    chain: last?.chain ?? segment.chain,
  };
  const records = whole.map(({ record }) => record).filter(({ sequence }) => sequence > position.sequence);
  const later = firsts.find((first) => first > position.first);
  if (records.length > 0 || later === undefined) return { records, position: next };
  return { records, position: startOf(later, next) };
}

function startOf(first: number, { sequence }: Position): Position {
  return { first, offset: 0, sequence, chain: 0 };
}

/** Returns the bytes from a position on, or undefined where its segment no longer exists. */
async function readFrom(folder: string, { first, offset }: Position): Promise<Buffer | undefined> {
  const path = join(folder, segmentFile(first));
  try {
    return await readRange(nodeFiles, path, offset, Math.max(offset, await sizeOf(nodeFiles, path)));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
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
