/** Questions of `can-i` and `who-can` read each parameter as a request does. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Pair } from "../../src/explain/question.ts";
import { wantedReason } from "../_entries.ts";
import { openWorld, prefix, questionsOf } from "../_setup.ts";

const token = `gat_${"A".repeat(43)}`;
/** Reasons that older data or an import can contain, and that could not be added now. U+200B is invisible. */
const older = ["old one", "No\u200bise", "x".repeat(70)];

const cleanup = { after: (end: () => unknown) => after(() => end()) };
/** The shipped table; Ada may change wanted reasons and house-ban reasons, and Bob may not. */
const world = await openWorld(cleanup);
const ada = await world.player("Ada", { members: { POLICE: 4, RESCUE: 4 } });
const bob = await world.player("Bob", { members: { GROVE: 4 } });
await world.player("Eve", { groups: ["BLACKLIST"] });
await world.service.store.change({ who: "operator", operation: "data.import" }, (draft) => {
  for (const reason of older) draft.entries.put(wantedReason(reason));
});
const questions = questionsOf(world.service);

const namesOf = async (path: string, pairs: readonly Pair[], by = questions) =>
  (await by.whoCan(path, pairs)).allowed.map(({ players }) => players.map(({ name }) => name));
const request = async (caller: { token: string }, path: string, pairs: readonly Pair[], at = world) =>
  (await at.get(caller.token, path, Object.fromEntries(pairs))).body;

it("a literal segment takes the value of a placeholder, as in a request", async () => {
  const { path } = await questions.whoCan("/statistic/{player}", [["player", "top"]]);
  assert.equal(path, "/statistic/top");
});

describe("a question about the removal of an entry", () => {
  for (const reason of older) {
    it(`accepts the existing text ${JSON.stringify(reason)}, which could no longer be added`, async () => {
      const question: [string, Pair[]] = ["/wantedreason/remove", [["reason", reason]]];
      assert.equal((await questions.canI("Ada", ...question)).allowed, true);
      assert.equal((await questions.canI("Bob", ...question)).code, "RESTRICTED");
      assert.deepEqual(await namesOf(...question), [["Ada"]]);
      assert.equal((await request(bob, ...question)).code, "RESTRICTED");
      assert.equal((await request(ada, ...question)).code, undefined);
    });
  }

  it("does not accept such a text where the restriction depends on it", async () => {
    const routes = `
prefix: ${prefix}/{tokenString}
routes:
  /wantedreason/remove:
    summary: R.
    restriction: [{ when: { reason: Theft }, restriction: administrators }, { restriction: identified }]
    parameters: { reason: text }
    handler: wantedreason.remove
  /navipoint/remove: { summary: N., restriction: { self: name }, parameters: { name: text }, handler: navipoint.remove }
`;
    const other = await openWorld(cleanup, { routes });
    const cleo = await other.player("Cleo");
    const failure = { code: "PARAMETER_INVALID", parameter: "reason" };
    const question: [string, Pair[]] = ["/wantedreason/remove", [["reason", "old one"]]];
    const { code, parameter } = await request(cleo, ...question, other);
    assert.deepEqual({ code, parameter }, failure);
    await assert.rejects(questionsOf(other.service).canI("Cleo", ...question), failure);
    await assert.rejects(namesOf(...question, questionsOf(other.service)), failure);
    const name = { code: "PARAMETER_MISSING", parameter: "name", hint: "Give it as name=…." };
    await assert.rejects(questionsOf(other.service).canI("Cleo", "/navipoint/remove", []), name);
  });
});

describe("a question is refused as a request with", () => {
  for (const [what, path, ...pairs] of [
    ["a token in place of an existing entry", "/wantedreason/remove", ["reason", token]],
    ["a token as a new text", "/wantedreason/add", ["reason", token], ["points", "1"]],
    ["an invisible character in a new text", "/wantedreason/add", ["reason", "zero\u200bw"], ["points", "1"]],
    ["white space in a new text", "/wantedreason/add", ["reason", "old one"], ["points", "1"]],
    ["a reserved text", "/housebanreason/add", ["reason", "ALL"], ["days", "1"]],
  ] as const) {
    it(what, async () => {
      const failure = { code: "PARAMETER_INVALID", parameter: "reason" };
      const { code, parameter } = await request(ada, path, pairs);
      assert.deepEqual({ code, parameter }, failure);
      await assert.rejects(questions.canI("Ada", path, pairs), failure);
      await assert.rejects(questions.whoCan(path, pairs), failure);
      // A parameter that may be missing does not hide one that is invalid.
      await assert.rejects(questions.canI("Ada", path, pairs.slice(0, 1)), failure);
    });
  }
});

