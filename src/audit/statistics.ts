/**
 * Implausible statistics: players whose additions exceed what play can produce. The counter
 * that rose by one shows what was added.
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
import type { PlayerNames } from "./names.ts";

/** The operation that adds. */
export const additionOperation = "statistic.add";

const windowMilliseconds = 60 * 60 * 1000;

/** A player's additions of one type, if some 60 minutes have more than the limit. */
export interface Excess {
  /** The name, or the UUID where the name is unknown. */
  readonly player: string;
  readonly uuid: string;
  readonly type: StatisticType;
  /** The additions in the worst 60 minutes. */
  readonly count: number;
  readonly limit: number;
  /** The first addition in those 60 minutes, in milliseconds since 1970. */
  readonly began: number;
  /** All additions of that type in the journal. */
  readonly total: number;
}

/**
 * Finds the additions in the journal that exceed a limit in any 60 minutes, those furthest beyond their limit first.
 * @param limits the additions in an hour, at most, by statistic type
 */
export async function readExcesses(
  files: Files,
  folder: string,
  limits: ReadonlyMap<string, number>,
  names: PlayerNames,
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

/** The additions of all players, and the closed cases. */
export class Additions {
  /** The additions, and the last changes of closed cases, by the key of a closed case. */
  readonly #added = new Map<string, Added>();
  readonly #closed = new Map<string, number>();

  /** Examines a change. */
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
    // Restored data of another folder may have higher numbers.
    else this.#closed.set(key, Math.min((closed as ClosedCase).through, sequence));
  }

  /** See {@link readExcesses}. */
  beyond(limits: ReadonlyMap<string, number>, names: PlayerNames): Excess[] {
    const excesses: Excess[] = [];
    for (const [key, { uuid, type, sequences, instants }] of this.#added) {
      const limit = limits.get(type) ?? Infinity;
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

/** Returns the 60 minutes with the most instants, the first of several. Their end is exclusive. */
function worstWindow(unordered: readonly number[]): { count: number; began: number } {
  // They are out of order if a clock was set back.
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

/** Returns the type whose counter rose by one, if that is the only one. */
function typeOf(before: unknown, after: unknown): StatisticType | undefined {
  const risen = statisticTypes.filter((type) => countOf(after, type) === countOf(before, type) + 1);
  return risen.length === 1 ? risen[0] : undefined;
}

function countOf(statistic: unknown, type: StatisticType): number {
  return (statistic as Statistic | null)?.[counterOf[type]] ?? 0;
}
