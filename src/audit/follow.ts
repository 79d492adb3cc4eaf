/**
 * Following a journal: what is appended to the newest segment, and to the ones after it. Each look reads only what
 * came since the last one, so that a busy service can be followed.
 */
import { type FSWatcher, watch } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JournalRecord } from "../store/change.ts";
import { nodeFiles, readRange, sizeOf } from "../store/folder/files.ts";
import { segmentFile, segmentsAfter, segmentsIn } from "../store/folder/folder-names.ts";
import { damaged } from "../store/folder/refusals.ts";
import { BrokenLine } from "../store/journal/lines.ts";
import { headerLine, readSegment, type Segment } from "../store/journal/segment.ts";

/** How long at most until the next look where the system tells of no change, in milliseconds. */
const pollMilliseconds = 2000;

/** A place in the journal: in the segment that begins with `first`, behind the record `sequence`. */
interface Place {
  readonly first: number;
  /** 0 for the beginning of the file, its header; else a line begins there. */
  readonly offset: number;
  readonly sequence: number;
  readonly chain: number;
}

/**
 * The records behind a change, and then each that comes, until the signal aborts.
 * @throws Failure `STORE_UNAVAILABLE` where the journal is damaged
 */
export async function* follow(
  folder: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<JournalRecord> {
  const bell = new Bell(folder, signal);
  let place: Place = { first: 0, offset: 0, sequence: after, chain: 0 };
  try {
    while (!signal.aborted) {
      const found = await look(folder, place);
      yield* found.records;
      const isDone = found.records.length === 0 && found.place.first === place.first;
      ({ place } = found);
      if (isDone) await bell.rung();
    }
  } finally {
    bell.close();
  }
}

/** What came since a place, and the place behind that. */
async function look(
  folder: string,
  place: Place,
): Promise<{ records: readonly JournalRecord[]; place: Place }> {
  // Listed first: where there is a newer segment by now, this one has all that it will ever have.
  const firsts = segmentsIn(await readdir(folder));
  const covering = segmentsAfter(firsts, place.sequence)[0] ?? firsts[0];
  const bytes = firsts.includes(place.first) ? await readFrom(folder, place) : undefined;
  if (bytes === undefined) return { records: [], place: startOf(covering ?? place.first, place) };

  // As it would stand before what is at the place, if a segment began there.
  const header = place.offset === 0 ? Buffer.alloc(0) : headerLine(place.sequence + 1, place.chain, 0);
  let segment: Segment;
  try {
    segment = readSegment(Buffer.concat([header, bytes]));
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    // A write that failed was cut back, and another came in its place: what was read of the first is void.
    if (place.offset > 0) return { records: [], place: startOf(place.first, place) };
    throw damaged(join(folder, segmentFile(place.first)), error.offset, error.message);
  }
  // A record that lacks its line feed is still being written.
  const whole = segment.unterminated ? segment.records.slice(0, -1) : segment.records;
  const end = segment.unterminated ? (segment.records.at(-1)?.offset ?? segment.end) : segment.end;
  const last = whole.at(-1);
  const next: Place = {
    first: place.first,
    offset: place.offset + end - header.length,
    sequence: Math.max(place.sequence, last?.record.sequence ?? 0),
    chain: last?.chain ?? segment.chain,
  };
  const records = whole.map(({ record }) => record).filter(({ sequence }) => sequence > place.sequence);
  const later = firsts.find((first) => first > place.first);
  if (records.length > 0 || later === undefined) return { records, place: next };
  return { records, place: startOf(later, next) };
}

function startOf(first: number, { sequence }: Place): Place {
  return { first, offset: 0, sequence, chain: 0 };
}

/** The bytes from a place on; undefined where its segment is there no more. */
async function readFrom(folder: string, { first, offset }: Place): Promise<Buffer | undefined> {
  const path = join(folder, segmentFile(first));
  try {
    return await readRange(nodeFiles, path, offset, Math.max(offset, await sizeOf(nodeFiles, path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Rings when something happened in a folder, and now and then anyway: not every file system tells. */
class Bell {
  readonly #signal: AbortSignal;
  readonly #ring = () => this.#rings();
  #watcher: FSWatcher | undefined;
  #hasRung = false;
  #wake: () => void = () => {};

  constructor(folder: string, signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#ring);
    try {
      this.#watcher = watch(folder, this.#ring);
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // Without it there is still the poll.
    }
  }

  /** Settles when the bell has rung since this was called last, at once where it has already. */
  async rung(): Promise<void> {
    if (!this.#hasRung && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const poll = setTimeout(resolve, pollMilliseconds);
        this.#wake = () => {
          clearTimeout(poll);
          resolve();
        };
      });
    }
    this.#hasRung = false;
  }

  close(): void {
    this.#watcher?.close();
    this.#signal.removeEventListener("abort", this.#ring);
  }

  #rings(): void {
    this.#hasRung = true;
    // Also where nobody asks for more: what watches would keep the process alive.
    if (this.#signal.aborted) this.close();
    this.#wake();
  }
}
