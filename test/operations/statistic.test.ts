/** Statistics of players and the top list. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertFailure, everyRight, openAs, openWorld, type World } from "../_setup.ts";

const uuid = "00112233445566778899aabbccddeeff";
const noGroups = {
  CEO: false,
  DEV: false,
  MOD: false,
  SUP: false,
  BETA: false,
  VIP: false,
  BLACKLIST: false,
  TARGETLIST: false,
};

/** Sets a player's counters, such as `{ KILL: 3 }`. */
async function count(world: World, token: string, name: string, amounts: Record<string, number>) {
  for (const [type, amount] of Object.entries(amounts)) {
    await world.ok(token, `/statistic/${name}/set`, { type, amount });
  }
}

describe("/statistic/{player}", () => {
  it("/statistic refuses the player of the path as a query parameter", async (t) => {
    const world = await openWorld(t);
    await world.player("Ada");
    await world.player("Bob");
    for (const player of ["Bob", "Ada", ""]) {
      const answer = await world.get(world.publicToken, "/statistic/Ada", { player });
      assertFailure(answer, 400, "PARAMETER_UNKNOWN", "player");
      assert.match(answer.body.hint, /takes none/);
    }
  });

  it("/statistic answers all properties of a new player", async (t) => {
    const world = await openWorld(t);
    const issued = world.clock.time;
    await world.player("Ada", { uuid, members: { GROVE: 4, RESCUE: 2 }, addonVersion: "2.5.1" });
    world.clock.advance(60_000);
    assert.deepEqual(await world.ok(world.publicToken, "/statistic/ada"), {
      name: "Ada",
      uuid,
      gameaddon: { tokenGenerateTime: issued, groups: noGroups, blacklisted: false, version: "2.5.1" },
      gameplay: { deaths: 0, kd: 0, kills: 0, playTime: 0, revives: 0, services: 0 },
      faction: { name: "GROVE", rank: 4 },
    });
  });

  it("/statistic answers null for token time, version and faction of a player without them", async (t) => {
    const world = await openWorld(t);
    await world.service.administer("player.add", { name: "Bob" });
    const { gameaddon, faction } = await world.ok(world.publicToken, "/statistic/Bob");
    assert.deepEqual(gameaddon, {
      tokenGenerateTime: null,
      groups: noGroups,
      blacklisted: false,
      version: null,
    });
    assert.equal(faction, null);
  });

  it("/statistic answers the faction of the highest rank, or else the service", async (t) => {
    const world = await openWorld(t);
    for (const [name, members, faction] of [
      ["of-one-service", { POLICE: 3 }, { name: "POLICE", rank: 3 }],
      ["of-both-services", { POLICE: 2, RESCUE: 5 }, { name: "RESCUE", rank: 5 }],
      ["of-equal-ranks", { POLICE: 2, RESCUE: 2 }, { name: "RESCUE", rank: 2 }],
      ["of-a-faction", { POLICE: 6, GROVE: 1 }, { name: "GROVE", rank: 1 }],
      ["of-two-factions", { GROVE: 1, VAGOS: 3, RESCUE: 6 }, { name: "VAGOS", rank: 3 }],
    ] as const) {
      await world.player(name, { members });
      assert.deepEqual((await world.ok(world.publicToken, `/statistic/${name}`)).faction, faction, name);
    }
  });

  it("/statistic answers the service as faction of a player who leaves the last faction", async (t) => {
    const world = await openWorld(t);
    await world.player("Bob", { members: { GROVE: 1, POLICE: 2 } });
    const faction = async () => (await world.ok(world.publicToken, "/statistic/Bob")).faction.name;
    assert.equal(await faction(), "GROVE");
    await world.service.administer("member.remove", { player: "Bob", organisation: "GROVE" });
    assert.equal(await faction(), "POLICE");
  });

  it("/statistic lists every group in the seed's order, and whether the player is excluded", async (t) => {
    const world = await openWorld(t);
    await world.player("Mallory", { groups: ["VIP", "BLACKLIST"] });
    const { gameaddon } = await world.ok(world.publicToken, "/statistic/Mallory");
    assert.deepEqual(gameaddon.groups, { ...noGroups, VIP: true, BLACKLIST: true });
    assert.deepEqual(Object.keys(gameaddon.groups), Object.keys(noGroups));
    assert.equal(gameaddon.blacklisted, true);
  });

  it("/statistic answers the version of the client's latest User-Agent", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada", { addonVersion: "2.5.0" });
    const version = async () => (await world.ok(world.publicToken, "/statistic/Ada")).gameaddon.version;
    assert.equal(await version(), "2.5.0");
    world.clock.advance(1000);
    for (const [userAgent, expected] of [
      ["gameaddon/2.5.1 (Windows)", "2.5.1"],
      ["Java/21 gameaddon/2.10", "2.10"],
      ["gameaddon/newest", "2.10"],
      ["otheraddon/9.9", "2.10"],
    ] as const) {
      await world.get(ada.token, "/event", {}, { headers: { "User-Agent": userAgent } });
      assert.equal(await version(), expected);
    }
  });

  it("/statistic answers 404 for an unregistered player", async (t) => {
    const world = await openWorld(t);
    assertFailure(await world.get(world.publicToken, "/statistic/Nobody"), 404, "UNKNOWN_PLAYER", "player");
  });

  it("/statistic answers a player called top by UUID, and the top list at /statistic/top", async (t) => {
    const world = await openWorld(t);
    const top = await world.player("top", { uuid });
    assert.ok("kills" in (await world.ok(world.publicToken, "/statistic/top")), "the top list");
    assert.equal((await world.ok(world.publicToken, `/statistic/${uuid}`)).name, "top");
    await world.ok(top.token, `/statistic/${uuid}/add`, { type: "KILL" });
    await world.ok(top.token, "/statistic/top/add", { type: "KILL" });
    assert.equal((await world.ok(world.publicToken, `/statistic/${uuid}`)).gameplay.kills, 2);
  });
});

