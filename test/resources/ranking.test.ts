/** The top list, compared with sorting all players. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { model, type Player, type Statistic } from "../../src/domain/model.ts";
import { Ranking } from "../../src/resources/ranking.ts";
import { Collection } from "../../src/store/collection.ts";
import { runs } from "../_depth.ts";

/** More players than the leaders of a category. */
const crowd = 160;

const uuidOf = (number: number) => number.toString(16).padStart(32, "0");

const { compare } = new Intl.Collator("en");

/** Returns ten players in each category, the highest first, ties by name, without zeros. */
function sorted(players: Iterable<Player>, statistics: ReadonlyMap<string, Statistic>) {
  const all = Array.from(players).flatMap(({ uuid, name }) => {
    const statistic = statistics.get(uuid);
    return statistic === undefined ? [] : [{ name, of: (counter: string) => Number(statistic[counter]) }];
  });
  type One = (typeof all)[number];
  const best = (rate: (one: One) => number) =>
    all
      .map((one) => ({ one, value: rate(one) }))
      .filter(({ value }) => value > 0)
      .sort((a, b) => b.value - a.value || compare(a.one.name, b.one.name))
      .slice(0, 10);
  const list = (counter: string) =>
    best(({ of }) => of(counter)).map(({ one, value }) => ({ name: one.name, value }));
  return {
    kills: list("kills"),
    deaths: list("deaths"),
    playTime: list("playTime"),
    revives: list("revives"),
    services: list("services"),
    kd: best(({ of }) =>
      Number((Math.round((of("kills") * 100) / Math.max(of("deaths"), 1)) / 100).toFixed(2)),
    ).map(({ one: { name, of }, value }) => ({ name, value, kills: of("kills"), deaths: of("deaths") })),
  };
}

class Crowd {
  readonly players = new Collection<Player>(model.players);
  readonly statistics = new Collection<Statistic>(model.statistics);
  readonly ranking = new Ranking({ players: this.players, statistics: this.statistics } as never);

  register(number: number, name: string): void {
    const uuid = uuidOf(number);
    this.players.set(uuid, { uuid, name, administrator: false, registeredAt: 0 });
  }

  count(number: number, counters: Partial<Statistic>): void {
    const uuid = uuidOf(number);
    const none = { uuid, deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
    this.statistics.set(uuid, { ...none, ...this.statistics.get(uuid), ...counters });
  }

  assertRight(): void {
    const statistics = new Map(
      Array.from(this.statistics.values(), (statistic) => [statistic.uuid, statistic]),
    );
    assert.deepEqual(this.ranking.top(), sorted(this.players.values(), statistics));
  }
}

const counters = ["deaths", "kills", "playTime", "revives", "services"] as const;

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant("count" as const),
      who: fc.nat(crowd - 1),
      what: fc.constantFrom(...counters),
      value: fc.nat(6),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("forget" as const), who: fc.nat(crowd - 1) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("remove" as const), who: fc.nat(crowd - 1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("rename" as const),
      who: fc.nat(crowd - 1),
      name: fc.constantFrom("Zoe", "adler", "Bob"),
    }),
  },
);

it("the top list equals the result of sorting all players, through random changes", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120 }), fc.nat(5), (steps, evenly) => {
      const crowded = new Crowd();
      for (let number = 0; number < crowd; number += 1) {
        crowded.register(number, `P${number}`);
        crowded.count(number, { kills: number % (evenly + 1), deaths: number % 3, revives: 1 });
      }
      crowded.assertRight();
      for (const step of steps) {
        if (step.act === "count") crowded.count(step.who, { [step.what]: step.value });
        else if (step.act === "forget") crowded.statistics.set(uuidOf(step.who), undefined);
        else if (step.act === "remove") crowded.players.set(uuidOf(step.who), undefined);
        else crowded.register(step.who, `${step.name}${step.who}`);
        crowded.assertRight();
      }
    }),
    { numRuns: runs(60) },
  );
});

it("the top list stays full when its leaders drop out one after another", () => {
  const crowded = new Crowd();
  for (let number = 0; number < crowd; number += 1) {
    crowded.register(number, `P${number}`);
    crowded.count(number, { kills: number + 1 });
  }
  for (let number = crowd - 1; number >= 0; number -= 1) {
    crowded.count(number, { kills: 0 });
    crowded.assertRight();
  }
  assert.deepEqual(crowded.ranking.top().kills, []);
});

it("the version of the top list changes with the list, and only then", () => {
  const crowded = new Crowd();
  for (let number = 0; number < 20; number += 1) {
    crowded.register(number, `P${number}`);
    crowded.count(number, { kills: 100 + number });
  }
  crowded.ranking.top();
  const before = crowded.ranking.version;
  crowded.count(0, { kills: 99 });
  assert.equal(crowded.ranking.version, before);
  crowded.count(19, { kills: 500 });
  assert.notEqual(crowded.ranking.version, before);
});
