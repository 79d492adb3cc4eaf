/** The names that a shell completes: which, in which order, and what stands for too many. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { OperatorInput } from "../../src/operator/index.ts";
import { Desk, one, two } from "./_desk.ts";

type Kinds = OperatorInput<"name.complete">["kinds"];

/** Returns the values of the names that complete a text. */
function valuesOf(desk: Desk, kinds: Kinds, prefix: string): string[] {
  const { names, areBeginnings } = desk.run("name.complete", { kinds, prefix });
  assert.equal(areBeginnings, false);
  return names.map(({ value }) => value);
}

/** Returns a desk with groups alone: these, as the seed adds them. */
function withGroups(groups: readonly string[]): Desk {
  const desk = new Desk();
  for (const name of ["MOD", "VIP", "BLACKLIST", "BETA"]) desk.run("seed.remove", { kind: "group", name });
  desk.run("seed.groups", { groups: [...groups] });
  return desk;
}

const numbered = (count: number, beginning: string) =>
  Array.from({ length: count }, (_, index) => `${beginning}${index}`);

describe("completing a name", () => {
  it("offers the names of the wanted kinds in order, each with its kind", () => {
    const desk = new Desk();
    desk.register("bob", one);
    desk.register("Ada", two);
    assert.deepEqual(desk.run("name.complete", { kinds: ["player"], prefix: "" }), {
      names: [{ value: "Ada" }, { value: "bob" }],
      areBeginnings: false,
    });
    assert.deepEqual(
      desk.run("name.complete", { kinds: ["faction", "service", "group"], prefix: "B" }).names,
      [
        { value: "BALLAS", description: "faction" },
        { value: "BETA", description: "group" },
        { value: "BLACKLIST", description: "group" },
      ],
    );
    assert.deepEqual(valuesOf(desk, ["service"], ""), ["POLICE", "RESCUE"]);
    assert.deepEqual(valuesOf(desk, [], ""), []);
  });

  it("offers names in another case only if none starts with the text as it is typed", () => {
    const desk = withGroups(["vip", "VIP2", "Mod"]);
    assert.deepEqual(valuesOf(desk, ["group"], "v"), ["vip"]);
    assert.deepEqual(valuesOf(desk, ["group"], "V"), ["VIP2"]);
    assert.deepEqual(valuesOf(desk, ["group"], "Vi"), ["vip", "VIP2"]);
    assert.deepEqual(valuesOf(desk, ["group"], "m"), ["Mod"]);
    assert.deepEqual(valuesOf(desk, ["group"], "x"), []);
  });

  it("describes tokens by player, label and state", () => {
    const desk = new Desk();
    desk.register("Ada", one);
    const ids = [
      { player: "Ada", label: "laptop" },
      { label: "web" },
      { player: "Ada", expiresIn: 1 },
      {},
    ].map((input) => desk.run("token.issue", input).id);
    desk.run("token.revoke", { id: ids[1] ?? "" });
    desk.now += 1;
    const words = ["Ada, laptop, valid", "public, web, revoked", "Ada, expired", "public, valid"];
    const { names } = desk.run("name.complete", { kinds: ["token"], prefix: "" });
    const expected = ids.map((value, index) => ({ value, description: words[index] }));
    assert.deepEqual(
      names,
      expected.toSorted((a, b) => (a.value < b.value ? -1 : 1)),
    );
  });
});

describe("more than 200 names", () => {
  it("are offered as their beginnings, with the number of names for each", () => {
    const groups = [...numbered(120, "team-a"), ...numbered(79, "team-b"), "team-c"];
    const desk = withGroups(groups);
    assert.deepEqual(valuesOf(desk, ["group"], ""), groups.toSorted());
    desk.run("seed.groups", { groups: ["team-d"] });
    assert.deepEqual(desk.run("name.complete", { kinds: ["group"], prefix: "" }), {
      names: [
        { value: "team-a", description: "120 names" },
        { value: "team-b", description: "79 names" },
        { value: "team-c", description: "group" },
        { value: "team-d", description: "group" },
      ],
      areBeginnings: true,
    });
    assert.equal(valuesOf(desk, ["group"], "team-a").length, 120);
  });

  it("are offered by whole characters, also beyond the basic plane", () => {
    const desk = withGroups([...numbered(150, "x😀"), ...numbered(51, "x😁")]);
    assert.deepEqual(desk.run("name.complete", { kinds: ["group"], prefix: "" }).names, [
      { value: "x😀", description: "150 names" },
      { value: "x😁", description: "51 names" },
    ]);
  });

  it("are offered with one that all others begin with", () => {
    const desk = withGroups(["team", ...numbered(200, "team1")]);
    assert.deepEqual(desk.run("name.complete", { kinds: ["group"], prefix: "te" }).names, [
      { value: "team", description: "group" },
      { value: "team1", description: "200 names" },
    ]);
  });
});