describe("/statistic/{player}/add", () => {
  it("/statistic/add adds one to the counter of the type alone, in any case", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const expected: Record<string, number> = { deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 };
    for (const [counter, types] of Object.entries({
      deaths: ["DEATH", "death"],
      kills: ["KILL", "Kill", "kill"],
      playTime: ["PLAYTIME"],
      revives: ["REVIVE", "rEVIVE"],
      services: ["SERVICE", "Service"],
    })) {
      for (const type of types) await world.ok(token, "/statistic/Ada/add", { type });
      expected[counter] = types.length;
      const { kd: _kd, ...gameplay } = (await world.ok(token, "/statistic/Ada")).gameplay;
      assert.deepEqual(gameplay, expected);
    }
  });

  it("/statistic/add refuses an unknown type, and names all types", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    for (const type of ["KILLS", "", "kd", "0"]) {
      const answer = await world.get(token, "/statistic/Ada/add", { type });
      assertFailure(answer, 400, "PARAMETER_INVALID", "type");
      assert.match(answer.body.info, /DEATH, KILL, PLAYTIME, REVIVE or SERVICE/);
    }
  });

  it("/statistic/add stops a counter at the 32-bit maximum", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    await count(world, token, "Ada", { KILL: 2147483647 });
    await world.get(token, "/statistic/Ada/add", { type: "KILL" });
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 2147483647);
  });
});

