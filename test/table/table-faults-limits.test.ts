/** Limits of a table: what they mean, and their faults with line and column. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limitWords } from "../../src/table/limits.ts";
import { edited, itFinds } from "./_faults.ts";
import { check } from "./_library.ts";

const top = "product: reader";
const route = "    handler: books.add\n";
const withLimits = (limits: string) => `${top}\nlimits: ${limits}`;
const rate = "expected a rate from 1/h to 999999/s, such as 10/s, 20/min or 100/h, got";
const burst = "expected a whole number from 1 to 999999, got";
const limit = "expected off, or a map such as { rate: 10/s, burst: 60 }, got";

/** Returns the limits of the valid table with one edit, in words, and those of the routes that have one. */
function limitsOf(from: string, to: string): Record<string, string> {
  const { table, faults } = check(edited(from, to));
  assert.ok(table !== undefined, JSON.stringify(faults));
  const own = table.routes.flatMap(({ path, limit }) =>
    limit === undefined ? [] : [[path, limitWords(limit)]],
  );
  const ofTable = Object.entries(table.limits).map(([name, each]) => [name, limitWords(each)]);
  return Object.fromEntries([...ofTable, ...own]);
}

describe("the limits of a table", () => {
  const shipped = {
    reads: "10/s, burst 60",
    changes: "1/s, burst 30",
    unknown: "20/min, burst 20",
    pages: "5/s, burst 60",
  };

  it("are the shipped ones, as far as it declares none", () => {
    assert.deepEqual(limitsOf(top, top), shipped);
    assert.deepEqual(limitsOf(top, withLimits("{}")), shipped);
    assert.deepEqual(limitsOf(top, withLimits("{ changes: { rate: 5/h, burst: 2 } }")), {
      ...shipped,
      changes: "5/h, burst 2",
    });
  });

  it("can be off, all or one of them, and for a route", () => {
    const off = { reads: "off", changes: "off", unknown: "off", pages: "off" };
    assert.deepEqual(limitsOf(top, withLimits("off")), off);
    assert.deepEqual(limitsOf(top, withLimits("{ unknown: off }")), { ...shipped, unknown: "off" });
    const path = "/books/{branch}/add";
    assert.deepEqual(limitsOf(route, `${route}    limit: off\n`), { ...shipped, [path]: "off" });
    assert.deepEqual(limitsOf(route, `${route}    limit: { rate: 3/min, burst: 1 }\n`), {
      ...shipped,
      [path]: "3/min, burst 1",
    });
  });

  for (const [text, perSecond] of [
    ["10/s", 10],
    ["20/min", 1 / 3],
    ["100/h", 1 / 36],
    ["999999/s", 999_999],
  ] as const) {
    it(`with the rate ${text} allow ${perSecond} requests a second`, () => {
      const { table } = check(edited(top, withLimits(`{ reads: { rate: ${text}, burst: 1 } }`)));
      assert.ok(table !== undefined && table.limits.reads !== "off");
      assert.ok(Math.abs(table.limits.reads.perSecond - perSecond) < 1e-9);
    });
  }
});

