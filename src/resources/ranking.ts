/**
 * The top list, kept up to date instead of sorted (contract, section 3): in each category the best players by value,
 * ties by name. It follows what is set in the players and their statistics.
 *
 * A category keeps more leaders than it shows. What holds of them at any time: nobody who is left out comes before
 * one of them. So a change costs the same however many players there are; only when so many leaders have fallen out
 * that the rest would not fill the list, all players are looked at once more.
 */
import type { Player, Statistic } from "../domain/model.ts";
import type { Comparison } from "../domain/text.ts";
import type { DurableData } from "../store/data.ts";
import { NameOrder } from "./shared/order.ts";

/** Which counter a statistic type adds to. */
export const counterOf = {
  DEATH: "deaths",
  KILL: "kills",
  PLAYTIME: "playTime",
  REVIVE: "revives",
  SERVICE: "services",
} as const;

/** Kills per death, to two decimals; somebody who never died is taken as having died once. */
export function kdOf({ kills, deaths }: Pick<Statistic, "kills" | "deaths">): number {
  // Multiplied first: 201 kills to 200 deaths are 1.005, which as a fraction is a little less.
  return Math.round((kills * 100) / Math.max(deaths, 1)) / 100;
}

const shown = 10;
const kept = 100;

/** A player in a category. */
interface Entry {
  readonly name: string;
  readonly value: number;
  readonly statistic: Statistic;
}

class Category {
  readonly rate: (statistic: Statistic) => number;
  readonly #compareNames: Comparison;
  /** The best, in order. */
  readonly leaders: Entry[] = [];
  /** Whether somebody with a value is not among the leaders. */
  #leftOut = false;

  constructor(rate: (statistic: Statistic) => number, compareNames: Comparison) {
    this.rate = rate;
    this.#compareNames = compareNames;
  }

  /** Whether the leaders that are left may not be all that the list shows. */
  get isShort(): boolean {
    return this.#leftOut && this.leaders.length < shown;
  }

  /** Whether somebody with this value can be among the leaders, or has to be, or is the first to be left out. */
  concerns(value: number): boolean {
    if (value <= 0) return false;
    const last = this.leaders.at(-1);
    return !this.#leftOut || last === undefined || value >= last.value;
  }

  clear(): void {
    this.leaders.length = 0;
    this.#leftOut = false;
  }

  /** Takes somebody in. Tells whether that shows. */
  add(name: string, statistic: Statistic): boolean {
    const value = this.rate(statistic);
    if (value <= 0) return false;
    const entry = { name, value, statistic };
    const last = this.leaders.at(-1);
    if (this.#leftOut && (last === undefined || this.#compare(entry, last) > 0)) return false;
    const place = this.#placeOf(entry);
    if (place >= kept) {
      this.#leftOut = true;
      return false;
    }
    this.leaders.splice(place, 0, entry);
    if (this.leaders.length > kept) {
      this.leaders.pop();
      this.#leftOut = true;
    }
    return place < shown;
  }

  /** Takes somebody out, who was taken in with these values. Tells whether that shows. */
  remove(name: string, statistic: Statistic): boolean {
    const value = this.rate(statistic);
    if (value <= 0) return false;
    const place = this.#placeOf({ name, value, statistic });
    // Nobody else has the name, so whoever stands there under it is the one.
    if (this.leaders[place]?.name !== name) return false;
    this.leaders.splice(place, 1);
    return place < shown;
  }

  /** Who comes first: the higher value, or of the same value the name. */
  #compare(a: Entry, b: Entry): number {
    return b.value - a.value || this.#compareNames(a.name, b.name);
  }

