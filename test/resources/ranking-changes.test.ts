/** What changes of players do to the top list, and when its version grows. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { model, type Player, type Statistic } from "../../src/domain/model.ts";
import { Ranking } from "../../src/resources/ranking.ts";
import { Collection } from "../../src/store/collection.ts";
import { defaultDeclarations } from "../../src/table/declared/declarations.ts";

const uuidOf = (number: number) => number.toString(16).padStart(32, "0");
/** Returns names in the order of their numbers. */
const nameOf = (number: number) => `P${String(number).padStart(3, "0")}`;

class Crowd {
  readonly players = new Collection<Player>(model.players);
  readonly statistics = new Collection<Statistic>(model.statistics);
  readonly ranking = new Ranking({ players: this.players, statistics: this.statistics });

  /** @param countersOf the counters of each player, by the player's number */
  constructor(size: number, countersOf: (number: number) => Partial<Statistic>) {
    for (let number = 0; number < size; number += 1) {
      this.register(number);
      this.count(number, countersOf(number));
    }
    this.ranking.top();
  }

  register(number: number, player: Partial<Player> = {}): void {
    const uuid = uuidOf(number);
    const usual = { uuid, name: nameOf(number), administrator: false, registeredAt: 0 };
    this.players.set(uuid, { ...usual, ...player });
  }

