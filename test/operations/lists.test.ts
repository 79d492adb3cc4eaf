/** The shipped lists: their answers byte for byte, the bounds of their fields, and what only one of them has. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { houseBanReason } from "../_entries.ts";
import { assertFailure, everyRight, openAs, openWorld, prefix, shippedRoutes } from "../_setup.ts";

const uuid = "0123456789abcdef0123456789abcdef";
const pier = { name: "Pier", x: 1, y: -2, z: 3, article: "der" };
const spy = { reason: "Spy", price: 5000, kills: 20 };

/** A list: what is added, its answer then, and invalid values of its parameters. */
interface Shipped {
  readonly added: readonly Readonly<Record<string, string | number>>[];
  readonly answer: string;
  readonly invalid: Readonly<Record<string, readonly string[]>>;
}

const coordinates = ["2147483648", "-2147483649", "", "north", "--1", "NaN"];
const counts = ["-1", "2147483648", "0.5", "", "much"];
const shipped: Readonly<Record<string, Shipped>> = {
  "/wantedreason": {
    added: [
      { reason: "Theft", points: 10 },
      { points: "1000", reason: "arson" },
      { reason: "Noise", points: 0 },
    ],
    answer: '[{"reason":"arson","points":1000},{"reason":"Noise","points":0},{"reason":"Theft","points":10}]',
    invalid: { points: ["-1", "1001", "0.5", "", "ten", "1.0", "1e2"] },
  },
  "/navipoint": {
    added: [
      { article: "DER", z: "-2147483648", y: "2147483647", x: "-1", name: "Pier" },
      { name: "city-Hall", x: 0, y: 0, z: 0, article: "das" },
      { name: "Bank", x: "120.5", y: "-0.5", z: "1.0E7", article: "die" },
    ],
    answer:
      '[{"name":"Bank","x":120,"y":-1,"z":10000000,"article":"die"},' +
      '{"name":"city-Hall","x":0,"y":0,"z":0,"article":"das"},' +
      '{"name":"Pier","x":-1,"y":2147483647,"z":-2147483648,"article":"der"}]',
    invalid: { x: coordinates, y: coordinates, z: coordinates, article: ["le", ""] },
  },
  "/housebanreason": {
    added: [
      { reason: "Noise", days: 3 },
      { reason: "all-night-noise", days: 3650 },
    ],
    answer:
      `[{"reason":"all-night-noise","days":3650,"creatorName":"Ada","creatorUUID":"${uuid}"},` +
      `{"reason":"Noise","days":3,"creatorName":"Ada","creatorUUID":"${uuid}"}]`,
    invalid: {
      reason: ["all", "ALL", "aLl"],
      days: ["0", "-1", "3651", "2147483648", "1.5", "", "ten"],
    },
  },
  "/blacklistreason/GROVE": {
    added: [spy, { kills: "0", price: "2147483647", reason: "attack-on-members" }],
    answer:
      '[{"reason":"attack-on-members","price":2147483647,"kills":0},{"reason":"Spy","price":5000,"kills":20}]',
    invalid: { price: counts, kills: counts },
  },
};

for (const [path, { added, answer, invalid }] of Object.entries(shipped)) {
  describe(path, () => {
    it(`${path} answers an empty list at first, then the entries by name, byte for byte`, async (t) => {
      const { world, token } = await openAs(t, "Ada", { ...everyRight, uuid });
      const url = `http://x${prefix}/${token}${path}`;
      const textNow = async () => (await world.service.fetch(new Request(url))).text();
      assert.equal(await textNow(), "[]");
      for (const entry of added) await world.ok(token, `${path}/add`, entry);
      assert.equal(await textNow(), answer);
    });

    it(`${path} refuses values out of bounds`, async (t) => {
      const { world, token } = await openAs(t, "Ada", everyRight);
      for (const [parameter, values] of Object.entries(invalid)) {
        for (const value of values) {
          const refused = await world.get(token, `${path}/add`, { ...added[0], [parameter]: value });
          assertFailure(refused, 400, "PARAMETER_INVALID", parameter);
        }
      }
      assert.deepEqual(await world.ok(token, path), []);
    });
  });
}

