/** `can-i` decides like requests, for every route, and for callers and parameters of all kinds. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { parse, stringify } from "yaml";
import { canI, type Decision } from "../../src/explain/can-i.ts";
import { checkRoutes } from "../../src/operations.ts";
import { runs } from "../_depth.ts";
import { operations } from "../_operations.ts";
import { openWorld, prefix, questionsOf, type World } from "../_setup.ts";

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
const organisation = fc.constantFrom("GROVE", "BALLAS", "VAGOS", "RESCUE", "POLICE");
const details = fc.record({
  members: fc.dictionary(organisation, fc.integer({ min: 1, max: 6 }), { maxKeys: 3, noNullPrototype: true }),
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
          await t.test(`run ${run}`, async (inner) => {
            const world = await openWorld(inner, { routes: tableOf(chosen, excluded) });
            const callers: [string, string][] = [["public", world.publicToken]];
            for (const [index, given] of all.entries()) {
              const name = index === 0 ? "Ada" : `Player${index}`;
              callers.push([name, (await world.player(name, given)).token]);
            }
            for (const [who, token] of callers) {
              for (const call of calls) {
                const decision = await questionsOf(world.service).canI(who, call.path, call.pairs);
                const code = await asked(world, token, call);
                assert.equal(
                  decision.code,
                  code,
                  `${who} ${JSON.stringify(call)} ${JSON.stringify(decision)}`,
                );
                assert.equal(decision.allowed, code === null);
                const { allowed } = await questionsOf(world.service).whoCan(call.path, call.pairs);
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
        const decision = await questionsOf(world.service).canI(who, path, pairs);
        const search = new URLSearchParams(pairs).toString();
        const encoded = path.split("/").map(encodeURIComponent).join("/");
        const answer = await world.request(`${prefix}/${tokens.get(who)}${encoded}?${search}`);
        const code = ["EXCLUDED", "RESTRICTED"].includes(answer.body?.code) ? answer.body.code : null;
        assert.equal(decision.code, code, `${who} ${path} ${JSON.stringify(answer.body)}`);
        const decisive = Object.keys(decision.parameters);
        // What does not decide may be left out.
        const fewer = pairs.filter(([name]) => decisive.includes(name));
        assert.deepEqual(await questionsOf(world.service).canI(who, path, fewer), decision);
      }),
      { numRuns: runs(400) },
    );
  });
});

/** An example of `can-i.yaml`, whose head explains it. */
interface Example {
  readonly asks: string;
  readonly if: unknown;
  readonly excluded?: string;
  readonly readOnly?: boolean;
  /** The decision and its steps, or only what would be enough. */
  readonly is?: readonly string[];
  readonly enough?: readonly string[];
}

describe("the steps of can-i", async () => {
  const world = await openWorld({ after: (end: () => unknown) => after(() => end()) });
  const { service, clock } = world;
  await world.player("Ada", { administrator: true });
  await world.player("Bob", { members: { GROVE: 3 } });
  await world.player("Eve", { groups: ["BLACKLIST"] });
  for (const name of ["Zoe", "Rob", "-x"]) await service.administer("player.add", { name, members: [] });
  await service.administer("token.issue", { player: "Rob", readOnly: true });

  function ask({ asks, if: restriction, excluded = "BLACKLIST", readOnly }: Example): Decision {
    const [who = "", path = ""] = asks.split(" ");
    const route = (handler: string, parameters: object) => ({
      summary: "S.",
      restriction,
      parameters,
      handler,
    });
    const routes = path.startsWith("/statistic")
      ? { "/statistic/{player}": route("statistic.show", { player: "text" }) }
      : {
          "/event": route("event.current", {}),
          "/targetlist/add": route("targetlist.add", { name: "text" }),
        };
    const head = excluded === "none" ? {} : { excluded: { group: excluded } };
    const text = stringify({ prefix: `${prefix}/{tokenString}`, ...head, routes });
    const { table, faults } = checkRoutes(text, service.vocabulary());
    assert.ok(table !== undefined, JSON.stringify(faults));
    return canI(service.store.data, table, service.vocabulary(), clock.time, [who, path, []], readOnly);
  }

  /** Returns each step with its words, such as `exclusion + Bob is not in the group BLACKLIST`. */
  const stepsOf = ({ steps }: Decision) =>
    steps.map(({ step, passed, says }) => `${step} ${passed === null ? "·" : passed ? "+" : "-"} ${says}`);
  const bobAsks = { asks: "Rob /targetlist/add", if: "open" };

  const examples: readonly Example[] = parse(readFileSync(new URL("can-i.yaml", import.meta.url), "utf8"));
  for (const example of examples) {
    const { asks, if: restriction, is, enough = [] } = example;
    it(`${asks}, if ${JSON.stringify(restriction)}`, () => {
      const { allowed, code, ...rest } = ask(example);
      const steps = stepsOf({ allowed, code, ...rest });
      const answer = allowed && code === null ? "yes" : `no, ${code}`;
      if (is !== undefined) assert.deepEqual([answer, ...steps], is);
      else {
        const ways = steps.filter((step) => step.startsWith("enough"));
        assert.deepEqual(
          ways.map((way) => way.slice("enough · ".length)),
          enough,
        );
        assert.equal(answer, enough.length === 0 ? "yes" : "no, RESTRICTED");
      }
    });
  }

  it("come with the caller, the path of the route, its decisive parameters and the revision", () => {
    const {
      allowed: _,
      code: __,
      steps: ___,
      revision,
      ...rest
    } = ask({ asks: "bob /statistic/Ada", if: { self: "player" } });
    assert.deepEqual(rest, { caller: "Bob", path: "/statistic/{player}", parameters: { player: "Ada" } });
    assert.match(revision, /^[0-9a-f]{12}$/);
  });

  it("mention that all tokens are read-only, unless another valid one exists", async () => {
    const isSaid = () =>
      stepsOf(ask(bobAsks)).some((step) => step.startsWith("token · Rob has only read-only"));
    assert.equal(isSaid(), true);
    await service.administer("token.issue", { player: "Rob", expiresIn: 1000 });
    assert.equal(isSaid(), false);
    clock.advance(999);
    assert.equal(isSaid(), false);
    clock.advance(1);
    assert.equal(isSaid(), true);
  });

  it("are those of a player for a player of older data who is called public", async () => {
    const uuid = "0123456789abcdef0123456789abcdef";
    await service.store.change({ who: "operator", operation: "player.add" }, (draft) =>
      draft.players.put({ uuid, name: "public", administrator: false, registeredAt: 0 }),
    );
    const { caller, allowed } = ask({ asks: `${uuid} /event`, if: "identified" });
    assert.deepEqual([caller, allowed], ["public", true]);
    assert.equal(ask({ asks: "public /event", if: "identified" }).code, "RESTRICTED");
  });

  it("are true: what is said to be enough is enough", async () => {
    const restriction = {
      allOf: ["identified", { faction: "GROVE", rank: 4 }, { anyOf: ["administrators", { group: "VIP" }] }],
    };
    const isAllowed = () => ask({ asks: "Bob /event", if: restriction }).allowed;
    await service.administer("member.set", { player: "Bob", organisation: "GROVE", rank: 4 });
    assert.equal(isAllowed(), false, "one of them is not enough");
    await service.administer("admin.grant", { player: "Bob" });
    assert.equal(isAllowed(), true, "all of them are");
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
