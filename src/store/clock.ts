/**
 * Changes in the order of their numbers and in that of their instants: not the same where a clock was set back.
 * Instants stay what the clock said; numbers tell what came first.
 */
import { join } from "node:path";
import type { Files } from "./folder/files.ts";
import { type JournalRecord, segmentsIn } from "./journal/segment.ts";
import { readHistory } from "./reading.ts";
import { readSnapshotHeader, snapshotFile, snapshotsIn } from "./snapshot.ts";

type Dated = Pick<JournalRecord, "sequence" | "instant">;

/** Clocks are adjusted by less all the time, in milliseconds. */
const tolerance = 60_000;
/** How many steps are told of. */
const mostTold = 5;

/** Finds where instants go backwards by more than a minute. */
export class ClockSteps {
  readonly #told: string[] = [];
  #count = 0;
  #last: number | undefined;

  /** Takes the next change. */
  take({ sequence, instant }: Dated): void {
    const last = this.#last;
    this.#last = instant;
    if (last === undefined || instant >= last - tolerance) return;
    this.#count += 1;
    if (this.#told.length === mostTold) return;
    this.#told.push(`change ${sequence} (${toText(instant)}, after ${toText(last)})`);
  }

  /** For the operator; undefined where there is nothing to tell. */
  get warning(): string | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count > mostTold ? ` and ${this.#count - mostTold} more` : "";
    return (
      `The clock went backwards by more than a minute at ${this.#told.join(", ")}${more}: ` +
      "the numbers of changes tell what came first, their instants do not."
    );
  }
}

/** What an instant means in a journal. */
export interface MomentFound {
  /** The number of the last change whose instant is at or before it. */
  readonly sequence: number;
  /** How many changes before that one have later instants. */
  readonly later: number;
  /** Where the clock went back behind the instant: the numbers of the first such changes. */
  readonly steps: readonly number[];
}

/**
 * Finds the last change at or before an instant, in milliseconds since 1970.
 * @returns undefined where the files have no change that is that old
 */
export async function findMoment(
  files: Files,
  folder: string,
  instant: number,
): Promise<MomentFound | undefined> {
  const steps: number[] = [];
  let found: MomentFound | undefined;
  let later = 0;
  let wasLater = false;
  for await (const record of readHistory(files, folder)) {
    const isLater = record.instant > instant;
    if (isLater) later += 1;
    else {
      if (wasLater && steps.length < mostTold) steps.push(record.sequence);
      found = { sequence: record.sequence, later, steps };
    }
    wasLater = isLater;
  }
  return found ?? (await beforeJournal(files, folder, instant));
}

/** The last change before the journal begins, where the snapshot behind it was taken at or before an instant. */
async function beforeJournal(
  files: Files,
  folder: string,
  instant: number,
): Promise<MomentFound | undefined> {
  const names = await files.readdir(folder);
  const sequence = (segmentsIn(names)[0] ?? 1) - 1;
  if (!snapshotsIn(names).includes(sequence)) return undefined;
  const header = await readSnapshotHeader(files, join(folder, snapshotFile(sequence)));
  return header.instant > instant ? undefined : { sequence, later: 0, steps: [] };
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}