describe("/statistic/{player}/set", () => {
  it("/statistic/set sets a counter of any player to 0 up to 2147483647, and back", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    await world.player("Ada", { uuid });
    for (const [name, amount] of [
      ["Ada", 2147483647],
      [uuid.toUpperCase(), 17],
      ["ADA", 0],
    ] as const) {
      await world.ok(token, `/statistic/${name}/set`, { type: "playtime", amount });
      assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.playTime, amount);
    }
    await world.ok(token, "/statistic/Ada/set", { type: "playtime", amount: 0 });
  });

  it("/statistic/set refuses any other amount", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    await count(world, token, "Root", { KILL: 5 });
    for (const amount of ["-1", "2147483648", "1.5", "", "five", "0x5", "1e3"]) {
      const answer = await world.get(token, "/statistic/Root/set", { type: "KILL", amount });
      assertFailure(answer, 400, "PARAMETER_INVALID", "amount");
    }
    assert.equal((await world.ok(token, "/statistic/Root")).gameplay.kills, 5);
  });

  it("/statistic/set answers 404 for an unregistered player, and registers nobody", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    const answer = await world.get(token, "/statistic/Nobody/set", { type: "KILL", amount: 1 });
    assertFailure(answer, 404, "UNKNOWN_PLAYER");
    assertFailure(await world.get(token, "/statistic/Nobody"), 404, "UNKNOWN_PLAYER");
  });

  it("/statistic answers kd as kills per death to two decimals; no death counts as one", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const [kills, deaths, kd] of [
      [0, 0, 0],
      [7, 0, 7],
      [7, 1, 7],
      [1, 3, 0.33],
      [2, 3, 0.67],
      [1, 8, 0.13],
      [0, 5, 0],
      [1, 1000, 0],
      [2147483647, 2, 1073741823.5],
    ] as const) {
      await count(world, token, "Root", { KILL: kills, DEATH: deaths });
      assert.equal((await world.ok(token, "/statistic/Root")).gameplay.kd, kd, `${kills} to ${deaths}`);
    }
  });
});

describe("/statistic/top", () => {
  const empty = { kills: [], deaths: [], playTime: [], revives: [], services: [], kd: [] };

  it("/statistic/top has six empty lists while all counters are 0", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    assert.deepEqual(await world.ok(token, "/statistic/top"), empty);
    await count(world, token, "Root", { KILL: 3 });
    await count(world, token, "Root", { KILL: 0 });
    assert.deepEqual(await world.ok(token, "/statistic/top"), empty);
  });

  it("/statistic/top lists the highest values first and ties by name, without zeros", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const name of ["Zoe", "adam", "Bert", "Carl"]) await world.player(name);
    await count(world, token, "Zoe", { KILL: 5, DEATH: 2, PLAYTIME: 9 });
    await count(world, token, "adam", { KILL: 5, DEATH: 3 });
    await count(world, token, "Bert", { KILL: 7, DEATH: 0, REVIVE: 1 });
    await count(world, token, "Carl", { KILL: 0, DEATH: 3, SERVICE: 4 });
    assert.deepEqual(await world.ok(token, "/statistic/top"), {
      kills: [
        { name: "Bert", value: 7 },
        { name: "adam", value: 5 },
        { name: "Zoe", value: 5 },
      ],
      deaths: [
        { name: "adam", value: 3 },
        { name: "Carl", value: 3 },
        { name: "Zoe", value: 2 },
      ],
      playTime: [{ name: "Zoe", value: 9 }],
      revives: [{ name: "Bert", value: 1 }],
      services: [{ name: "Carl", value: 4 }],
      kd: [
        { name: "Bert", value: 7, kills: 7, deaths: 0 },
        { name: "Zoe", value: 2.5, kills: 5, deaths: 2 },
        { name: "adam", value: 1.67, kills: 5, deaths: 3 },
      ],
    });
  });

  it("/statistic/top lists ten players in each category", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    const names = Array.from("LKJIHGFEDCBA");
    for (const [index, name] of names.entries()) {
      await world.player(name);
      // Two of each number: 1, 1, 2, 2, …
      await count(world, token, name, { REVIVE: 1 + Math.floor(index / 2) });
    }
    const { revives } = await world.ok(token, "/statistic/top");
    const listed = revives.map((entry: { name: string; value: number }) => `${entry.name}${entry.value}`);
    assert.deepEqual(listed, ["A6", "B6", "C5", "D5", "E4", "F4", "G3", "H3", "I2", "J2"]);
  });

  it("/statistic/top omits former players", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    await world.player("Gone");
    await count(world, token, "Gone", { KILL: 3 });
    await world.service.administer("player.remove", { player: "Gone" });
    assert.deepEqual(await world.ok(token, "/statistic/top"), empty);
  });
});