describe("faults of limits", () => {
  itFinds([
    [
      "no value",
      top,
      withLimits(""),
      [3, 9, "expected off, or a map of reads, changes, unknown and pages, got nothing"],
    ],
    [
      "another word",
      top,
      withLimits("on"),
      [3, 9, 'expected off, or a map of reads, changes, unknown and pages, got "on"'],
    ],
    [
      "a boolean",
      top,
      withLimits("false"),
      [3, 9, "expected off, or a map of reads, changes, unknown and pages, got false"],
    ],
    ["a list", top, withLimits("[reads]"), [3, 1, "expected a map, got a list"]],
    ["a list of nothing", top, withLimits("[]"), [3, 1, "expected a map, got an empty list"]],
    [
      "an unknown limit",
      top,
      withLimits("{ read: { rate: 1/s, burst: 1 } }"),
      [3, 11, 'unknown key "read"; expected reads, changes, unknown or pages. Did you mean "reads"?'],
    ],
    ["a limit that is a number", top, withLimits("{ reads: 10 }"), [3, 18, `${limit} 10`]],
    ["a limit that is a rate", top, withLimits("{ reads: 10/s }"), [3, 18, `${limit} "10/s"`]],
    ["a limit that is a list", top, withLimits("{ reads: [10] }"), [3, 11, "expected a map, got a list"]],
    ["a limit without a burst", top, withLimits("{ reads: { rate: 1/s } }"), [3, 11, '"burst" is missing']],
    ["a limit without a rate", top, withLimits("{ reads: { burst: 1 } }"), [3, 11, '"rate" is missing']],
    [
      "an unknown key of a limit",
      top,
      withLimits("{ reads: { rate: 1/s, brust: 1, burst: 1 } }"),
      [3, 31, 'unknown key "brust"; expected rate or burst. Did you mean "burst"?'],
    ],
    ["a rate that is a number", top, withLimits("{ reads: { rate: 10, burst: 1 } }"), [3, 26, `${rate} 10`]],
    ["a rate per day", top, withLimits("{ reads: { rate: 10/d, burst: 1 } }"), [3, 26, `${rate} "10/d"`]],
    ["a rate of 0", top, withLimits("{ reads: { rate: 0/s, burst: 1 } }"), [3, 26, `${rate} "0/s"`]],
    [
      "a rate with decimals",
      top,
      withLimits("{ reads: { rate: 0.5/s, burst: 1 } }"),
      [3, 26, `${rate} "0.5/s"`],
    ],
    ["a burst of 0", top, withLimits("{ reads: { rate: 1/s, burst: 0 } }"), [3, 38, `${burst} 0`]],
    [
      "a burst with decimals",
      top,
      withLimits("{ reads: { rate: 1/s, burst: 1.5 } }"),
      [3, 38, `${burst} 1.5`],
    ],
    [
      "a burst that is a text",
      top,
      withLimits("{ reads: { rate: 1/s, burst: ten } }"),
      [3, 38, `${burst} "ten"`],
    ],
    [
      "a burst that is too large",
      top,
      withLimits("{ reads: { rate: 1/s, burst: 1e6 } }"),
      [3, 38, `${burst} 1000000`],
    ],
    [
      "two faults",
      top,
      withLimits("{ reads: { rate: 1, burst: 0 }, unknown: 7 }"),
      [3, 26, `${rate} 1`],
      [3, 36, `${burst} 0`],
      [3, 50, `${limit} 7`],
    ],
    ["the limit of a route without a value", route, `${route}    limit:\n`, [30, 11, `${limit} nothing`]],
    [
      "the limit of a route with another word",
      route,
      `${route}    limit: none\n`,
      [30, 12, `${limit} "none"`],
    ],
    [
      "the limit of a route that is a list",
      route,
      `${route}    limit: []\n`,
      [30, 5, "expected a map, got an empty list"],
    ],
    [
      "an unknown key in the limit of a route",
      route,
      `${route}    limit: { rte: 1/s, burst: 1 }\n`,
      [30, 5, '"rate" is missing'],
      [30, 14, 'unknown key "rte"; expected rate or burst. Did you mean "rate"?'],
    ],
    ["limits in a route", route, `${route}    limits: off\n`, [30, 5, 'unknown key "limits"']],
    [
      "an unknown key of a parameter called limit",
      "      kind: kind\n",
      "      kind: kind\n      limit: { tipe: text, type: text }\n",
      [29, 16, 'unknown key "tipe"'],
    ],
    [
      "the limit of a type",
      "minimum: 1, maximum: 5000",
      "limit: 5000",
      [6, 27, 'unknown key "limit"; expected type, description, pattern'],
    ],
  ]);
});
