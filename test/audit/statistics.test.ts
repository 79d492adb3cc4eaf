/** Implausible statistics: which changes count as additions, and when they are too many. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PlayerNames } from "../../src/audit/names.ts";
import { type AdditionLimit, Additions, readExcesses } from "../../src/audit/statistics.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { segment } from "../store/_faults.ts";
import { ada, bob, changeOf, openStore, recordOf } from "./_history.ts";

const zero = { uuid: ada, deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
const registered = { uuid: ada, administrator: false, registeredAt: 0 };
const minute = 60_000;
const hour = 60 * minute;
const noon = Date.parse("2026-11-21T12:00:00Z");

/** An addition of `counter` for a player at an instant. */
function addition(counter: string, instant: number, uuid = ada, operation = "statistic.add") {
  const before = { ...zero, uuid };
  return recordOf([changeOf("statistics", uuid, before, { ...before, [counter]: 1 })], {
    instant,
    operation,
  });
}

const counters = {
  DEATH: "deaths",
  KILL: "kills",
  PLAYTIME: "playTime",
  REVIVE: "revives",
  SERVICE: "services",
};

/** Returns the limits of an hour, or those of several periods. */
function limitsOf(
  limits: Partial<Record<keyof typeof counters, number | Omit<AdditionLimit, "name" | "counter">>>,
) {
  return Object.entries(counters).flatMap(([name, counter]): AdditionLimit[] => {
    const limit = limits[name as keyof typeof counters];
    return limit === undefined
      ? []
      : [{ name, counter, ...(typeof limit === "number" ? { perHour: limit } : limit) }];
  });
}

/** What is beyond these limits. */
function excessesOf(
  records: Parameters<Additions["take"]>[0][],
  limits: Parameters<typeof limitsOf>[0],
  names = new PlayerNames(),
) {
  const additions = new Additions(limitsOf(limits));
  for (const record of records) additions.take(record);
  return additions.beyond((uuid) => names.of(uuid));
}

/** `count` additions, so far apart. */
function additions(count: number, apart: number, counter = "kills", from = noon, uuid = ada) {
  return Array.from({ length: count }, (_, index) => addition(counter, from + index * apart, uuid));
}

describe("the limit per hour", () => {
  it("is not exceeded by as many additions as it allows", () => {
    assert.deepEqual(excessesOf(additions(5, minute), { KILL: 5 }), []);
  });

  it("is exceeded by one more", () => {
    const reason = "6 KILL within 60 minutes";
    const info = `${ada}: 6 KILL within 60 minutes from 2026-11-21T12:00:00.000Z; at most 5 an hour are plausible.`;
    const period = "perHour";
    assert.deepEqual(excessesOf(additions(6, minute), { KILL: 5 }), [
      {
        player: ada,
        uuid: ada,
        type: "KILL",
        period,
        count: 6,
        limit: 5,
        began: noon,
        total: 6,
        reason,
        info,
      },
    ]);
  });

  it("counts additions that are less than 60 minutes apart", () => {
    assert.equal(excessesOf(additions(2, hour - 1), { KILL: 1 })[0]?.count, 2);
    assert.deepEqual(excessesOf(additions(2, hour), { KILL: 1 }), []);
  });

  it("applies to any 60 minutes, not to hours on the clock", () => {
    const around = additions(4, 10 * minute, "kills", noon - 20 * minute);
    assert.deepEqual(
      excessesOf(around, { KILL: 3 }).map(({ count, began }) => [count, began]),
      [[4, noon - 20 * minute]],
    );
  });

  it("reports the worst 60 minutes, and all additions", () => {
    const quiet = additions(4, 10 * minute);
    const busy = additions(7, minute, "kills", noon + 5 * hour);
    const [excess] = excessesOf([...quiet, ...busy, ...additions(4, minute, "kills", noon + 9 * hour)], {
      KILL: 3,
    });
    assert.deepEqual([excess?.count, excess?.began, excess?.total], [7, noon + 5 * hour, 15]);
  });

  it("reports the first of several equal 60 minutes", () => {
    const twice = [...additions(3, minute), ...additions(3, minute, "kills", noon + 2 * hour)];
    assert.equal(excessesOf(twice, { KILL: 2 })[0]?.began, noon);
  });

  it("is not exceeded by more additions in more than 60 minutes", () => {
    assert.deepEqual(excessesOf(additions(20, 15 * minute), { KILL: 4 }), []);
    assert.equal(excessesOf(additions(20, 15 * minute), { KILL: 3 })[0]?.count, 4);
  });

  it("applies if the clock was set back", () => {
    const instants = [noon + 50 * minute, noon, noon + 2 * hour, noon + 10 * minute];
    const [excess] = excessesOf(
      instants.map((instant) => addition("kills", instant)),
      { KILL: 2 },
    );
    assert.deepEqual([excess?.count, excess?.began], [3, noon]);
  });

  it("applies to each type separately", () => {
    const limits = { DEATH: 1, KILL: 1, PLAYTIME: 1, REVIVE: 1, SERVICE: 1 };
    const all = Object.values(counters).flatMap((counter) => additions(2, minute, counter));
    assert.deepEqual(
      excessesOf(all, limits).map(({ type, count }) => [type, count]),
      [
        ["DEATH", 2],
        ["KILL", 2],
        ["PLAYTIME", 2],
        ["REVIVE", 2],
        ["SERVICE", 2],
      ],
    );
    assert.deepEqual(excessesOf(all, { DEATH: 2 }), []);
  });
});

