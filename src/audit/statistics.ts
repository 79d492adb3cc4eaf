/**
 * Statistics under watch (specification, section 5): players whose additions exceed what play can produce. What was
 * added is told by the counter that rose by one.
 */
import type { Statistic } from "../model.ts";
import type { Files } from "../store/files.ts";
import type { JournalRecord } from "../store/journal.ts";
import { readHistory } from "../store/reading.ts";
import { compareTexts } from "../text.ts";
import type { Names } from "./names.ts";

/** The statistic types, and the counter that each adds to (contract, section 3). */
const counters = {
  DEATH: "deaths",
  KILL: "kills",
  PLAYTIME: "playTime",
  REVIVE: "revives",
  SERVICE: "services",
} as const satisfies Readonly<Record<string, keyof Statistic>>;
type StatisticType = keyof typeof counters;
const types = Object.keys(counters) as StatisticType[];

/** The operation that adds. */
export const additionOperation = "statistic.add";

const windowMilliseconds = 60 * 60 * 1000;

/** A player's additions of one type, where there were more than the limit in some 60 minutes. */
export interface Excess {
  /** The name where it is known, else the UUID. */
  readonly player: string;
  readonly uuid: string;
  readonly type: string;
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

/** When each player has added what. */
export class Additions {
  readonly #instants = new Map<string, { uuid: string; type: StatisticType; instants: number[] }>();

  /** Takes in a change; one that added nothing does not matter. */
  take({ operation, instant, changes }: JournalRecord): void {
    if (operation !== additionOperation) return;
    for (const { collection, key: uuid, before, after } of changes) {
      const type = collection === "statistics" ? typeOf(before, after) : undefined;
      if (type === undefined) continue;
      const key = `${type} ${uuid}`;
      const known = this.#instants.get(key) ?? { uuid, type, instants: [] };
      known.instants.push(instant);
      this.#instants.set(key, known);
    }
  }

  /** See {@link readExcesses}. */
  beyond(limits: ReadonlyMap<string, number>, names: Names): Excess[] {
    const excesses: Excess[] = [];
    for (const { uuid, type, instants } of this.#instants.values()) {
      const limit = limits.get(type);
      if (limit === undefined || instants.length <= limit) continue;
      const { count, began } = worstWindow(instants);
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
  const risen = types.filter((type) => countOf(after, type) === countOf(before, type) + 1);
  return risen.length === 1 ? risen[0] : undefined;
}

function countOf(statistic: unknown, type: StatisticType): number {
  return (statistic as Statistic | null)?.[counters[type]] ?? 0;
}
