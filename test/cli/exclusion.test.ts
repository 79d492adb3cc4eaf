/** `player exclude`, `readmit` and `remove`: excluded and removed players (contract, sections 2 and 4). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Desk,
  type FailureDocument,
  type IssuedDocument,
  type PlayerDocument,
  seededDesk,
} from "./_setup.ts";

const uuid = "069a79f444e94726a5befca90e38aaf5";

/** Returns the answer to a player who requests the target list. */
async function codeOf(desk: Desk, player: string): Promise<string> {
  const { exitCode, stdout } = await desk.run(["--json", "call", "/targetlist", "--as", player]);
  if (exitCode === 0) return "let in";
  const { code } = JSON.parse(stdout) as FailureDocument;
  return code;
}

describe("player exclude and player readmit", () => {
  it("when nobody answers for it, nobody is excluded", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    assert.match(await desk.fails("player", "exclude", "Ada"), /--yes does it without asking/);
    assert.match(await desk.ok("player", "exclude", "Ada", "--yes"), /Ada/);
  });

  it("when a player is excluded, every operation answers EXCLUDED, also to a token issued before", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--admin");
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    assert.equal(await codeOf(desk, "Ada"), "let in");
    await desk.ok("player", "exclude", "Ada", "--yes");
    assert.equal(await codeOf(desk, "Ada"), "EXCLUDED");
    assert.match(
      await desk.fails("call", "/targetlist", "--as", "Ada"),
      /^error: Ada is excluded from this service\.\n`addon-cli player readmit Ada` ends the exclusion\.\n$/,
    );
    assert.deepEqual(await desk.answerTo(token, "/targetlist"), [403, "EXCLUDED"]);
    assert.deepEqual(await desk.answerTo(token, "/statistic/Ada/add?type=kill"), [403, "EXCLUDED"]);
  });

  it("when a player is excluded, it shows in the group BLACKLIST", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "exclude", "ada", "--yes");
    assert.deepEqual((await desk.json<PlayerDocument>("player", "show", "Ada")).groups, ["BLACKLIST"]);
  });

  it("when a player is readmitted, operations answer again", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "exclude", "Ada", "--yes");
    await desk.ok("player", "readmit", "Ada");
    assert.equal(await codeOf(desk, "Ada"), "let in");
  });

  it("when a player is excluded twice, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "exclude", "Ada", "--yes");
    assert.match(await desk.ok("player", "exclude", "Ada", "--yes"), /already/);
    await desk.ok("player", "readmit", "Ada");
    assert.equal(await codeOf(desk, "Ada"), "let in");
  });

  it("when a player who is not excluded is readmitted, nothing changes and the exit code is 0", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    assert.equal(await desk.ok("player", "readmit", "Ada"), "Ada is not excluded.\n");
  });

  it("when a name is excluded before its registration, the player who registers it is excluded", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "exclude", "Ada", "--yes");
    await desk.ok("player", "add", "ada");
    assert.equal(await codeOf(desk, "ada"), "EXCLUDED");
  });

  it("when a UUID is excluded before it is registered, the player who registers it is excluded", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "exclude", uuid, "--yes");
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    assert.equal(await codeOf(desk, "Ada"), "EXCLUDED");
  });

  it("when an excluded player is removed and registers anew without a UUID, the player is excluded still", async (t) => {
    const desk = await seededDesk(t);
    const { uuid: first } = await desk.json<{ uuid: string }>("player", "add", "Ada");
    await desk.ok("player", "exclude", "Ada", "--yes");
    await desk.ok("player", "remove", "Ada", "--yes");
    assert.equal(await desk.ok("player", "exclude", "ada", "--yes"), "Ada is already excluded.\n");
    const { uuid: second, info } = await desk.json<{ uuid: string; info: string }>("player", "add", "ada");
    assert.equal(info, "Registered ada, who is already in BLACKLIST.");
    assert.equal(second, first);
    assert.equal(await codeOf(desk, "Ada"), "EXCLUDED");
    await desk.ok("player", "readmit", "Ada");
    assert.equal(await codeOf(desk, "Ada"), "let in");
  });

  it("when another player registers the name of an excluded one with a UUID, the other is not excluded", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "exclude", "Ada", "--yes");
    await desk.ok("player", "remove", "Ada", "--yes");
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    assert.equal(await codeOf(desk, "Ada"), "let in");
  });

  it("when the table names another group, exclusion works with that group", async (t) => {
    const desk = await seededDesk(t);
    await desk.write(
      "routes.yaml",
      `prefix: /gameaddon/v1/{tokenString}
excluded: { group: SUP }
routes:
  /targetlist: { summary: Returns the target list., restriction: open, handler: targetlist.list }
`,
    );
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "exclude", "Ada", "--yes");
    assert.deepEqual((await desk.json<PlayerDocument>("player", "show", "Ada")).groups, ["SUP"]);
    assert.equal(await codeOf(desk, "Ada"), "EXCLUDED");
  });

  it("when the table names no such group, excluding fails and says what to add", async (t) => {
    const desk = await seededDesk(t);
    await desk.write(
      "routes.yaml",
      `prefix: /gameaddon/v1/{tokenString}
routes:
  /targetlist: { summary: Returns the target list., restriction: open, handler: targetlist.list }
`,
    );
    await desk.ok("player", "add", "Ada");
    assert.match(await desk.fails("player", "exclude", "Ada", "--yes"), /excluded: \{ group: BLACKLIST \}/);
  });

  it("when the table is faulty or missing, only commands that depend on it say so", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const missing = ["--routes", "none.yaml"];
    await desk.write("routes.yaml", "routes: 1");
    for (const [args, said] of [
      [[], /routes\.yaml has 2 faults/],
      [missing, /no route table .*none\.yaml/],
    ] as const) {
      for (const command of ["exclude", "readmit", "remove"]) {
        const yes = command === "readmit" ? [] : ["--yes"];
        assert.match(await desk.fails("player", command, "Ada", ...yes, ...args), said);
      }
      // The player is checked first.
      assert.match(await desk.fails("player", "remove", "Nobody", ...args), /no player "Nobody"/);
      await desk.ok("group", "add", "Ada", "VIP", ...args);
      assert.match(await desk.ok("player", "show", "Ada", ...args), /VIP/);
      await desk.ok("token", "issue", "--player", "Ada", ...args);
      assert.match(await desk.ok("token", "list", ...args), /\tAda\tvalid\t/);
      await desk.ok("group", "remove", "Ada", "VIP", ...args);
    }
  });
});