describe("the statistics of a table", () => {
  const tableOf = (declared: string) => `
prefix: /gameaddon/v1/{tokenString}
${declared}
types: { statisticType: { type: enum, values: [KILL] } }
routes:
  /statistic/top: { summary: Returns the top list., restriction: open, handler: statistic.top }
  /statistic/{player}: { summary: Returns a player., restriction: open, handler: statistic.show }
  /statistic/{player}/add: { summary: Adds one., restriction: { self: player }, handler: statistic.add }
  /statistic/{player}/set: { summary: Sets one., restriction: open, handler: statistic.set }
`;
  const shipped = tableOf("");
  const racing =
    tableOf(`statistics: { KILL: { counter: kills }, WIN: { counter: wins }, START: { counter: starts } }
ratios: { rate: [wins, starts], kd: [kills, wins] }`);

  it("are in the player's, in the top list, and the values of the type", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { routes: racing });
    await count(world, token, "Ada", { WIN: 3, START: 4 });
    await world.ok(token, "/statistic/Ada/add", { type: "win" });
    const { gameplay } = await world.ok(token, "/statistic/Ada");
    assert.equal(JSON.stringify(gameplay), '{"kd":0,"kills":0,"rate":1,"starts":4,"wins":4}');
    assert.equal(
      JSON.stringify(await world.ok(token, "/statistic/top")),
      `{"kills":[],"wins":[{"name":"Ada","value":4}],"starts":[{"name":"Ada","value":4}],${'"rate":[{"name":"Ada","value":1,"wins":4,"starts":4}],"kd":[]}'}`,
    );
    const answer = await world.get(token, "/statistic/Ada/add", { type: "DEATH" });
    assertFailure(answer, 400, "PARAMETER_INVALID", "type");
    assert.match(answer.body.info, /KILL, START or WIN/);
  });

  it("narrow to those of a route that declares the type itself", async (t) => {
    const routes = racing.replace("handler: statistic.add", "$&, parameters: { type: statisticType }");
    const { world, token } = await openAs(t, "Ada", {}, { routes });
    await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    const answer = await world.get(token, "/statistic/Ada/add", { type: "WIN" });
    assertFailure(answer, 400, "PARAMETER_INVALID", "type");
  });

  it("change while the service runs: no request is dropped, and former counters return", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { routes: shipped, transport: "socket" });
    await count(world, token, "Ada", { KILL: 2, DEATH: 1 });
    let isOver = false;
    const shapes = new Set<string>();
    const asking = Promise.all(
      ["/statistic/top", "/statistic/Ada"].map(async (path) => {
        while (!isOver) {
          const body = await world.ok(token, path);
          shapes.add(Object.keys(body.gameplay ?? body).join());
        }
      }),
    );
    for (const text of [racing, shipped, `${shipped}#`, racing]) {
      await writeFile(join(world.folder, "routes.yaml"), text);
      await world.service.reloadRoutes();
      const isRacing = text === racing;
      const { gameplay } = await world.ok(token, "/statistic/Ada");
      assert.deepEqual([gameplay.kills, gameplay.deaths], [2, isRacing ? undefined : 1]);
      const top = await world.ok(token, "/statistic/top");
      assert.deepEqual(top.kills, [{ name: "Ada", value: 2 }]);
      assert.deepEqual("wins" in top, isRacing);
    }
    isOver = true;
    await asking;
    assert.deepEqual([...shapes].sort(), [
      "deaths,kd,kills,playTime,revives,services",
      "kd,kills,rate,starts,wins",
      "kills,deaths,playTime,revives,services,kd",
      "kills,wins,starts,rate,kd",
    ]);
    await count(world, token, "Ada", { WIN: 1 });
    const stored = [...world.service.store.data.statistics.values()].map(({ uuid: _, ...rest }) => rest);
    assert.deepEqual(stored, [
      { deaths: 1, kills: 2, playTime: 0, revives: 0, services: 0, starts: 0, wins: 1 },
    ]);
  });
});
