/** `can-i` decides like requests, for every route, and for callers and parameters of all kinds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../_depth.ts";
import { operations } from "../_operations.ts";
import { openWorld, prefix, type World } from "../_setup.ts";

/** Restrictions of all forms, for tables with the same paths. */
const restrictions = [
  "open",
  "identified",
  "administrators",
  "{ group: TARGETLIST }",
  "{ group: VIP }",
  "{ faction: GROVE }",
  "{ faction: GROVE, rank: 3 }",
  "{ service: RESCUE, rank: 5 }",
  "{ anyOf: [{ group: VIP }, { faction: BALLAS, rank: 2 }, administrators] }",
  "{ anyOf: [identified, open] }",
  "{ allOf: [{ group: VIP }, { faction: GROVE, rank: 2 }] }",
  "{ allOf: [identified, { anyOf: [administrators, { allOf: [{ service: POLICE }, { group: TARGETLIST }] }] }] }",
];
const onFaction = ["{ faction: $factionString }", "{ faction: $factionString, rank: 2 }"];

function tableOf(choices: readonly string[], excluded: string): string {
  const [a, b, c, d, e, f] = choices;
  return `
prefix: ${prefix}/{tokenString}
excluded: { group: ${excluded} }
types: { who: { type: text, maxLength: 36 } }
routes:
  /event: { summary: E., restriction: ${a}, handler: event.current }
  /statistic/top: { summary: T., restriction: ${b}, handler: statistic.top }
  /statistic/{player}: { summary: S., restriction: { anyOf: [{ self: player }, ${c}] }, parameters: { player: who }, handler: statistic.show }
  /blacklistreason/{factionString}:
    summary: B.
    restriction: [{ when: { factionString: VAGOS }, restriction: ${d} }, { restriction: ${e} }]
    parameters: { factionString: faction }
    handler: blacklistreason.list
  /houseban:
    summary: H.
    restriction: [{ when: { advanced: true }, restriction: ${f} }, ${a}]
    parameters: { advanced: { type: boolean, default: false } }
    handler: houseban.list
`;
}

