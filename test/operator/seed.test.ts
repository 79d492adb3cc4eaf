/** Adding and removing groups, factions and services. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namesOf } from "../../src/identity/memberships.ts";
import type { OperatorInput } from "../../src/operator/index.ts";
import { blacklistReason } from "../_entries.ts";
import { assertRefused, copyOf } from "../_memory.ts";
import { Desk, names, one, two } from "./_desk.ts";

describe("adding the names of a seed", () => {
  it("sets the colours of factions and services, and says whose were others", () => {
    const desk = new Desk();
    const seed = { factions: ["AZTECAS"], colors: { aztecas: "#00aaFF", GROVE: "#2e9e4f" } };
    const info = "Added AZTECAS. Set the colours of GROVE.";
    assert.equal(desk.run("seed.groups", seed).info, info);
    const colors = { GROVE: "#000000", AZTECAS: "#00aaFF" };
    assert.equal(desk.run("seed.groups", { colors }).info, "Set the colours of GROVE.");
    assert.equal(desk.data.names.get("faction/grove")?.color, "#000000");
    assert.throws(() => desk.run("seed.groups", { colors: { GROVES: "#000000" } }), {
      code: "UNKNOWN_FACTION",
    });
  });

  it("adds a name behind the last one after others were removed", () => {
    const desk = new Desk();
    for (const name of ["MOD", "VIP"]) desk.run("seed.remove", { kind: "group", name });
    desk.run("seed.groups", { groups: ["AAA"] });
    assert.deepEqual(namesOf(desk.data, "group"), ["BLACKLIST", "BETA", "AAA"]);
    const positions = desk.data.names.find("kind", "group").map(({ position }) => position);
    assert.equal(new Set(positions).size, positions.length);
  });

  it("refuses a name that would be both a faction and a service, but not one that is also a group", () => {
    const desk = new Desk();
    const refusals: readonly (readonly [OperatorInput<"seed.groups">, string])[] = [
      [{ services: ["grove"] }, "grove"],
      [{ factions: ["Rescue"] }, "Rescue"],
      [{ factions: ["NEW"], services: ["new"] }, "new"],
    ];
    for (const [seed, name] of refusals) {
      assertRefused(() => desk.run("seed.groups", seed), {
        code: "CONFLICT",
        message: `"${name}" cannot be both a faction and a service.`,
        hint: "Rename one of them.",
      });
    }
    const { info } = desk.run("seed.groups", {
      groups: ["GROVE", "RESCUE"],
      factions: ["VIP"],
      services: ["MOD"],
    });
    assert.equal(info, "Added GROVE, RESCUE, VIP, MOD.");
  });

  it("refuses invisible characters in new names alone", () => {
    const desk = new Desk();
    const name = "A\u3164B";
    assertRefused(() => desk.run("seed.groups", { groups: ["NEW", name] }), {
      code: "PARAMETER_INVALID",
      message: `The name "${name}" cannot be added: leave out the invisible character U+3164.`,
    });
    // As an older version may have stored it.
    desk.data.names.put({ name, kind: "group", position: 9 });
    assert.deepEqual(desk.run("seed.groups", { groups: [name] }).added.groups, []);
  });

  const nameWords =
    "Expected a name of 1 to 64 characters without spaces, control characters or any of { } $ / ? # & = %.";
  const refused: readonly (readonly [seed: unknown, message: string])[] = [
    [{ groups: [""] }, nameWords],
    [{ groups: ["x".repeat(65)] }, nameWords],
    [{ factions: ["A B"] }, nameWords],
    [{ services: ["A/B"] }, nameWords],
    [{ groups: ["__proto__"] }, '"__proto__" cannot be a name here; choose another one.'],
    [{ services: [7] }, "Expected a name."],
    [{ groups: "VIP" }, "Expected a list of names."],
  ];
  for (const [seed, message] of refused) {
    it(`refuses ${JSON.stringify(seed)}`, () => {
      const desk = new Desk();
      const before = copyOf(desk.data);
      const input: OperatorInput<"seed.groups"> = JSON.parse(JSON.stringify(seed));
      const [parameter = ""] = Object.keys(input);
      assertRefused(() => desk.run("seed.groups", input), { code: "PARAMETER_INVALID", message, parameter });
      assert.deepEqual(copyOf(desk.data), before);
    });
  }

  it("accepts a name of 64 characters beyond ASCII, and composes it", () => {
    const desk = new Desk();
    const long = "😀".repeat(64);
    assert.deepEqual(desk.run("seed.groups", { groups: [long, "U\u0308BER"] }).added.groups, [long, "ÜBER"]);
  });
});

describe("removing a name", () => {
  it("removes the name that nothing refers to, in any case, and no other", () => {
    const desk = new Desk();
    desk.run("seed.groups", { groups: ["GROVE"] });
    const before = namesOf(desk.data, "faction");
    const answer = desk.run("seed.remove", { kind: "group", name: "grove" });
    assert.deepEqual(answer, {
      info: "Removed the group GROVE.",
      kind: "group",
      name: "GROVE",
      sequence: desk.sequence,
    });
    assert.deepEqual(namesOf(desk.data, "group"), names.groups);
    assert.deepEqual(namesOf(desk.data, "faction"), before);
    for (const [kind, name] of [
      ["faction", "GROVE"],
      ["service", "POLICE"],
    ] as const) {
      assert.equal(desk.run("seed.remove", { kind, name }).info, `Removed the ${kind} ${name}.`);
    }
    assert.deepEqual(namesOf(desk.data, "faction"), ["BALLAS"]);
    assert.deepEqual(namesOf(desk.data, "service"), ["RESCUE"]);
  });

  const table = "Change the route table first.";
  it("is refused while the route table refers to it", () => {
    const desk = new Desk();
    const refused = (routes: string[], isExcluded: boolean, words: string) => {
      desk.references = { routes, lists: [], isExcluded };
      const expected = {
        code: "CONFLICT",
        message: `The group VIP is in use: ${words}.`,
        hint: table,
      } as const;
      assertRefused(() => desk.run("seed.remove", { kind: "group", name: "vip" }), expected);
    };
    refused(["/b"], false, "1 route of the route table (/b)");
    refused(["/b", "/a"], false, "2 routes of the route table (/a and /b)");
    const paths = ["/f", "/e", "/d", "/c", "/b", "/a"];
    refused(paths.slice(1), false, "5 routes of the route table (/a, /b, /c, /d and /e)");
    refused(paths, false, "6 routes of the route table (/a, /b, /c, /d, /e and 1 more)");
    refused([], true, "the route table excludes its members");
    refused(["/a"], true, "the route table excludes its members; 1 route of the route table (/a)");
    assert.ok(desk.data.names.has("group/vip"));
  });

  it("is refused while a record refers to it", () => {
    const desk = new Desk();
    desk.register("bob", one, { GROVE: 1, POLICE: 2 });
    desk.register("Ada", two, { GROVE: 1 });
    desk.data.memberships.put({ uuid: "3".repeat(32), organisation: "GROVE", rank: 1 });
    for (const player of ["bob", "Ada"]) desk.run("group.add", { player, group: "VIP" });
    desk.data.entries.put(blacklistReason("GROVE", "Noise"));
    desk.data.entries.put(blacklistReason("BALLAS", "Dirt"));
    const refused = (kind: "group" | "faction" | "service", name: string, words: string, hint: string) => {
      const message = `The ${kind} ${name} is in use: ${words}.`;
      assertRefused(() => desk.run("seed.remove", { kind, name }), { code: "CONFLICT", message, hint });
    };
    const members = (name: string) => `\`addon-cli member remove <player> ${name}\` removes a member.`;
    const reasons = "`addon-cli call` removes an entry.";
    refused(
      "group",
      "VIP",
      "2 members (Ada and bob)",
      "`addon-cli group remove <player> VIP` removes a member.",
    );
    refused("service", "POLICE", "1 member (bob)", members("POLICE"));
    refused("faction", "BALLAS", "1 entry (blacklistreason/BALLAS/Dirt)", reasons);
    refused(
      "faction",
      "GROVE",
      `3 members (${"3".repeat(32)}, Ada and bob); 1 entry (blacklistreason/GROVE/Noise)`,
      `${members("GROVE")} ${reasons}`,
    );
    desk.references = { routes: ["/a"], lists: ["setup"], isExcluded: false };
    refused(
      "faction",
      "BALLAS",
      "defaults of 1 list (setup); 1 route of the route table (/a); 1 entry (blacklistreason/BALLAS/Dirt)",
      `${table} ${reasons}`,
    );
    // A group and a faction of one name do not refer to each other.
    desk.references = { routes: [], lists: [], isExcluded: false };
    desk.run("seed.groups", { groups: ["GROVE"] });
    assert.equal(desk.run("seed.remove", { kind: "group", name: "GROVE" }).info, "Removed the group GROVE.");
  });
});