describe("the limits per day and per week", () => {
  const apart = hour / 119;
  const infos = (records: ReturnType<typeof additions>, limits: Parameters<typeof limitsOf>[0]) =>
    excessesOf(records, limits).map(({ info }) => info.slice(ada.length + 2));

  it("find 119 kills an hour around the clock, which stay below 120 an hour", () => {
    const day = additions(24 * 119, apart);
    assert.deepEqual(infos(day, { KILL: 120 }), []);
    assert.deepEqual(infos(day, { KILL: { perHour: 120, perDay: 2000, perWeek: 2856 } }), [
      "2,856 KILL within 24 hours from 2026-11-21T12:00:00.000Z; at most 2,000 a day are plausible.",
    ]);
  });

  it("apply to any 24 hours and any 7 days", () => {
    const week = additions(15, 12 * hour);
    assert.deepEqual(infos(week, { KILL: { perDay: 2, perWeek: 14 } }), []);
    assert.deepEqual(infos(additions(2, 7 * 24 * hour - 1), { KILL: { perDay: 1, perWeek: 1 } }), [
      "2 KILL within 7 days from 2026-11-21T12:00:00.000Z; at most 1 a week is plausible.",
    ]);
  });
});

describe("an addition", () => {
  it("is not a value that an operator sets", () => {
    assert.deepEqual(excessesOf([addition("kills", noon, ada, "statistic.set")], { KILL: 0 }), []);
  });

  it("may be the first one of a player", () => {
    const first = recordOf([changeOf("statistics", ada, null, { ...zero, kills: 1 })], {
      operation: "statistic.add",
    });
    assert.equal(excessesOf([first], { KILL: 0 })[0]?.type, "KILL");
  });

  it("counts with an Idempotency-Key", () => {
    const { changes } = addition("deaths", noon);
    const noted = recordOf([...changes, changeOf("repetitions", "a b", null, { instant: 1 })], {
      operation: "statistic.add",
    });
    assert.equal(excessesOf([noted], { DEATH: 0 })[0]?.count, 1);
  });
});

describe("a change that is no addition", () => {
  it("is one of another collection, whatever its fields", () => {
    const change = changeOf("activity", ada, { kills: 0 }, { kills: 1 });
    assert.deepEqual(excessesOf([recordOf([change], { operation: "statistic.add" })], { KILL: 0 }), []);
  });

  for (const [what, after] of [
    ["raises two counters", { kills: 1, deaths: 1 }],
    ["raises a counter by two", { kills: 2 }],
    ["lowers a counter", { kills: -1 }],
    ["changes nothing", {}],
  ] as const) {
    it(`is one that ${what}`, () => {
      const change = changeOf("statistics", ada, zero, { ...zero, ...after });
      const limits = { KILL: 0, DEATH: 0 };
      assert.deepEqual(excessesOf([recordOf([change], { operation: "statistic.add" })], limits), []);
    });
  }
});

describe("the order of excesses", () => {
  it("is by the count for equal excesses over the limit, whatever the names", () => {
    const records = [
      ...additions(4, minute, "deaths", noon, ada),
      ...additions(20, minute, "kills", noon, bob),
      ...additions(8, minute, "revives", noon, ada),
    ];
    assert.deepEqual(
      excessesOf(records, { KILL: 10, DEATH: 2, REVIVE: 4 }).map(({ type }) => type),
      ["KILL", "REVIVE", "DEATH"],
    );
  });

  it("is by type for a player's equal excesses", () => {
    const records = ["revives", "deaths", "kills"].flatMap((counter) => additions(2, minute, counter));
    assert.deepEqual(
      excessesOf(records, { KILL: 1, DEATH: 1, REVIVE: 1 }).map(({ type }) => type),
      ["DEATH", "KILL", "REVIVE"],
    );
  });

  it("is by the excess over the limit", () => {
    const records = [
      ...additions(20, minute, "kills", noon, ada),
      ...additions(6, minute, "revives", noon, bob),
      ...additions(30, minute, "deaths", noon, bob),
    ];
    assert.deepEqual(
      excessesOf(records, { KILL: 10, REVIVE: 2, DEATH: 15 }).map(({ type }) => type),
      ["REVIVE", "DEATH", "KILL"],
    );
  });

  it("is by name for equal excesses", () => {
    const names = new PlayerNames();
    names.learn(recordOf([changeOf("players", bob, null, { uuid: bob, name: "abel" })]));
    names.learn(recordOf([changeOf("players", ada, null, { uuid: ada, name: "Zoe" })]));
    const records = [
      ...additions(2, minute, "kills", noon, ada),
      ...additions(2, minute, "kills", noon, bob),
    ];
    assert.deepEqual(
      excessesOf(records, { KILL: 1 }, names).map(({ player }) => player),
      ["abel", "Zoe"],
    );
  });
});