describe("the coordinates of a navi point", () => {
  it("with decimals are stored as those of the block", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    for (const [sent, stored] of [
      ["-0", 0],
      ["-120.5", -121],
      ["-0.0", 0],
      ["-0.30000001", -1],
      ["64.99999", 64],
      ["2147483647.5", 2147483647],
      ["-2147483647.5", -2147483648],
      // As Java's Float.toString and Double.toString write them, and JavaScript.
      ["1.2345678E7", 12_345_678],
      ["-1.0E-5", -1],
      ["1.0E-5", 0],
      ["-1.5e-7", -1],
      ["6.123233995736766E-17", 0],
    ] as const) {
      await world.ok(token, "/navipoint/add", { ...pier, x: sent });
      assert.deepEqual(await world.ok(token, "/navipoint"), [{ ...pier, x: stored }], sent);
      // The block identifies the position: the same one again changes nothing.
      await world.ok(token, "/navipoint/add", { ...pier, x: stored });
      await world.ok(token, "/navipoint/remove", { name: "Pier" });
    }
  });

  it("are refused out of range after rounding, or malformed", async (t) => {
    const { world, token } = await openAs(t, "Root", { administrator: true });
    const ranges = ["2147483648.0", "-2147483648.5", "1.0E10", "1e999", "Infinity", "-Infinity"];
    const forms = ["1.", ".5", "1,5", "1.5f", "0x10", "1.0E", "1.2.3", `1.${"0".repeat(60)}`];
    for (const value of [...ranges, ...forms]) {
      const { body } = await world.get(token, "/navipoint/add", { ...pier, z: value });
      assert.deepEqual([body.code, body.parameter], ["PARAMETER_INVALID", "z"], value);
      assert.match(body.info, /a number from -2147483648 to 2147483647 \(decimals are rounded down\), not "/);
    }
  });

  it("are checked after rounding by a narrower table", async (t) => {
    const text = await readFile(shippedRoutes, "utf8");
    const narrow = "coordinate: { type: integer, minimum: -64, maximum: 319 }";
    const routes = text.replace("coordinate: { type: integer }", narrow);
    assert.notEqual(routes, text);
    const { world, token } = await openAs(t, "Root", { administrator: true }, { routes });
    await world.ok(token, "/navipoint/add", { ...pier, y: "319.9" });
    for (const y of ["-64.1", "320"]) {
      const answer = await world.get(token, "/navipoint/add", { ...pier, name: "Other", y });
      assertFailure(answer, 400, "PARAMETER_INVALID", "y");
    }
  });
});

describe("the creator of a house-ban reason", () => {
  const byOperator = [{ reason: "Noise", days: 3, creatorName: "operator", creatorUUID: "" }];

  it("stays the first one when another player repeats the addition", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { RESCUE: 4 } });
    const other = await world.player("Other", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", { reason: "Noise", days: 3 });
    await world.ok(other.token, "/housebanreason/add", { reason: "noise", days: 3 });
    const [{ reason, creatorName }] = await world.ok(token, "/housebanreason");
    assert.deepEqual([reason, creatorName], ["Noise", "Chief"]);
  });

  it("is the operator if no player added it, or it is from before creators were stored", async (t) => {
    const world = await openWorld(t);
    const query = { reason: "Noise", days: "3" };
    assert.equal((await world.service.call("/housebanreason/add", Object.entries(query))).status, 200);
    assert.deepEqual(await world.ok(world.publicToken, "/housebanreason"), byOperator);

    await world.service.store.change({ who: "operator", operation: "housebanreason.add" }, (draft) =>
      draft.entries.put(houseBanReason("Noise", 3)),
    );
    const added = world.service.store.sequence;
    const { token } = await world.player("Chief", { members: { RESCUE: 4 } });
    await world.ok(token, "/housebanreason/add", query);
    assert.deepEqual(await world.ok(token, "/housebanreason"), byOperator);
    await world.ok(token, "/housebanreason/remove", { reason: "Noise" });
    await world.service.administer("undo", { sequence: world.service.store.sequence });
    assert.deepEqual(await world.ok(token, "/housebanreason"), byOperator);
    await world.service.administer("undo", { sequence: added });
    await world.service.administer("undo", { sequence: added - 1 });
    assert.deepEqual(await world.ok(token, "/housebanreason"), []);
  });
});

it("an unknown house-ban reason is refused with the reasons that there are, in their order", async (t) => {
  const { world, token } = await openAs(t, "Chief", { members: { RESCUE: 4 } });
  const hint = async () => {
    const answer = await world.get(token, "/houseban/add", { name: "Mallory", reason: "Nonsense" });
    assertFailure(answer, 404, "UNKNOWN_ENTRY");
    return answer.body.hint;
  };
  assert.equal(await hint(), "There are no house-ban reasons yet.");
  for (const reason of ["Theft", "arson"]) await world.ok(token, "/housebanreason/add", { reason, days: 1 });
  assert.equal(await hint(), "Expected arson or Theft.");
});
