/** `player add`, `list`, `show`: who can be registered, and what is shown of them (contract, sections 1, 2 and 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FailureDocument, linesOf, type PlayerDocument, seededDesk } from "./_setup.ts";

const uuid = "069a79f444e94726a5befca90e38aaf5";
const otherUUID = "853c80ef3c3749fdaa49938b674adae6";

describe("player add", () => {
  it("when a player is registered, the player is shown with all given values", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok(
      ...["player", "add", "Ada", "--uuid", uuid, "--member", "GROVE:4", "--member", "RESCUE:2", "--admin"],
    );
    const { members, ...ada } = await desk.json<PlayerDocument>("player", "show", "Ada");
    assert.deepEqual([ada.name, ada.uuid, ada.administrator], ["Ada", uuid, true]);
    assert.deepEqual(members, [
      { organisation: "GROVE", rank: 4 },
      { organisation: "RESCUE", rank: 2 },
    ]);
  });

  it("when no UUID is given, each player receives a random one", async (t) => {
    const desk = await seededDesk(t);
    const ada = await desk.json<PlayerDocument>("player", "add", "Ada");
    const bob = await desk.json<PlayerDocument>("player", "add", "Bob");
    assert.match(ada.uuid, /^[0-9a-f]{32}$/);
    assert.match(bob.uuid, /^[0-9a-f]{32}$/);
    assert.notEqual(ada.uuid, bob.uuid);
  });

  for (const written of [
    "069a79f444e94726a5befca90e38aaf5",
    "069A79F444E94726A5BEFCA90E38AAF5",
    "069a79f4-44e9-4726-a5be-fca90e38aaf5",
    "069A79F4-44E9-4726-A5BE-FCA90E38AAF5",
  ]) {
    it(`when the UUID is written ${written}, it is the same in both forms`, async (t) => {
      const desk = await seededDesk(t);
      await desk.ok("player", "add", "Ada", "--uuid", written);
      assert.equal((await desk.json<PlayerDocument>("player", "show", "Ada")).uuid, uuid);
      assert.equal((await desk.json<PlayerDocument>("player", "show", written)).name, "Ada");
    });
  }

  for (const written of [
    "069a79f4",
    "069a79f444e94726a5befca90e38aaf",
    "g".repeat(32),
    "069a79f4 44e94726a5befca90e38aaf5",
  ]) {
    it(`when the UUID is written ${written}, it is refused and nobody is registered`, async (t) => {
      const desk = await seededDesk(t);
      assert.match(await desk.misused("player", "add", "Ada", "--uuid", written), /UUID/);
      assert.deepEqual(await desk.json("player", "list"), []);
    });
  }

  for (const name of [
    "A",
    "Ada_Lovelace",
    "x.y-z",
    "Zoë",
    "日本",
    "0",
    "x".repeat(32),
    "constructor",
    "__proto__",
  ]) {
    it(`when the name is ${name}, the player is registered under it`, async (t) => {
      const desk = await seededDesk(t);
      await desk.ok("player", "add", name);
      assert.equal((await desk.json<PlayerDocument>("player", "show", name)).name, name);
    });
  }

  for (const name of [
    "",
    " ",
    "Ada Lovelace",
    "x".repeat(33),
    "a/b",
    "a,b",
    "Ada!",
    "a\tb",
    "Ada\n",
    "<b>",
    "a:b",
  ]) {
    it(`when the name is ${JSON.stringify(name)}, it is refused, with the format of names`, async (t) => {
      const desk = await seededDesk(t);
      assert.match(await desk.misused("player", "add", name), /1 to 32 letters, digits/);
      assert.deepEqual(await desk.json("player", "list"), []);
    });
  }

  it("when the name reads as a UUID, it is refused, since the two would be ambiguous", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.misused("player", "add", uuid), /UUID/);
  });

  it("when an organisation does not exist, nobody is registered", async (t) => {
    const desk = await seededDesk(t);
    await desk.fails("player", "add", "Ada", "--member", "GROVE:4", "--member", "NOWHERE:1");
    assert.deepEqual(await desk.json("player", "list"), []);
  });

  it("when a rank is below 1, nobody is registered", async (t) => {
    const desk = await seededDesk(t);
    assert.notEqual((await desk.run(["player", "add", "Ada", "--member", "GROVE:0"])).exitCode, 0);
    assert.deepEqual(await desk.json("player", "list"), []);
  });

  it("when an organisation is written in another case, it is shown as seeded", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "grove:4");
    const { members } = await desk.json<PlayerDocument>("player", "show", "Ada");
    assert.deepEqual(members, [{ organisation: "GROVE", rank: 4 }]);
  });
});

describe("registering twice", () => {
  it("when a player is registered twice with the same values, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    const line = ["player", "add", "Ada", "--uuid", uuid, "--member", "GROVE:4"];
    await desk.ok(...line);
    const before = await desk.json("player", "list");
    assert.match(await desk.ok(...line), /already/);
    assert.deepEqual(await desk.json("player", "list"), before);
  });

  it("when a name differs only in case, it is the same player, and the first spelling remains", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    assert.match(await desk.ok("player", "add", "ADA"), /already/);
    const players = await desk.json<PlayerDocument[]>("player", "list");
    assert.deepEqual(
      players.map(({ name }) => name),
      ["Ada"],
    );
  });

  for (const [what, line, says] of [
    ["another UUID", ["Ada", "--uuid", otherUUID], uuid],
    ["another name for the UUID", ["Ann", "--uuid", uuid], "Ada"],
    ["another rank", ["Ada", "--member", "GROVE:5"], "GROVE"],
    ["another organisation", ["Ada", "--member", "POLICE:1"], "POLICE"],
    ["the administrator flag", ["Ada", "--admin"], "administrator"],
  ] as const) {
    it(`when a player is registered again with ${what}, it is a conflict and nothing changes`, async (t) => {
      const desk = await seededDesk(t);
      await desk.ok("player", "add", "Ada", "--uuid", uuid, "--member", "GROVE:4");
      const before = await desk.json("player", "list");
      const failure = await desk.failsAs<FailureDocument>("player", "add", ...line);
      assert.equal(failure.code, "CONFLICT");
      assert.ok(failure.info.includes(says), failure.info);
      assert.deepEqual(await desk.json("player", "list"), before);
    });
  }
});

describe("player list and player show", () => {
  it("when players are listed, they are sorted by name, ignoring case", async (t) => {
    const desk = await seededDesk(t);
    for (const name of ["bob", "Cleo", "Ada"]) await desk.ok("player", "add", name);
    assert.deepEqual(
      linesOf(await desk.ok("player", "list")).map((line) => line.split("\t")[0]),
      ["Ada", "bob", "Cleo"],
    );
  });

  it("when a player is shown, it prints name, UUID, memberships, groups, statistic and token ids", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid, "--member", "GROVE:4");
    await desk.ok("group", "add", "Ada", "VIP");
    await desk.ok("call", "/statistic/Ada/set", "type=kill", "amount=7");
    const { id } = await desk.json<{ id: string }>("token", "issue", "--player", "Ada");
    const shown = await desk.ok("player", "show", "ada");
    for (const word of ["Ada", uuid, "GROVE", "4", "VIP", "7", id]) assert.ok(shown.includes(word), word);
  });

  it("when a player is not registered, the exit code is 1 and the message names the player", async (t) => {
    const desk = await seededDesk(t);
    assert.match(await desk.fails("player", "show", "Nobody"), /Nobody/);
    assert.match(await desk.fails("player", "show", uuid), new RegExp(uuid));
  });
});

describe("player reset-statistic", () => {
  it("when the statistic is reset, every counter of that player is 0, and of nobody else", async (t) => {
    const desk = await seededDesk(t);
    for (const name of ["Ada", "Bob"]) {
      await desk.ok("player", "add", name);
      for (const type of ["death", "kill", "playtime", "revive", "service"]) {
        await desk.ok("call", `/statistic/${name}/set`, `type=${type}`, "amount=3");
      }
    }
    await desk.ok("player", "reset-statistic", "Ada");
    const ada = await desk.json<PlayerDocument>("player", "show", "Ada");
    const bob = await desk.json<PlayerDocument>("player", "show", "Bob");
    assert.deepEqual(ada.statistic, { deaths: 0, kills: 0, playTime: 0, revives: 0, services: 0 });
    assert.deepEqual(bob.statistic, { deaths: 3, kills: 3, playTime: 3, revives: 3, services: 3 });
  });

  it("when it is reset twice, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "reset-statistic", "Ada");
    await desk.ok("player", "reset-statistic", "Ada");
  });
});