  /** How many of the leaders come before an entry. */
  #placeOf(entry: Entry): number {
    let low = 0;
    let high = this.leaders.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.leaders[middle] as Entry, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** See the head of this file. */
export class Ranking {
  readonly #data: Pick<DurableData, "players" | "statistics">;
  readonly #categories: Readonly<
    Record<"kills" | "deaths" | "playTime" | "revives" | "services" | "kd", Category>
  >;
  readonly #all: readonly Category[];
  /** Whether all players have to be looked at before the next answer. */
  #isStale = true;
  #version = 0;

  constructor(data: Pick<DurableData, "players" | "statistics">, order = new NameOrder()) {
    this.#data = data;
    const by = (rate: (statistic: Statistic) => number) => new Category(rate, order.compare);
    this.#categories = {
      kills: by(({ kills }) => kills),
      deaths: by(({ deaths }) => deaths),
      playTime: by(({ playTime }) => playTime),
      revives: by(({ revives }) => revives),
      services: by(({ services }) => services),
      kd: by(kdOf),
    };
    this.#all = Object.values(this.#categories);
    order.watch(() => {
      this.#isStale = true;
      this.#version += 1;
    });
    data.statistics.watch((uuid, before, after) => {
      if (!this.#isConcerned(before, after)) return;
      const player = data.players.get(uuid);
      if (player !== undefined) this.#replace(player, before, player, after);
    });
    data.players.watch((uuid, before, after) => {
      const statistic = data.statistics.get(uuid);
      if (statistic !== undefined && before?.name !== after?.name) {
        this.#replace(before, statistic, after, statistic);
      }
    });
  }

  /** Another number whenever the list is another one. */
  get version(): number {
    return this.#version;
  }

  /** The best of each category. */
  top() {
    if (this.#isStale) this.#lookAtAll();
    const { kills, deaths, playTime, revives, services, kd } = this.#categories;
    const list = ({ leaders }: Category) =>
      leaders.slice(0, shown).map(({ name, value }) => ({ name, value }));
    return {
      kills: list(kills),
      deaths: list(deaths),
      playTime: list(playTime),
      revives: list(revives),
      services: list(services),
      kd: kd.leaders.slice(0, shown).map(({ name, value, statistic }) => {
        return { name, value, kills: statistic.kills, deaths: statistic.deaths };
      }),
    };
  }

  /** Most changes are of players far from any list: of them not even the player has to be looked up. */
  #isConcerned(before: Statistic | undefined, after: Statistic | undefined): boolean {
    if (this.#isStale) return false;
    return this.#all.some((category) => {
      if (before !== undefined && after !== undefined && sameIn(category, before, after)) return false;
      const concerns = (each: Statistic | undefined) =>
        each !== undefined && category.concerns(category.rate(each));
      return concerns(before) || concerns(after);
    });
  }

  #replace(
    before: Player | undefined,
    old: Statistic | undefined,
    after: Player | undefined,
    fresh: Statistic | undefined,
  ): void {
    if (this.#isStale) return;
    let shows = false;
    for (const category of this.#all) {
      const isSame =
        before === after && old !== undefined && fresh !== undefined && sameIn(category, old, fresh);
      if (isSame) continue;
      const left = before !== undefined && old !== undefined && category.remove(before.name, old);
      const came = after !== undefined && fresh !== undefined && category.add(after.name, fresh);
      shows ||= left || came;
      this.#isStale ||= category.isShort;
    }
    if (shows || this.#isStale) this.#version += 1;
  }

  #lookAtAll(): void {
    const { players, statistics } = this.#data;
    for (const category of this.#all) category.clear();
    for (const statistic of statistics.values()) {
      const player = players.get(statistic.uuid);
      if (player === undefined) continue;
      for (const category of this.#all) category.add(player.name, statistic);
    }
    this.#isStale = false;
  }
}

/** Whether a category shows the same of two statistics; kills and deaths are shown beside their ratio. */
function sameIn({ rate }: Category, old: Statistic, fresh: Statistic): boolean {
  if (rate !== kdOf) return rate(old) === rate(fresh);
  return old.kills === fresh.kills && old.deaths === fresh.deaths;
}
