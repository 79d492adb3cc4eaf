/**
 * The top list, updated with every change of a player or a statistic: in each category the best
 * players by value, ties by name.
 *
 * A category stores more leaders than the list has places. Invariant: no other player ranks before a leader. So the cost
 * of a change does not depend on the number of players; only when too few leaders are left to fill the list, the
 * categories are rebuilt from all players.
 */
import { isDeepStrictEqual } from "node:util";
import { countIn, type Player, type Statistic } from "../domain/model.ts";
import { type Comparison, comparisonIn, defaultLanguage } from "../domain/text.ts";
import type { DurableData } from "../store/data.ts";
import { defaultDeclarations } from "../table/declared/declarations.ts";
import type { Measure, StatisticDeclarations } from "../table/declared/statistics.ts";

type Declared = Pick<StatisticDeclarations, "statistics" | "ratios">;

/** Returns the categories of the top list, in order: the counters, then the ratios. */
export function measuresOf({ statistics, ratios }: Declared): readonly Measure[] {
  return [...statistics.map(({ counter }): Measure => ({ name: counter, counters: [counter] })), ...ratios];
}

/** Returns a counter, or the ratio of two to two decimals; a divisor of 0 counts as one. */
export function measured(statistic: Statistic, [counter, divisor]: Measure["counters"]): number {
  const value = countIn(statistic, counter);
  if (divisor === undefined) return value;
  // Multiplies first: 201 / 200 is a little less than 1.005 in floating point.
  return Math.round((value * 100) / Math.max(countIn(statistic, divisor), 1)) / 100;
}

/** The places of the list in each category. */
const places = 10;
/** The leaders that a category stores. */
const mostLeaders = 100;

interface Ranked {
  readonly name: string;
  readonly value: number;
  readonly statistic: Statistic;
}

class Category {
  readonly name: string;
  readonly #counters: Measure["counters"];
  readonly #compareNames: Comparison;
  /** The best players, in order. */
  readonly leaders: Ranked[] = [];
  /** Whether a player with a value is not a leader. */
  #leftOut = false;

  constructor({ name, counters }: Measure, compareNames: Comparison) {
    this.name = name;
    this.#counters = counters;
    this.#compareNames = compareNames;
  }

  /** Whether it lists two statistics alike. A ratio is listed with its counters. */
  isSame(old: Statistic, fresh: Statistic): boolean {
    return this.#counters.every((counter = "") => countIn(old, counter) === countIn(fresh, counter));
  }

  /** Returns its part of the list. */
  top(): Record<string, string | number>[] {
    const counters = this.#counters.length === 1 ? [] : this.#counters;
    return this.leaders.slice(0, places).map(({ name, value, statistic }) => ({
      name,
      value,
      ...Object.fromEntries(counters.map((counter = "") => [counter, countIn(statistic, counter)])),
    }));
  }

  /** Whether too few leaders are left to fill the list. */
  get isShort(): boolean {
    return this.#leftOut && this.leaders.length < places;
  }

  /** Whether a player with this value may be a leader, or the first who is not. */
  #concerns(value: number): boolean {
    if (value <= 0) return false;
    const last = this.leaders.at(-1);
    return !this.#leftOut || last === undefined || value >= last.value;
  }

  /** Adds a player. Returns whether the list changes. */
  add(name: string, statistic: Statistic): boolean {
    const value = measured(statistic, this.#counters);
    if (!this.#concerns(value)) return false;
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
    const value = measured(statistic, this.#counters);
    if (!this.#concerns(value)) return false;
    const place = this.#placeOf({ name, value, statistic });
    // Names are unique.
    if (this.leaders[place]?.name !== name) return false;
    this.leaders.splice(place, 1);
    return place < places;
  }

  /** Orders by value, the highest first, then by name. */
  #compare(a: Ranked, b: Ranked): number {
    return b.value - a.value || this.#compareNames(a.name, b.name);
  }

  /** Returns the number of leaders that rank before an entry. */
  #placeOf(entry: Ranked): number {
    const place = this.leaders.findIndex((leader) => this.#compare(leader, entry) >= 0);
    return place === -1 ? this.leaders.length : place;
  }
}

/** The top list of the durable data. */
export class Ranking {
  readonly #data: Pick<DurableData, "players" | "statistics">;
  #measures = measuresOf(defaultDeclarations());
  #language = defaultLanguage;
  #categories: readonly Category[] = [];
  /** Whether the next answer requires a rebuild. */
  #isStale = true;
  #version = 0;

  constructor(data: Pick<DurableData, "players" | "statistics">) {
    this.#data = data;
    data.statistics.watch((uuid, before, after) => {
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

  /** Sets the categories, and the language that orders names: those of a table that is put in force. */
  use(declared: Declared, language: string): void {
    const measures = measuresOf(declared);
    if (language === this.#language && isDeepStrictEqual(measures, this.#measures)) return;
    this.#measures = measures;
    this.#language = language;
    this.#isStale = true;
    this.#version += 1;
  }

  top(): Record<string, Record<string, string | number>[]> {
    if (this.#isStale) this.#rebuild();
    return Object.fromEntries(this.#categories.map((category) => [category.name, category.top()]));
  }

  /** Returns the place of a player in each category in which the player is a leader; equal values share one. */
  placesOf(name: string): Record<string, number> {
    if (this.#isStale) this.#rebuild();
    const places = this.#categories.flatMap(({ name: category, leaders }): [string, number][] => {
      const value = leaders.find((leader) => leader.name === name)?.value;
      const better = leaders.filter((leader) => leader.value > (value ?? Infinity)).length;
      return value === undefined ? [] : [[category, better + 1]];
    });
    return Object.fromEntries(places);
  }

  #replace(
    before: Player | undefined,
    old: Statistic | undefined,
    after: Player | undefined,
    fresh: Statistic | undefined,
  ): void {
    if (this.#isStale) return;
    let isListChanged = false;
    for (const category of this.#categories) {
      const isSame =
        before === after && old !== undefined && fresh !== undefined && category.isSame(old, fresh);
      if (isSame) continue;
      const removed = before !== undefined && old !== undefined && category.remove(before.name, old);
      const added = after !== undefined && fresh !== undefined && category.add(after.name, fresh);
      isListChanged ||= removed || added;
      if (category.isShort) this.#isStale = true;
    }
    // A category becomes short only by losing one of the list.
    if (isListChanged) this.#version += 1;
  }

  #rebuild(): void {
    const { players, statistics } = this.#data;
    const compare = comparisonIn(this.#language);
    this.#categories = this.#measures.map((measure) => new Category(measure, compare));
    for (const statistic of statistics.values()) {
      const player = players.get(statistic.uuid);
      if (player === undefined) continue;
      for (const category of this.#categories) category.add(player.name, statistic);
    }
    this.#isStale = false;
  }
}
