/**
 * Implausible statistics: players whose additions exceed what play can produce. The counter
 * that rose by one shows what was added.
 */
import { type ClosedCase, countIn, model } from "../domain/model.ts";
import { compareTexts } from "../domain/text.ts";
import type { JournalRecord } from "../store/change.ts";
import type { Data } from "../store/data.ts";
import type { Files } from "../store/folder/files.ts";
import { readHistory } from "../store/journal/history.ts";
import { PlayerNames } from "./names.ts";
import { warnMissing } from "./read.ts";

/** The operation that adds. */
export const additionOperation = "statistic.add";

const hour = 60 * 60 * 1000;

/** The periods that can have a limit: their milliseconds, and their words. */
const periods = {
  perHour: { milliseconds: hour, span: "60 minutes", noun: "an hour" },
  perDay: { milliseconds: 24 * hour, span: "24 hours", noun: "a day" },
  perWeek: { milliseconds: 7 * 24 * hour, span: "7 days", noun: "a week" },
};
const periodNames = ["perHour", "perDay", "perWeek"] as const;
type Period = (typeof periodNames)[number];

/** The most additions of a type, such as `KILL`, by an honest player within each period, and the counter of the type. */
export type AdditionLimit = { readonly name: string; readonly counter: string } & {
  readonly [period in Period]?: number | undefined;
};

/** A player's additions of one type, if more than the limit fall within some period of its length. */
export interface Excess {
  /** The name, or the UUID where the name is unknown. */
  readonly player: string;
  readonly uuid: string;
  readonly type: string;
  readonly period: Period;
  /** The additions in the worst period. */
  readonly count: number;
  readonly limit: number;
  /** The first addition in that period, in milliseconds since 1970. */
  readonly began: number;
  /** All additions of that type in the journal. */
  readonly total: number;
  /** What was found, for the player to read: without the limit, which a cheater would then stay below. */
  readonly reason: string;
  /** The finding in a sentence, with its figures. */
  readonly info: string;
}

/**
 * Finds the additions in the journal that exceed a limit, those furthest beyond their limit first.
 * @param players those who are registered; the names of others come from the journal
 * @param warnings gets a sentence about each gap in the journal
 */
export async function readExcesses(
  files: Files,
  folder: string,
  limits: readonly AdditionLimit[],
  players: Pick<Data["players"], "get">,
  warnings: string[],
): Promise<Excess[]> {
  const additions = new Additions(limits);
  const names = new PlayerNames();
  for await (const record of readHistory(files, folder, 0, warnMissing(folder, warnings))) {
    names.learn(record);
    additions.take(record);
  }
  return additions.beyond((uuid) => players.get(uuid)?.name ?? names.of(uuid));
}

/** A player's additions of one type, in the order of the journal: the number of each change, and its instant. */
interface Added {
  readonly uuid: string;
  readonly limit: AdditionLimit;
  readonly sequences: number[];
  readonly instants: number[];
}

/** The additions of all players that have a limit, and the closed cases. */
export class Additions {
  /** The types that have a limit, by counter: other additions are not kept. */
  readonly #limits: ReadonlyMap<string, AdditionLimit>;
  /** The additions, and the last changes of closed cases, by the key of a closed case. */
  readonly #added = new Map<string, Added>();
  readonly #closed = new Map<string, number>();

  constructor(limits: readonly AdditionLimit[]) {
    this.#limits = new Map(limits.map((limit) => [limit.counter, limit]));
  }

  /** Examines a change. */
  take({ operation, sequence, instant, changes }: JournalRecord): void {
    for (const { collection, key, before, after } of changes) {
      if (collection === "closedCases") this.#close(key, after, sequence);
      if (collection !== "statistics" || operation !== additionOperation) continue;
      const limit = this.#limits.get(risenIn(before, after) ?? "");
      if (limit === undefined) continue;
      const place = model.closedCases.key({ uuid: key, type: limit.name, through: 0 });
      const added = this.#added.get(place) ?? { uuid: key, limit, sequences: [], instants: [] };
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
  beyond(nameOf: (uuid: string) => string | undefined): Excess[] {
    const excesses: Excess[] = [];
    for (const [key, { uuid, limit, sequences, instants }] of this.#added) {
      const through = this.#closed.get(key) ?? 0;
      // They are out of order if a clock was set back.
      const open = instants.filter((_, index) => (sequences[index] ?? 0) > through).sort((a, b) => a - b);
      const player = nameOf(uuid) ?? uuid;
      for (const period of periodNames) {
        const most = limit[period] ?? Infinity;
        const { count, began } = worstWindow(open, periods[period].milliseconds);
        if (count <= most) continue;
        const common = { player, uuid, type: limit.name, period };
        const excess = { ...common, count, limit: most, began, total: instants.length };
        excesses.push({ ...excess, ...wordsOf(excess) });
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

function wordsOf({ player, type, period, count, limit, began }: Omit<Excess, "info" | "reason">) {
  const { span, noun } = periods[period];
  const [counted, plausible] = [count, limit].map((figure) => figure.toLocaleString("en"));
  const start = new Date(began).toISOString();
  const are = limit === 1 ? "is" : "are";
  const reason = `${counted} ${type} within ${span}`;
  const info = `${player}: ${reason} from ${start}; at most ${plausible} ${noun} ${are} plausible.`;
  return { reason, info };
}

/** Returns the period with the most of the instants, which are in order; the first of several. Its end is exclusive. */
function worstWindow(instants: readonly number[], milliseconds: number): { count: number; began: number } {
  let worst = { count: 0, began: Number.NaN };
  let start = 0;
  for (const [index, instant] of instants.entries()) {
    while (instant - (instants[start] ?? instant) >= milliseconds) start += 1;
    const count = index - start + 1;
    if (count > worst.count) worst = { count, began: instants[start] ?? instant };
  }
  return worst;
}

/** Returns the counter that rose by one, if that is the only one. */
function risenIn(before: unknown, after: unknown): string | undefined {
  const [old, fresh = {}] = [before, after].map(
    (record) => (record ?? {}) as Readonly<Record<string, unknown>>,
  );
  const risen = Object.keys(fresh).filter((name) => countIn(fresh, name) === countIn(old, name) + 1);
  return risen.length === 1 ? risen[0] : undefined;
}