describe("a closed case", () => {
  const closing = (sequence: number, through: number | null) => {
    const after = through === null ? null : { uuid: ada, type: "KILL", through };
    const changes = [changeOf("closedCases", `${ada}/KILL`, null, after)];
    return recordOf(changes, { sequence, operation: "audit.statistics" });
  };
  const numbered = (first: number, records: ReturnType<typeof additions>) =>
    records.map((record, index) => ({ ...record, sequence: first + index }));
  const handled = numbered(1, additions(6, minute));

  it("stays closed for the additions before it", () => {
    assert.deepEqual(excessesOf([...handled, closing(7, 7)], { KILL: 5 }), []);
    const fewMore = numbered(8, additions(5, minute, "kills", noon + 10 * minute));
    assert.deepEqual(excessesOf([...handled, closing(7, 7), ...fewMore], { KILL: 5 }), []);
  });

  it("covers the addition with the number up to which it was closed", () => {
    assert.deepEqual(excessesOf([...handled, closing(7, 6)], { KILL: 0 }), []);
    assert.equal(excessesOf([...handled, closing(7, 5)], { KILL: 0 })[0]?.count, 1);
  });

  it("opens again for too many additions after it, and only those count", () => {
    const more = numbered(8, additions(7, minute, "kills", noon + 10 * minute));
    const [excess] = excessesOf([...handled, closing(7, 7), ...more], { KILL: 5 });
    assert.deepEqual([excess?.count, excess?.began, excess?.total], [7, noon + 10 * minute, 13]);
  });

  it("covers changes by their order, even if the clock was set back", () => {
    const before = numbered(8, additions(6, minute, "kills", noon - hour * 24));
    assert.equal(excessesOf([...handled, closing(7, 7), ...before], { KILL: 5 }).length, 1);
  });

  it("is open again after closing it is undone", () => {
    assert.equal(excessesOf([...handled, closing(7, 7), closing(8, null)], { KILL: 5 }).length, 1);
  });

  it("of another folder covers nothing after its import", () => {
    const more = numbered(8, additions(6, minute));
    assert.deepEqual(excessesOf([...handled, closing(7, 1_000_000)], { KILL: 5 }), []);
    assert.equal(excessesOf([...handled, closing(7, 1_000_000), ...more], { KILL: 5 }).length, 1);
  });

  it("is closed only for its player and its type", () => {
    const others = [
      ...numbered(10, additions(6, minute, "deaths")),
      ...numbered(20, additions(6, minute, "kills", noon, bob)),
    ];
    const found = excessesOf([...handled, ...others, closing(30, 30)], { KILL: 5, DEATH: 5 });
    assert.deepEqual(
      found.map(({ uuid, type }) => `${uuid} ${type}`).sort(),
      [`${ada} DEATH`, `${bob} KILL`].sort(),
    );
  });
});

it("the additions in the files of a folder are counted, across segments and gaps", async (t) => {
  const store = await openStore(t);
  for (let kills = 1; kills <= 3; kills += 1) {
    await store.change({ who: ada, operation: "statistic.add" }, (draft) =>
      draft.statistics.put({ ...zero, kills }),
    );
    await store.snapshot();
  }
  const warnings: string[] = [];
  const find = async (KILL: number, name?: string) => {
    const players = new Map(name === undefined ? [] : [[ada, { ...registered, name }]]);
    const found = await readExcesses(nodeFiles, store.folder, limitsOf({ KILL }), players, warnings);
    return found.map(({ player, type, count, limit, total }) => ({ player, type, count, limit, total }));
  };
  assert.deepEqual(await find(2), [{ player: ada, type: "KILL", count: 3, limit: 2, total: 3 }]);
  assert.equal((await find(2, "Ada"))[0]?.player, "Ada");
  assert.deepEqual([await find(3), warnings], [[], []]);

  await rm(join(store.folder, segment(2)));
  assert.deepEqual(await find(1), [{ player: ada, type: "KILL", count: 2, limit: 1, total: 2 }]);
  assert.match(warnings.join("\n"), /lacks change 2: it is not shown/);
});