const groups = ["TARGETLIST", "VIP", "BLACKLIST"];
const details = fc.record({
  members: fc.dictionary(
    fc.constantFrom("GROVE", "BALLAS", "VAGOS", "RESCUE", "POLICE"),
    fc.integer({ min: 1, max: 6 }),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
  groups: fc.subarray(groups, { maxLength: 2 }),
  administrator: fc.boolean(),
});

interface Call {
  readonly path: string;
  readonly pairs: readonly [string, string][];
}
const calls: readonly Call[] = [
  { path: "/event", pairs: [] },
  { path: "/event/", pairs: [] },
  { path: "/statistic/top", pairs: [] },
  { path: "/statistic/Ada", pairs: [] },
  { path: "/statistic/ADA", pairs: [] },
  { path: "/statistic/Nobody-at-all", pairs: [] },
  { path: "/blacklistreason/vagos", pairs: [] },
  { path: "/blacklistreason/GROVE", pairs: [] },
  { path: "/houseban", pairs: [] },
  { path: "/houseban", pairs: [["advanced", "TRUE"]] },
];

/** Returns the code with which exclusion or restriction refuses a request, or null. */
async function asked(world: World, token: string, { path, pairs }: Call): Promise<string | null> {
  const { body } = await world.get(token, path, Object.fromEntries(pairs));
  return ["EXCLUDED", "RESTRICTED"].includes(body?.code) ? body.code : null;
}

describe("can-i", () => {
  it("decides like a request for random tables, callers and parameters", async (t) => {
    const form = fc.constantFrom(...restrictions);
    const choices = fc.tuple(
      form,
      form,
      form,
      fc.constantFrom(...restrictions, ...onFaction),
      fc.constantFrom(...onFaction),
      form,
    );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        choices,
        fc.constantFrom("BLACKLIST", "VIP"),
        fc.array(details, { minLength: 1, maxLength: 4 }),
        async (chosen, excluded, all) => {
          run += 1;
          await t.test(`run ${run}`, async (each) => {
            const world = await openWorld(each, { routes: tableOf(chosen, excluded) });
            const callers: [string, string][] = [["public", world.publicToken]];
            for (const [index, given] of all.entries()) {
              const name = index === 0 ? "Ada" : `Player${index}`;
              callers.push([name, (await world.player(name, given)).token]);
            }
            for (const [who, token] of callers) {
              for (const call of calls) {
                const decision = await world.service.questions.canI(who, call.path, call.pairs);
                const code = await asked(world, token, call);
                assert.equal(
                  decision.code,
                  code,
                  `${who} ${JSON.stringify(call)} ${JSON.stringify(decision)}`,
                );
                assert.equal(decision.allowed, code === null);
                const { allowed } = await world.service.questions.whoCan(call.path, call.pairs);
                const [only] = allowed;
                assert.equal(allowed.length, 1);
                const isIn = who === "public" ? only?.public : only?.players.some(({ name }) => name === who);
                assert.equal(isIn, code === null, "who-can says the same");
              }
            }
          });
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it("decides like a request for every operation of the shipped table, with random valid parameters", async (t) => {
    const world = await openWorld(t);
    const members = (rank: number) => ({ GROVE: rank, VAGOS: rank, RESCUE: rank, POLICE: rank });
    const tokens = new Map([
      ["public", world.publicToken],
      ["Bob", (await world.player("Bob")).token],
      ["Cleo", (await world.player("Cleo", { members: members(3) })).token],
      ["Ada", (await world.player("Ada", { members: members(4), groups: ["TARGETLIST"] })).token],
      ["Emil", (await world.player("Emil", { administrator: true })).token],
      ["Mallory", (await world.player("Mallory", { members: members(9), groups: ["BLACKLIST"] })).token],
    ]);
    const call = fc.constantFrom(...operations).chain((form) =>
      fc.record({ ...form.parameters }).map((texts) => {
        const path = form.path.replace(/\{(\w+)\}/g, (_, name: string) => String(texts[name]));
        const pairs = Object.entries(texts).filter(([name]) => !form.path.includes(`{${name}}`));
        return { path, pairs: pairs as [string, string][] };
      }),
    );
    await fc.assert(
      fc.asyncProperty(call, fc.constantFrom(...tokens.keys()), async ({ path, pairs }, who) => {
        const decision = await world.service.questions.canI(who, path, pairs);
        const search = new URLSearchParams(pairs).toString();
        const encoded = path.split("/").map(encodeURIComponent).join("/");
        const answer = await world.request(`${prefix}/${tokens.get(who)}${encoded}?${search}`);
        const code = ["EXCLUDED", "RESTRICTED"].includes(answer.body?.code) ? answer.body.code : null;
        assert.equal(decision.code, code, `${who} ${path} ${JSON.stringify(answer.body)}`);
        const decisive = Object.keys(decision.parameters);
        // What does not decide may be left out.
        const fewer = pairs.filter(([name]) => decisive.includes(name));
        assert.deepEqual(await world.service.questions.canI(who, path, fewer), decision);
      }),
      { numRuns: runs(400) },
    );
  });
});

describe("the explanation of can-i", () => {
  const says = async (world: World, who: string, path: string, pairs: [string, string][] = []) => {
    const { steps } = await world.service.questions.canI(who, path, pairs);
    return new Map(steps.map(({ step, says: words }) => [step, words]));
  };

  it("says what is required, what the caller has, and what would be enough", async (t) => {
    const world = await openWorld(t);
    await world.player("Bob", { members: { GROVE: 3 } });
    const steps = await says(world, "bob", "/blacklistreason/grove/add");
    assert.equal(steps.get("parameters"), "factionString is GROVE");
    assert.equal(steps.get("needs"), "members of the faction GROVE with rank 4 or higher");
    assert.equal(steps.get("has"), "Bob is in the faction GROVE with rank 3");
    assert.match(steps.get("enough") ?? "", /rank 4 or higher in the faction GROVE .*member set Bob GROVE 4/);
    await world.service.administer("member.set", { player: "Bob", organisation: "GROVE", rank: 4 });
    const { allowed } = await world.service.questions.canI("Bob", "/blacklistreason/GROVE/add", []);
    assert.equal(allowed, true, "what was said to be enough is enough");
  });

  it("says which case applies", async (t) => {
    const world = await openWorld(t);
    assert.match(
      (await says(world, "public", "/houseban", [["advanced", "true"]])).get("case") ?? "",
      /1 of 2.*advanced is true/,
    );
    assert.match((await says(world, "public", "/houseban")).get("case") ?? "", /2 of 2/);
  });

  it("lists all alternatives", async (t) => {
    const routes = tableOf(
      ["{ anyOf: [{ group: VIP }, administrators] }", ...Array(5).fill("open")],
      "BLACKLIST",
    );
    const world = await openWorld(t, { routes });
    await world.player("Bob");
    const { steps } = await world.service.questions.canI("Bob", "/event", []);
    const ways = steps.filter(({ step }) => step === "enough").map((each) => each.says);
    assert.equal(ways.length, 2);
    assert.match(ways.join("; "), /group VIP.*administrator flag/);
  });

  it("says which parts of an allOf and an anyOf allow the caller, and joins all missing parts of an allOf", async (t) => {
    const restriction =
      "{ allOf: [identified, { faction: GROVE, rank: 3 }, { anyOf: [administrators, { group: VIP }] }] }";
    const routes = tableOf([restriction, ...Array(5).fill("open")], "BLACKLIST");
    const world = await openWorld(t, { routes });
    await world.player("Bob", { members: { GROVE: 2 } });
    const { allowed, steps } = await world.service.questions.canI("Bob", "/event", []);
    assert.equal(allowed, false);
    assert.deepEqual(
      steps.filter(({ step }) => step === "part").map(({ passed, says: words }) => [passed, words]),
      [
        [true, "1: identified players"],
        [false, "2: members of the faction GROVE with rank 3 or higher"],
        [false, "3: administrators or members of the group VIP"],
        [false, "3.1: administrators"],
        [false, "3.2: members of the group VIP"],
      ],
    );
    assert.deepEqual(
      steps.filter(({ step }) => step === "enough").map((each) => each.says),
      [
        "rank 3 or higher in the faction GROVE (addon-cli member set Bob GROVE 3), and either the administrator flag " +
          "(addon-cli admin grant Bob) or membership in the group VIP (addon-cli group add Bob VIP)",
      ],
    );
    await world.service.administer("member.set", { player: "Bob", organisation: "GROVE", rank: 3 });
    assert.equal(
      (await world.service.questions.canI("Bob", "/event", [])).allowed,
      false,
      "one of them is not enough",
    );
    await world.service.administer("admin.grant", { player: "Bob" });
    assert.equal((await world.service.questions.canI("Bob", "/event", [])).allowed, true, "all of them are");
  });

  it("says for a public token that one player has to meet all parts", async (t) => {
    const routes = tableOf(
      ["{ allOf: [administrators, { group: VIP }] }", ...Array(5).fill("open")],
      "BLACKLIST",
    );
    const world = await openWorld(t, { routes });
    const steps = await says(world, "public", "/event");
    const both = "those who are both administrators and members of the group VIP";
    assert.equal(steps.get("enough"), `the token of a player, from among ${both}`);
  });

  it("includes the restriction for an excluded player", async (t) => {
    const world = await openWorld(t);
    await world.player("Eve", { groups: ["BLACKLIST"] });
    const steps = await says(world, "Eve", "/targetlist/add");
    assert.match(steps.get("exclusion") ?? "", /in the group BLACKLIST/);
    assert.match(steps.get("enough") ?? "", /readmit Eve.*TARGETLIST/);
  });

  it("says that a player has no valid token", async (t) => {
    const world = await openWorld(t);
    await world.service.administer("player.add", { name: "Zoe", members: [] });
    assert.match((await says(world, "Zoe", "/event")).get("token") ?? "", /no valid token/);
  });
});

describe("a question with", () => {
  for (const [what, path, pairs, code] of [
    ["an unknown path", "/wantedreasn", [], "UNKNOWN_PATH"],
    ["an unknown parameter", "/houseban", [["advancd", "true"]], "PARAMETER_UNKNOWN"],
    [
      "a parameter that the path has",
      "/blacklistreason/GROVE",
      [["factionString", "VAGOS"]],
      "PARAMETER_UNKNOWN",
    ],
    [
      "a repeated parameter",
      "/houseban",
      [
        ["advanced", "true"],
        ["advanced", "false"],
      ],
      "PARAMETER_REPEATED",
    ],
    ["an invalid parameter", "/houseban", [["advanced", "maybe"]], "PARAMETER_INVALID"],
    ["an unknown faction", "/blacklistreason/GROV", [], "UNKNOWN_FACTION"],
    ["a placeholder that decides", "/blacklistreason/{factionString}", [], "PARAMETER_MISSING"],
    ["an unknown player", "/event", [], "UNKNOWN_PLAYER"],
    ["a path without its first slash", "x/event", [], "UNKNOWN_PATH"],
  ] as const) {
    it(`${what} is refused as ${code}`, async (t) => {
      const world = await openWorld(t);
      const who = code === "UNKNOWN_PLAYER" ? "Nobody" : "public";
      await assert.rejects(world.service.questions.canI(who, path, pairs), { code });
    });
  }

  it("a player may be called by two dots, which no URL can contain", async (t) => {
    const world = await openWorld(t);
    const { parameters } = await world.service.questions.canI("public", "/statistic/../add", [
      ["type", "KILL"],
    ]);
    assert.deepEqual({ ...parameters }, { player: ".." });
  });

  it("a path near a change suggests it only for a slip, as a request does", async (t) => {
    const world = await openWorld(t);
    for (const [path, hint] of [
      ["/player/remov", "Did you mean /player/remove?"],
      ["/player/rename", "`addon-cli routes list` lists the paths."],
      ["/player/group", "Did you mean /player/groups?"],
    ] as const)
      await assert.rejects(world.service.questions.canI("public", path, []), { code: "UNKNOWN_PATH", hint });
  });
});

describe("a refused request", () => {
  it("is logged with what it required and what the caller had, without values of parameters", async (t) => {
    const world = await openWorld(t);
    const bob = await world.player("Bob", { members: { GROVE: 3 } });
    const { body } = await world.get(bob.token, "/blacklistreason/GROVE/add", {
      reason: "Secret-reason",
      price: 1,
      kills: 1,
    });
    const record = world.log.find(({ requestId }) => requestId === body.requestId);
    assert.deepEqual(record?.reason, {
      needs: "members of the faction GROVE with rank 4 or higher",
      had: "is in the faction GROVE with rank 3",
    });
    await world.get(bob.token, "/statistic/Mallory/add", { type: "KILL" });
    assert.deepEqual(world.log.at(-1)?.reason, {
      needs: 'the player named in "player"',
      had: 'is not the player named in "player"',
    });
    await world.get(world.publicToken, "/wantedreason/add", { reason: "Secret-reason", points: 1 });
    assert.equal(world.log.at(-1)?.reason?.had, "is a public token, which belongs to nobody");
    assert.doesNotMatch(JSON.stringify(world.log), /Secret-reason|Mallory|gat_/);
    await world.ok(bob.token, "/event");
    assert.equal(world.log.at(-1)?.reason, undefined);
  });
});
