/**
 * Random restrictions, compared with a model of whom they allow that knows their form only. Everything else about a
 * restriction (its words, implication, access before the parameters are known) must agree with whom it allows.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { toForm } from "../../src/openapi/restriction.ts";
import type { Caller } from "../../src/table/caller.ts";
import { accessOf, publicAccessOf } from "../../src/table/restriction/access.ts";
import { implies } from "../../src/table/restriction/implication.ts";
import {
  type Input,
  describe as inWords,
  isAllowed,
  type Restriction,
} from "../../src/table/restriction/restriction.ts";
import { isFull, runs } from "../_depth.ts";
import { check, vocabulary } from "./_library.ts";

/** A restriction in the form of a table. */
type Form = string | { readonly [key: string]: unknown } | readonly Form[];

const ranked = (kind: string, names: readonly string[]) =>
  fc
    .record({ [kind]: fc.constantFrom(...names), rank: fc.option(fc.integer({ min: 1, max: 4 })) })
    .map(({ rank, ...rest }): Form => (rank === null ? rest : { ...rest, rank }));
const leaf: fc.Arbitrary<Form> = fc.oneof(
  fc.constantFrom<Form>("open", "identified", "administrators", { self: "words" }),
  fc.constantFrom<Form>({ group: "STAFF" }, { group: "FRIENDS" }, { group: "$within" }),
  ranked("faction", ["NORTH", "SOUTH"]),
  ranked("service", ["DESK", "ARCHIVE", "$at"]),
);
const whens = [{ mode: "short" }, { words: "ada" }, { at: "DESK", mode: "long" }] as const;

const { restriction: form } = fc.letrec<{ restriction: Form }>((tie) => {
  const some = fc.array(tie("restriction"), { minLength: 1, maxLength: 3 });
  const cases = fc
    .tuple(fc.constantFrom(...whens), tie("restriction"), tie("restriction"))
    .map(([when, first, last]): Form => [{ when, restriction: first }, { restriction: last }]);
  return {
    restriction: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      some.map((anyOf): Form => ({ anyOf })),
      some.map((allOf): Form => ({ allOf })),
      cases,
    ),
  };
});

/** A caller, as plain data. */
interface Somebody {
  readonly name: string | null;
  readonly administrator: boolean;
  readonly groups: readonly string[];
  readonly ranks: Readonly<Record<string, number>>;
}

const rank = fc.integer({ min: 1, max: 4 });
const names = ["NORTH", "SOUTH", "DESK", "ARCHIVE"];
const player: fc.Arbitrary<Somebody> = fc.record({
  name: fc.constantFrom("ada", "bob"),
  administrator: fc.boolean(),
  groups: fc.subarray(["STAFF", "FRIENDS"]),
  ranks: fc.dictionary(fc.constantFrom(...names), rank, { noNullPrototype: true }),
});
const nobody: Somebody = { name: null, administrator: false, groups: [], ranks: {} };
const somebody = fc.oneof({ weight: 4, arbitrary: player }, { weight: 1, arbitrary: fc.constant(nobody) });

function toCaller({ name, administrator, groups, ranks }: Somebody): Caller {
  return {
    id: name,
    administrator,
    unrestricted: false,
    isCalled: (reference) => reference === name,
    rankIn: (kind, of) => (kind === "group" ? (groups.includes(of) ? 0 : undefined) : ranks[of]),
  };
}

/** All combinations of parameters. */
const inputs: readonly Input[] = ["ada", "bob", "carl"].flatMap((words) =>
  ["DESK", "ARCHIVE"].flatMap((at) =>
    ["STAFF", "FRIENDS", "BARRED"].flatMap((within) =>
      ["short", "long"].map((mode) => ({ words, at, within, mode })),
    ),
  ),
);

/** The model: whom a form allows, by the documentation. */
function model(written: Form, who: Somebody, input: Input): boolean {
  if (written === "open") return true;
  if (written === "identified") return who.name !== null;
  if (written === "administrators") return who.administrator;
  if (Array.isArray(written)) {
    const applying = (written as readonly { when?: Input; restriction: Form }[]).find(({ when = {} }) =>
      Object.entries(when).every(([name, value]) => input[name] === value),
    );
    return applying !== undefined && model(applying.restriction, who, input);
  }
  const { self, group, faction, service, rank: least = 1, anyOf, allOf } = written as Record<string, unknown>;
  const named = (name: unknown) =>
    String(name).replace(/^\$(\w+)$/, (_, parameter: string) => String(input[parameter]));
  if (self !== undefined) return who.name === input[String(self)];
  if (group !== undefined) return who.groups.includes(named(group));
  if (Array.isArray(anyOf)) return anyOf.some((form: Form) => model(form, who, input));
  if (Array.isArray(allOf)) return !allOf.some((form: Form) => !model(form, who, input));
  return (who.ranks[named(faction ?? service)] ?? 0) >= Number(least);
}

function restrictionOf(written: Form): Restriction {
  const parameters = {
    words: "text",
    at: "service",
    within: "group",
    mode: { type: "enum", values: ["short", "long"] },
  };
  const route = { summary: "Finds.", restriction: written, parameters, handler: "books.find" };
  const { table, faults } = check(stringify({ prefix: "/library/{key}", routes: { "/find": route } }));
  const restriction = table?.routes[0]?.restriction;
  assert.ok(restriction !== undefined, `${JSON.stringify(written)} ${JSON.stringify(faults)}`);
  return restriction;
}