it("a name with an invisible letter is refused by the argument that it was given as", async (t) => {
  const desk = await seededDesk(t);
  for (const args of [
    ["player", "exclude", "Ada\u3164", "--yes"],
    ["group", "add", "Ada\u3164", "VIP"],
  ]) {
    const { exitCode, stdout } = await desk.run(["--json", ...args]);
    const { info, parameter }: FailureDocument = JSON.parse(stdout);
    assert.deepEqual([exitCode, parameter], [2, "player"]);
    assert.match(info, /^<player>: "player" is invalid: leave out the invisible character U\+3164/);
  }
});

describe("player remove", () => {
  it("when a player is removed, the player is in no list any more", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--admin");
    await desk.ok("group", "add", "Ada", "VIP");
    await desk.ok("player", "remove", "Ada", "--yes");
    assert.deepEqual(await desk.json("player", "list"), []);
    assert.deepEqual(await desk.json("admin", "list"), []);
    assert.doesNotMatch(await desk.ok("group", "list"), /Ada/);
    await desk.fails("player", "show", "Ada");
  });

  it("when a player is removed, the tokens are invalid, also after a new registration", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    assert.deepEqual(await desk.answerTo(token, "/targetlist"), [200, undefined]);
    await desk.ok("player", "remove", "Ada", "--yes");
    assert.equal((await desk.answerTo(token, "/targetlist"))[0], 401);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    assert.equal((await desk.answerTo(token, "/targetlist"))[0], 401);
  });

  it("when a player is removed and registers anew, rights, memberships and statistic are gone", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok(
      "player",
      "add",
      "Ada",
      "--uuid",
      uuid,
      "--member",
      "GROVE:4",
      "--member",
      "POLICE:9",
      "--admin",
    );
    await desk.ok("group", "add", "Ada", "TARGETLIST");
    await desk.ok("call", "/statistic/Ada/set", "type=kill", "amount=7");
    await desk.ok("player", "remove", "Ada", "--yes");
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    const ada = await desk.json<PlayerDocument>("player", "show", "Ada");
    assert.deepEqual([ada.administrator, ada.members, ada.groups, ada.statistic.kills], [false, [], [], 0]);
  });

  it("when a player is removed, others keep everything", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    await desk.ok("player", "add", "Bob", "--member", "GROVE:5");
    await desk.ok("group", "add", "Bob", "VIP");
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Bob");
    await desk.ok("player", "remove", "Ada", "--yes");
    const bob = await desk.json<PlayerDocument>("player", "show", "Bob");
    assert.deepEqual([bob.members, bob.groups], [[{ organisation: "GROVE", rank: 5 }], ["VIP"]]);
    assert.deepEqual(await desk.answerTo(token, "/blacklistreason/GROVE"), [200, undefined]);
  });

  it("when a player is removed, the house ban and the target are still found by the name", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("call", "/housebanreason/add", "reason=Theft", "days=3");
    await desk.ok("call", "/houseban/add", "name=Ada", "reason=Theft");
    await desk.ok("call", "/targetlist/add", "name=Ada");
    await desk.ok("player", "remove", "Ada", "--yes");
    await desk.ok("call", "/houseban/add", "name=ada", "reason=Theft");
    await desk.ok("call", "/targetlist/add", "name=ada");
    const names = async (path: string) =>
      (await desk.json<{ name: string }[]>("call", path)).map(({ name }) => name);
    assert.deepEqual([await names("/houseban"), await names("/targetlist")], [["Ada"], ["Ada"]]);
    await desk.ok("call", "/houseban/remove", "name=Ada", "reason=all");
    await desk.ok("call", "/targetlist/remove", "name=Ada");
    assert.deepEqual([await names("/houseban"), await names("/targetlist")], [[], []]);
  });

  it("when a player is removed twice, the exit code is 1", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "remove", "Ada", "--yes");
    assert.match(await desk.fails("player", "remove", "Ada", "--yes"), /Ada/);
  });

  it("when an excluded player is removed and registered anew with the same UUID, the exclusion holds", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--uuid", uuid);
    await desk.ok("player", "exclude", "Ada", "--yes");
    await desk.ok("player", "remove", "Ada", "--yes");
    await desk.ok("player", "add", "Bea", "--uuid", uuid);
    assert.equal(await codeOf(desk, "Bea"), "EXCLUDED");
  });

  for (const reference of ["Ada", uuid]) {
    it(`when an excluded player was removed, ${reference} can be readmitted, as group list shows her`, async (t) => {
      const desk = await seededDesk(t);
      await desk.ok("player", "add", "Ada", "--uuid", uuid);
      await desk.ok("player", "exclude", "Ada", "--yes");
      await desk.ok("player", "remove", "Ada", "--yes");
      assert.match(await desk.ok("group", "list"), /BLACKLIST\tAda/);
      await desk.ok("player", "readmit", reference);
      await desk.ok("player", "add", "Ada", "--uuid", uuid);
      assert.equal(await codeOf(desk, "Ada"), "let in");
    });
  }
});