  count(number: number, counters: Partial<Statistic>): void {
    const uuid = uuidOf(number);
    const none = { uuid, deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
    this.statistics.set(uuid, { ...none, ...this.statistics.get(uuid), ...counters });
  }

  /** Returns the names in a category. */
  names(category: "kills" | "deaths" | "playTime" | "revives" | "services" | "kd" = "kills"): string[] {
    return (this.ranking.top()[category] ?? []).map(({ name }) => String(name));
  }

  orderBy(language: string): void {
    this.ranking.use(defaultDeclarations(), language);
  }

  /** Returns how much the version grows by something. */
  growth(change: () => void): number {
    const before = this.ranking.version;
    change();
    return this.ranking.version - before;
  }
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => nameOf(from + index));

describe("the top list", () => {
  it("remembers a player who comes before the last of its leaders, however narrowly", () => {
    const crowd = new Crowd(101, (number) => ({ kills: 10 + 2 * number }));
    crowd.register(101);
    crowd.count(101, { kills: 13 });
    assert.equal(crowd.ranking.placesOf(nameOf(101)).kills, 100);
  });

  it("has the first by name of those who are equal, although some of them were left out", () => {
    const crowd = new Crowd(160, () => ({ kills: 5 }));
    // A leader becomes as good as all others, and is the last of them by name.
    crowd.count(150, { kills: 6 });
    for (let number = 0; number < 50; number += 1) crowd.count(number, { kills: 0 });
    crowd.count(150, { kills: 5 });
    for (let number = 50; number < 91; number += 1) crowd.count(number, { kills: 0 });
    assert.deepEqual(crowd.names(), range(91, 100));
  });

  it("follows the order of names, although no player changes", () => {
    const crowd = new Crowd(2, () => ({ kills: 1 }));
    crowd.register(0, { name: "Öl" });
    crowd.register(1, { name: "Zoe" });
    assert.deepEqual(crowd.names(), ["Öl", "Zoe"]);
    assert.equal(
      crowd.growth(() => crowd.orderBy("sv")),
      1,
    );
    assert.deepEqual(crowd.names(), ["Zoe", "Öl"]);
    assert.equal(
      crowd.growth(() => crowd.orderBy("sv")),
      0,
    );
  });

  it("leaves out statistics of players who are not registered", () => {
    const crowd = new Crowd(3, (number) => ({ kills: 1 + number, playTime: 1 }));
    crowd.players.set(uuidOf(2), undefined);
    assert.deepEqual(crowd.names(), ["P001", "P000"]);
    crowd.orderBy("de");
    assert.deepEqual(crowd.names(), ["P001", "P000"]);
    crowd.count(2, { kills: 9 });
    assert.deepEqual(crowd.names(), ["P001", "P000"]);
    crowd.register(2, { name: "Zoe" });
    assert.deepEqual(crowd.names(), ["Zoe", "P001", "P000"]);
    assert.deepEqual(crowd.names("playTime"), ["P000", "P001", "Zoe"]);
  });

  it("has the kills and deaths of a ratio that stays the same", () => {
    const crowd = new Crowd(1, () => ({ kills: 1, deaths: 1 }));
    assert.equal(
      crowd.growth(() => crowd.count(0, { kills: 2, deaths: 2 })),
      1,
    );
    assert.deepEqual(crowd.ranking.top().kd, [{ name: "P000", value: 1, kills: 2, deaths: 2 }]);
    crowd.count(0, { deaths: 4 });
    assert.deepEqual(crowd.ranking.top().kd, [{ name: "P000", value: 0.5, kills: 2, deaths: 4 }]);
    crowd.count(0, { kills: 8 });
    assert.deepEqual(crowd.ranking.top().kd, [{ name: "P000", value: 2, kills: 8, deaths: 4 }]);
  });
});

describe("the categories of the top list", () => {
  const declared = (...counters: string[]) => ({
    statistics: counters.map((counter) => ({
      name: counter.toUpperCase(),
      counter,
      description: "",
      example: 0,
    })),
    ratios: [{ name: "per", counters: ["wins", "starts"] as const }],
  });

  it("follow the declaration, from the same data", () => {
    const crowd = new Crowd(2, (number) => ({ kills: 1, wins: 3 * number, starts: 2 }));
    assert.equal(
      crowd.growth(() => crowd.ranking.use(declared("starts", "wins"), "en")),
      1,
    );
    crowd.count(0, { wins: 1 });
    assert.deepEqual(Object.entries(crowd.ranking.top()), [
      ["starts", [nameOf(0), nameOf(1)].map((name) => ({ name, value: 2 }))],
      ["wins", [nameOf(1), nameOf(0)].map((name, index) => ({ name, value: 3 - 2 * index }))],
      [
        "per",
        [
          { name: nameOf(1), value: 1.5, wins: 3, starts: 2 },
          { name: nameOf(0), value: 0.5, wins: 1, starts: 2 },
        ],
      ],
    ]);
  });
});

describe("the version of the top list", () => {
  /** Players with descending hours, so that the player of number 10 is the eleventh. */
  const open = (size = 30) => new Crowd(size, (number) => ({ playTime: 1000 - 10 * number }));

  it("stays the same if the players behind the tenth change", () => {
    const crowd = open();
    for (const [what, change] of [
      ["the eleventh gains", () => crowd.count(10, { playTime: 905 })],
      ["the eleventh loses everything", () => crowd.count(10, { playTime: 0 })],
      ["somebody becomes the eleventh", () => crowd.count(29, { playTime: 909 })],
      ["one of the list has another flag", () => crowd.register(0, { administrator: true })],
      ["a player without a place is renamed", () => crowd.register(20, { name: "Zoe" })],
      ["a player without a place is removed", () => crowd.players.set(uuidOf(21), undefined)],
      ["a player without a place has no statistic", () => crowd.statistics.set(uuidOf(22), undefined)],
      ["a player without a statistic registers", () => crowd.register(99)],
    ] as const)
      assert.equal(crowd.growth(change), 0, what);
    assert.deepEqual(crowd.names("playTime"), range(0, 9));
  });

  it("grows by one with each change of the list", () => {
    const crowd = open(10);
    for (const [what, change] of [
      ["the tenth gains", () => crowd.count(9, { playTime: 911 })],
      ["the tenth drops out", () => crowd.count(9, { playTime: 0 })],
      ["somebody becomes the tenth", () => crowd.count(9, { playTime: 1 })],
      ["the first is renamed", () => crowd.register(0, { name: "Zoe" })],
      ["the first is removed", () => crowd.players.set(uuidOf(0), undefined)],
      ["the first returns", () => crowd.register(0)],
      ["the first has no statistic", () => crowd.statistics.set(uuidOf(0), undefined)],
    ] as const)
      assert.equal(crowd.growth(change), 1, what);
    assert.deepEqual(crowd.names("playTime"), range(1, 9));
  });
});
