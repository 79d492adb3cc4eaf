/**
 * Statistics under watch (specification, section 5): players whose additions exceed what play can produce. What was
 * added is told by the counter that rose by one.
 */
import {
  type ClosedCase,
  counterOf,
  model,
  type Statistic,
  type StatisticType,
  statisticTypes,
} from "../domain/model.ts";
import { compareTexts } from "../domain/text.ts";
import type { JournalRecord } from "../store/change.ts";
import type { Files } from "../store/folder/files.ts";
import { readHistory } from "../store/journal/history.ts";
import type { Names } from "./names.ts";

/** The operation that adds. */
export const additionOperation = "statistic.add";

const windowMilliseconds = 60 * 60 * 1000;

/** A player's additions of one type, where there were more than the limit in some 60 minutes. */
export interface Excess {
  /** The name where it is known, else the UUID. */
  readonly player: string;
  readonly uuid: string;
  readonly type: StatisticType;
  /** How many there were in the worst 60 minutes. */
  readonly count: number;
  readonly limit: number;
  /** When those 60 minutes began: the first addition in them, in milliseconds since 1970. */
  readonly began: number;
  /** All additions of that type that the journal has. */
  readonly total: number;
}

/**
 * Whose additions exceed a limit in any 60 minutes of what the journal has: those furthest beyond their limit first.
 * @param limits at most so many an hour, by statistic type
 */
export async function readExcesses(
  files: Files,
  folder: string,
  limits: ReadonlyMap<string, number>,
  names: Names,
): Promise<Excess[]> {
  const additions = new Additions();
  for await (const record of readHistory(files, folder)) additions.take(record);
  return additions.beyond(limits, names);
}

/** A player's additions of one type, in the order of the journal: the number of each change, and its instant. */
interface Added {
  readonly uuid: string;
  readonly type: StatisticType;
  readonly sequences: number[];
  readonly instants: number[];
}

/** When each player has added what, and which of it was in a case that is closed. */
export class Additions {
  /** By the key of a closed case, as are the numbers of the last changes that are in one. */
  readonly #added = new Map<string, Added>();
  readonly #closed = new Map<string, number>();

  /** Takes in a change; one that neither adds anything nor closes a case does not matter. */
  take({ operation, sequence, instant, changes }: JournalRecord): void {
    for (const { collection, key, before, after } of changes) {
      if (collection === "closedCases") this.#close(key, after, sequence);
      if (collection !== "statistics" || operation !== additionOperation) continue;
      const type = typeOf(before, after);
      if (type === undefined) continue;
      const place = model.closedCases.key({ uuid: key, type, through: 0 });
      const added = this.#added.get(place) ?? { uuid: key, type, sequences: [], instants: [] };
      added.sequences.push(sequence);
      added.instants.push(instant);
      this.#added.set(place, added);
    }
  }

  /** @param closed the record, or null where closing it was undone */
  #close(key: string, closed: unknown, sequence: number): void {
    if (closed === null) this.#closed.delete(key);
    // Data of another folder may come with numbers that are yet to be reached here.
    else this.#closed.set(key, Math.min((closed as ClosedCase).through, sequence));
  }

  /** See {@link readExcesses}. */
  beyond(limits: ReadonlyMap<string, number>, names: Names): Excess[] {
    const excesses: Excess[] = [];
    for (const [key, { uuid, type, sequences, instants }] of this.#added) {
      const limit = limits.get(type);
      if (limit === undefined || instants.length <= limit) continue;
      const through = this.#closed.get(key) ?? 0;
      const { count, began } = worstWindow(instants.filter((_, index) => (sequences[index] ?? 0) > through));
      if (count > limit) {
        const player = names.of(uuid) ?? uuid;
        excesses.push({ player, uuid, type, count, limit, began, total: instants.length });
      }
    }
    return excesses.sort(
      (a, b) =>
        b.count / b.limit - a.count / a.limit ||
        b.count - a.count ||
        compareTexts(a.player, b.player) ||
        compareTexts(a.type, b.type),
    );
  }
}

/** The 60 minutes with the most instants, of several the first. The end of the 60 minutes is not in them. */
function worstWindow(unordered: readonly number[]): { count: number; began: number } {
  // A clock that was set back leaves them out of order.
  const instants = unordered.toSorted((a, b) => a - b);
  let worst = { count: 0, began: Number.NaN };
  let start = 0;
  for (const [index, instant] of instants.entries()) {
    while (instant - (instants[start] ?? instant) >= windowMilliseconds) start += 1;
    const count = index - start + 1;
    if (count > worst.count) worst = { count, began: instants[start] ?? instant };
  }
  return worst;
}

/** The type whose counter rose by one, and no other changed. */
function typeOf(before: unknown, after: unknown): StatisticType | undefined {
  const risen = statisticTypes.filter((type) => countOf(after, type) === countOf(before, type) + 1);
  return risen.length === 1 ? risen[0] : undefined;
}

function countOf(statistic: unknown, type: StatisticType): number {
  return (statistic as Statistic | null)?.[counterOf[type]] ?? 0;
}