describe("a question with", () => {
  const unknown = (hint: string) => ({ code: "UNKNOWN_PATH", hint });
  const invalid = (parameter: string) => ({ code: "PARAMETER_INVALID", parameter });
  const wantedreasn = "There is no operation at this path.";
  const lacking = 'The parameter "factionString" is missing: the restriction depends on it.';
  const rows: readonly (readonly [what: string, failure: object, path: string, ...Pair[]])[] = [
    ["an unknown path", { ...unknown("Did you mean /wantedreason?"), message: wantedreasn }, "/wantedreasn"],
    ["a path without its first slash", { code: "UNKNOWN_PATH" }, "x/event"],
    ["a slip for a change", unknown("Did you mean /player/remove?"), "/player/remov"],
    ["a path near a change", unknown("`addon-cli routes list` lists the paths."), "/player/rename"],
    ["a path near a read", unknown("Did you mean /player/groups?"), "/player/group"],
    ["an unknown parameter", { code: "PARAMETER_UNKNOWN" }, "/houseban", ["advancd", "true"]],
    [
      "a parameter that the path has",
      {
        code: "PARAMETER_UNKNOWN",
        message: 'This operation has no parameter "factionString".',
        hint: "It takes reason, price and kills.",
      },
      "/blacklistreason/GROVE/add",
      ["factionString", "VAGOS"],
    ],
    [
      "a repeated parameter",
      { code: "PARAMETER_REPEATED", message: '"advanced" is repeated.' },
      "/houseban",
      ["advanced", "true"],
      ["advanced", "true"],
    ],
    ["an invalid parameter", invalid("advanced"), "/houseban", ["advanced", "maybe"]],
    ["an invalid parameter that decides nothing", invalid("points"), "/wantedreason/add", ["points", "many"]],
    ["an unknown faction", { code: "UNKNOWN_FACTION" }, "/blacklistreason/GROV"],
    [
      "a placeholder that decides",
      {
        code: "PARAMETER_MISSING",
        parameter: "factionString",
        message: lacking,
        hint: "Give it in place of its placeholder in the path.",
      },
      "/blacklistreason/{factionString}",
    ],
    ["half a surrogate pair, which no URL can contain,", invalid("player"), "/statistic/A\ud800"],
    ["two dots for a player, which no URL can contain,", invalid("player"), "/statistic/../add"],
  ];
  for (const [what, failure, path, ...pairs] of rows)
    it(`${what} is refused`, () => assert.rejects(questions.canI("public", path, pairs), failure));

  it("an unknown player is refused", () =>
    assert.rejects(questions.canI("Nobody", "/event", []), { code: "UNKNOWN_PLAYER" }));
});

describe("a question may leave out", () => {
  for (const [what, path, pairs, everyone] of [
    ["all parameters on which the restriction does not depend", "/wantedreason/add", [], ["Ada"]],
    ["some of them", "/wantedreason/add", [["reason", "Theft"]], ["Ada"]],
    ["a value in the path", "/statistic/{player}", [], ["Ada", "Bob"]],
  ] as const) {
    it(what, async () => {
      assert.equal((await questions.canI("Ada", path, pairs)).allowed, true);
      assert.deepEqual(await namesOf(path, pairs), [everyone]);
    });
  }
});

describe("who-can answers", () => {
  const ask = async (path: string, ...pairs: readonly Pair[]) => {
    const { allowed, ...rest } = await questions.whoCan(path, pairs);
    const listed = allowed.map(({ when, count, players, public: isPublic }) => {
      assert.equal(count, players.length);
      return [when, players.map(({ name }) => name), isPublic];
    });
    return { ...rest, allowed: listed };
  };

  it("with the values of its question, in the words of these values", async () => {
    const revision = (await world.service.routes.load()).revision;
    const same = { path: "/houseban", readOnly: true, revision, registered: 3, excluded: 1 };
    assert.deepEqual(await ask("/houseban"), {
      ...same,
      restriction: "everyone with a valid token",
      parameters: { advanced: false },
      allowed: [[{}, ["Ada", "Bob"], true]],
    });
    assert.deepEqual(await ask("/houseban", ["advanced", "true"]), {
      ...same,
      restriction: "members of the service RESCUE",
      parameters: { advanced: true },
      allowed: [[{}, ["Ada"], false]],
    });
  });

  it("for the value of a placeholder, wherever it is given", async () => {
    const inPath = await ask("/blacklistreason/GROVE/add");
    const apart = await ask("/blacklistreason/{factionString}/add", ["factionString", "GROVE"]);
    assert.deepEqual(apart, inPath);
    assert.deepEqual(apart.allowed, [[{}, ["Bob"], false]]);
    const pairs = [["factionString", "GROVE"]] as const;
    assert.equal((await questions.canI("Bob", "/blacklistreason/{factionString}/add", pairs)).allowed, true);
  });

  it("for each value of an open parameter, in the words of the table", async () => {
    const open = await ask("/blacklistreason/{factionString}/add");
    assert.equal(open.restriction, "members of the faction {factionString} with rank 4 or higher");
    assert.deepEqual([open.readOnly, open.parameters], [false, {}]);
    const factions = world.service.vocabulary().faction;
    const expected = factions.map((name) => [
      { factionString: name },
      name === "GROVE" ? ["Bob"] : [],
      false,
    ]);
    assert.deepEqual(open.allowed, expected);
    assert.deepEqual((await ask("/statistic/{player}/add")).allowed, [
      [{ player: "the caller's own name" }, ["Ada", "Bob"], false],
      [{ player: "anything else" }, [], false],
    ]);
  });
});
