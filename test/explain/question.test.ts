/** Questions of `can-i` and `who-can` read each parameter as a request does (contract, sections 0 and 1). */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Pair } from "../../src/explain/question.ts";
import { openWorld, prefix } from "../_setup.ts";

const token = `gat_${"A".repeat(43)}`;
/** Reasons that older data or an import can contain, and that could not be added now. U+200B is invisible. */
const older = ["old one", "No\u200bise", "x".repeat(70)];

/** Opens a service with these reasons, in which Ada may change them and Bob may not. */
async function openPolice(t: TestContext, routes?: string) {
  const world = await openWorld(t, routes === undefined ? {} : { routes });
  const ada = await world.player("Ada", { members: { POLICE: 4, RESCUE: 4 } });
  const bob = await world.player("Bob");
  await world.service.store.change({ who: "operator", operation: "data.import" }, (draft) => {
    for (const reason of older) draft.wantedReasons.put({ reason, points: 1 });
  });
  const { questions } = world.service;
  return {
    request: async (path: string, pairs: readonly Pair[]) => {
      const { body } = await world.get(ada.token, path, Object.fromEntries(pairs));
      return [body.code, body.parameter];
    },
    bobsRequest: async (path: string, pairs: readonly Pair[]) =>
      (await world.get(bob.token, path, Object.fromEntries(pairs))).body.code,
    canI: (who: string, path: string, pairs: readonly Pair[]) => questions.canI(who, path, pairs),
    whoCan: async (path: string, pairs: readonly Pair[]) => {
      const { allowed } = await questions.whoCan(path, pairs);
      return allowed.map(({ players }) => players.map(({ name }) => name));
    },
  };
}

describe("a question about the removal of an entry", () => {
  for (const reason of older) {
    it(`accepts the existing text ${JSON.stringify(reason)}, which could no longer be added`, async (t) => {
      const police = await openPolice(t);
      const path = "/wantedreason/remove";
      const pairs: Pair[] = [["reason", reason]];
      assert.equal((await police.canI("Ada", path, pairs)).allowed, true);
      assert.equal((await police.canI("Bob", path, pairs)).code, "RESTRICTED");
      assert.deepEqual(await police.whoCan(path, pairs), [["Ada"]]);
      assert.equal(await police.bobsRequest(path, pairs), "RESTRICTED");
      assert.deepEqual(await police.request(path, pairs), [undefined, undefined]);
    });
  }

  it("does not accept such a text where the restriction depends on it", async (t) => {
    const police = await openPolice(
      t,
      `
prefix: ${prefix}/{tokenString}
routes:
  /wantedreason/remove:
    summary: R.
    restriction: [{ when: { reason: Theft }, restriction: administrators }, { restriction: identified }]
    parameters: { reason: text }
    handler: wantedreason.remove
`,
    );
    const failure = { code: "PARAMETER_INVALID", parameter: "reason" };
    const question = ["/wantedreason/remove", [["reason", "old one"]]] as const;
    assert.deepEqual(await police.request(...question), [failure.code, failure.parameter]);
    await assert.rejects(police.canI("Ada", ...question), failure);
    await assert.rejects(police.whoCan(...question), failure);
  });
});

describe("a question is refused as a request with", () => {
  for (const [what, path, pairs] of [
    ["a token in place of an existing entry", "/wantedreason/remove", [["reason", token]]],
    [
      "a token as a new text",
      "/wantedreason/add",
      [
        ["reason", token],
        ["points", "1"],
      ],
    ],
    [
      "an invisible character in a new text",
      "/wantedreason/add",
      [
        ["reason", "zero\u200bw"],
        ["points", "1"],
      ],
    ],
    [
      "white space in a new text",
      "/wantedreason/add",
      [
        ["reason", "old one"],
        ["points", "1"],
      ],
    ],
    [
      "a reserved text",
      "/housebanreason/add",
      [
        ["reason", "ALL"],
        ["days", "1"],
      ],
    ],
  ] as const) {
    it(what, async (t) => {
      const police = await openPolice(t);
      const failure = { code: "PARAMETER_INVALID", parameter: "reason" };
      assert.deepEqual(await police.request(path, pairs), [failure.code, failure.parameter]);
      await assert.rejects(police.canI("Ada", path, pairs), failure);
      await assert.rejects(police.whoCan(path, pairs), failure);
      // A parameter that may be missing does not hide one that is invalid.
      await assert.rejects(police.canI("Ada", path, pairs.slice(0, 1)), failure);
    });
  }
});

describe("a question may leave out", () => {
  for (const [what, path, pairs] of [
    ["all parameters on which the restriction does not depend", "/wantedreason/add", []],
    ["some of them", "/wantedreason/add", [["reason", "Theft"]]],
    ["a value in the path", "/statistic/{player}", []],
  ] as const) {
    it(what, async (t) => {
      const police = await openPolice(t);
      assert.equal((await police.canI("Ada", path, pairs)).allowed, true);
      const bobMay = path === "/statistic/{player}";
      assert.deepEqual(await police.whoCan(path, pairs), [bobMay ? ["Ada", "Bob"] : ["Ada"]]);
    });
  }
});

it("a question with half a surrogate pair, which no URL can contain, is invalid", async (t) => {
  const police = await openPolice(t);
  const question = ["/statistic/A\ud800", []] as const;
  await assert.rejects(police.canI("Ada", ...question), { code: "PARAMETER_INVALID", parameter: "player" });
});
