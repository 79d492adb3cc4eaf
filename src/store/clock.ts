/** Clocks that were set back: the order of changes is that of their numbers, not of their instants. */
import { join } from "node:path";
import { instantText } from "../domain/instant.ts";
import type { JournalRecord } from "./change.ts";
import type { Files } from "./folder/files.ts";
import { segmentsIn, snapshotFile, snapshotsIn } from "./folder/folder-names.ts";
import { numberInHeader } from "./journal/decoding.ts";
import { readHistory } from "./journal/history.ts";

type Dated = Pick<JournalRecord, "sequence" | "instant">;

/** Smaller steps of a clock are common, in milliseconds. */
const tolerance = 60_000;
/** The steps that are listed, at most. */
const mostListed = 5;

/** Finds where instants go backwards by more than a minute. */
export class ClockSteps {
  readonly #listed: string[] = [];
  #count = 0;
  #last: number | undefined;

  /** Examines the next change. */
  take({ sequence, instant }: Dated): void {
    const last = this.#last;
    this.#last = instant;
    if (last === undefined || instant >= last - tolerance) return;
    this.#count += 1;
    if (this.#listed.length === mostListed) return;
    this.#listed.push(`change ${sequence} (${instantText(instant)}, after ${instantText(last)})`);
  }

  /** A sentence for the operator, or undefined. */
  get warning(): string | undefined {
    if (this.#count === 0) return undefined;
    const more = this.#count > mostListed ? ` and ${this.#count - mostListed} more` : "";
    return (
      `The clock went backwards by more than a minute at ${this.#listed.join(", ")}${more}: ` +
      "changes are in the order of their numbers, not of their instants."
    );
  }
}

/** The last change at or before an instant. */
export interface MomentFound {
  /** The number of that change. */
  readonly sequence: number;
  /** How many changes before it have later instants. */
  readonly later: number;
  /** The numbers of the first changes at which the clock went back behind the instant. */
  readonly steps: readonly number[];
}

/**
 * Finds the last change at or before an instant, in milliseconds since 1970.
 * @returns undefined where the files have no change that old
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
      if (wasLater && steps.length < mostListed) steps.push(record.sequence);
      found = { sequence: record.sequence, later, steps };
    }
    wasLater = isLater;
  }
  if (found !== undefined) return found;
  // Or the last change before the journal, if its snapshot was written by then.
  const names = await files.readdir(folder);
  const sequence = (segmentsIn(names)[0] ?? 1) - 1;
  if (!snapshotsIn(names).includes(sequence)) return undefined;
  const taken = await numberInHeader(files, join(folder, snapshotFile(sequence)));
  return taken === undefined || taken > instant ? undefined : { sequence, later: 0, steps };
}