describe("a restriction of any form", () => {
  it("allows whom the model allows", () => {
    const decided = { yes: 0, no: 0 };
    fc.assert(
      fc.property(form, fc.array(somebody, { minLength: 1, maxLength: 5 }), (written, people) => {
        const restriction = restrictionOf(written);
        for (const who of people) {
          for (const input of inputs) {
            const expected = model(written, who, input);
            decided[expected ? "yes" : "no"] += 1;
            assert.equal(
              isAllowed(restriction, toCaller(who), input),
              expected,
              JSON.stringify({ who, input }),
            );
          }
        }
      }),
      { numRuns: runs(300) },
    );
    assert.ok(Math.min(decided.yes, decided.no) > runs(1000), JSON.stringify(decided));
  });

  it("has public access only if it allows public tokens for all parameters", () => {
    fc.assert(
      fc.property(form, (written) => {
        const restriction = restrictionOf(written);
        if (publicAccessOf(restriction) !== "yes") return;
        for (const input of inputs) assert.equal(isAllowed(restriction, toCaller(nobody), input), true);
      }),
      { numRuns: runs(300) },
    );
  });

  it("has the access yes or no only if that is the decision for all parameters", () => {
    const said = { yes: 0, no: 0, depends: 0 };
    fc.assert(
      fc.property(form, somebody, (written, who) => {
        const restriction = restrictionOf(written);
        const verdict = accessOf(restriction, toCaller(who), vocabulary);
        said[verdict] += 1;
        if (verdict === "depends") return;
        for (const input of inputs)
          assert.equal(
            isAllowed(restriction, toCaller(who), input),
            verdict === "yes",
            JSON.stringify(input),
          );
      }),
      { numRuns: runs(500) },
    );
    assert.ok(Math.min(said.yes, said.no, said.depends) > runs(20), JSON.stringify(said));
  });

  it("with allOf has the access no if a part has", () => {
    const own = toCaller({ name: "ada", administrator: false, groups: ["STAFF"], ranks: {} });
    const verdict = (...allOf: Form[]) => accessOf(restrictionOf({ allOf }), own, vocabulary);
    assert.equal(verdict({ self: "words" }, "administrators"), "no");
    assert.equal(verdict({ self: "words" }, { group: "STAFF" }), "depends");
    assert.equal(verdict("identified", { group: "STAFF" }), "yes");
  });

  it("implies another only if it allows nobody else, and implies the parts of its allOf", () => {
    let implied = 0;
    fc.assert(
      fc.property(form, form, fc.array(somebody, { minLength: 1, maxLength: 4 }), (a, b, people) => {
        const [one, other] = [restrictionOf(a), restrictionOf(b)];
        assert.equal(implies({ kind: "allOf", restrictions: [one, other] }, one), true);
        if (!implies(one, other)) return;
        implied += 1;
        for (const caller of people.map(toCaller)) {
          for (const input of inputs)
            if (isAllowed(one, caller, input)) assert.equal(isAllowed(other, caller, input), true);
        }
      }),
      { numRuns: runs(500) },
    );
    assert.ok(implied > (isFull ? 30 : 0), `${implied} were implied`);
  });

  it("is the same after a round trip through toForm", () => {
    fc.assert(
      fc.property(form, (written) => {
        const restriction = restrictionOf(written);
        assert.deepEqual(restrictionOf(toForm(restriction) as Form), restriction);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("the words for a restriction", () => {
  const few: fc.Arbitrary<Form> = fc.constantFrom<Form>(
    "administrators",
    { group: "STAFF" },
    { service: "DESK" },
  );
  const { restriction: small } = fc.letrec<{ restriction: Form }>((tie) => {
    const some = fc.array(tie("restriction"), { minLength: 1, maxLength: 3 });
    return {
      restriction: fc.oneof(
        { maxDepth: 3 },
        few,
        some.map((anyOf): Form => ({ anyOf })),
        some.map((allOf): Form => ({ allOf })),
        fc
          .tuple(tie("restriction"), tie("restriction"))
          .map(([a, b]): Form => [{ when: { mode: "short" }, restriction: a }, { restriction: b }]),
      ),
    };
  });
  const everybody = [false, true].flatMap((administrator) =>
    [[], ["STAFF"]].flatMap((groups) =>
      [{}, { DESK: 1 }].map((ranks) => toCaller({ name: "ada", administrator, groups, ranks })),
    ),
  );
  const modes = inputs.slice(0, 2);

  it("differ for two restrictions that allow different callers", () => {
    const seen = new Map<string, { decisions: string; written: Form }>();
    let again = 0;
    fc.assert(
      fc.property(small, (written) => {
        const restriction = restrictionOf(written);
        const decided = modes.map((input) =>
          everybody.map((caller) => Number(isAllowed(restriction, caller, input))).join(""),
        );
        const said: [string, string][] = [
          [inWords(restriction), decided.join(" ")],
          ...modes.map((input, index): [string, string] => [
            `to a request: ${inWords(restriction, input)}`,
            decided[index] ?? "",
          ]),
        ];
        for (const [words, decisions] of said) {
          const before = seen.get(words);
          if (before !== undefined) again += 1;
          else seen.set(words, { decisions, written });
          if (before !== undefined)
            assert.equal(decisions, before.decisions, `${words}: as in ${JSON.stringify(before.written)}`);
        }
      }),
      { numRuns: runs(1500) },
    );
    assert.ok(again > runs(300), `only ${again} were said twice`);
  });
});
