/**
 * The top list, updated with every change of a player or a statistic: in each category the best
 * players by value, ties by name.
 *
 * A category stores more leaders than the list has places. Invariant: no other player ranks before a leader. So the cost
 * of a change does not depend on the number of players; only when too few leaders are left to fill the list, the
 * categories are rebuilt from all players.
 */
import type { Player, Statistic } from "../domain/model.ts";
import type { Comparison } from "../domain/text.ts";
import type { DurableData } from "../store/data.ts";
import { NameOrder } from "./shared/order.ts";

/** Returns kills per death, to two decimals; no death counts as one. */
export function kdOf({ kills, deaths }: Pick<Statistic, "kills" | "deaths">): number {
  // Multiplies first: 201 / 200 is a little less than 1.005 in floating point.
  return Math.round((kills * 100) / Math.max(deaths, 1)) / 100;
}

/** The places of the list in each category. */
const places = 10;
/** The leaders that a category stores. */
const mostLeaders = 100;

/** A player in a category. */
interface Entry {
  readonly name: string;
  readonly value: number;
  readonly statistic: Statistic;
}

class Category {
  readonly rate: (statistic: Statistic) => number;
  readonly #compareNames: Comparison;
  /** The best players, in order. */
  readonly leaders: Entry[] = [];
  /** Whether a player with a value is not a leader. */
  #leftOut = false;

  constructor(rate: (statistic: Statistic) => number, compareNames: Comparison) {
    this.rate = rate;
    this.#compareNames = compareNames;
  }

  /** Whether too few leaders are left to fill the list. */
  get isShort(): boolean {
    return this.#leftOut && this.leaders.length < places;
  }

  /** Whether a player with this value may be a leader, or the first who is not. */
  concerns(value: number): boolean {
    if (value <= 0) return false;
    const last = this.leaders.at(-1);
    return !this.#leftOut || last === undefined || value >= last.value;
  }

  clear(): void {
    this.leaders.length = 0;
    this.#leftOut = false;
  }

  /** Adds a player. Returns whether the list changes. */
  add(name: string, statistic: Statistic): boolean {
    const value = this.rate(statistic);
    if (!this.concerns(value)) return false;
    const entry = { name, value, statistic };
    const place = this.#placeOf(entry);
    // If players are left out, others may rank between the last leader and this player.
    if (place === (this.#leftOut ? this.leaders.length : mostLeaders)) {
      this.#leftOut = true;
      return false;
    }
    this.leaders.splice(place, 0, entry);
    if (this.leaders.length > mostLeaders) {
      this.leaders.pop();
      this.#leftOut = true;
    }
    return place < places;
  }

  /** Removes a player who was added with these values. Returns whether the list changes. */
  remove(name: string, statistic: Statistic): boolean {
    const place = this.#placeOf({ name, value: this.rate(statistic), statistic });
    // Names are unique.
    if (this.leaders[place]?.name !== name) return false;
    this.leaders.splice(place, 1);
    return place < places;
  }

  /** Orders by value, the highest first, then by name. */
  #compare(a: Entry, b: Entry): number {
    return b.value - a.value || this.#compareNames(a.name, b.name);
  }

  /** Returns the number of leaders that rank before an entry. */
  #placeOf(entry: Entry): number {
    let low = 0;
    let high = this.leaders.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const leader = this.leaders[middle];
      if (leader !== undefined && this.#compare(leader, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The top list of the durable data. */
export class Ranking {
  readonly #data: Pick<DurableData, "players" | "statistics">;
  readonly #categories: Readonly<
    Record<"kills" | "deaths" | "playTime" | "revives" | "services" | "kd", Category>
  >;
  readonly #all: readonly Category[];
  /** Whether the next answer requires a rebuild. */
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

  /** Grows with every change of the list. */
  get version(): number {
    return this.#version;
  }

  /** Returns the list. */
  top() {
    if (this.#isStale) this.#rebuild();
    const { kills, deaths, playTime, revives, services, kd } = this.#categories;
    const list = ({ leaders }: Category) =>
      leaders.slice(0, places).map(({ name, value }) => ({ name, value }));
    return {
      kills: list(kills),
      deaths: list(deaths),
      playTime: list(playTime),
      revives: list(revives),
      services: list(services),
      kd: kd.leaders.slice(0, places).map(({ name, value, statistic }) => {
        return { name, value, kills: statistic.kills, deaths: statistic.deaths };
      }),
    };
  }

  /** Most changes are of players far from the list: for these not even the player is looked up. */
  #isConcerned(before: Statistic | undefined, after: Statistic | undefined): boolean {
    return this.#all.some((category) => {
      if (before !== undefined && after !== undefined && sameIn(category, before, after)) return false;
      const concerns = (statistic: Statistic | undefined) =>
        statistic !== undefined && category.concerns(category.rate(statistic));
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
    let isListChanged = false;
    for (const category of this.#all) {
      const isSame =
        before === after && old !== undefined && fresh !== undefined && sameIn(category, old, fresh);
      if (isSame) continue;
      const removed = before !== undefined && old !== undefined && category.remove(before.name, old);
      const added = after !== undefined && fresh !== undefined && category.add(after.name, fresh);
      isListChanged ||= removed || added;
      this.#isStale ||= category.isShort;
    }
    // A category becomes short only by losing one of the list.
    if (isListChanged) this.#version += 1;
  }

  #rebuild(): void {
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

/** Whether a category lists two statistics alike. The ratio is listed with its kills and deaths. */
function sameIn({ rate }: Category, old: Statistic, fresh: Statistic): boolean {
  if (rate !== kdOf) return rate(old) === rate(fresh);
  return old.kills === fresh.kills && old.deaths === fresh.deaths;
}
