/** The wording of faults: names that are unknown, and values that are not what was expected. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { gotWords, unknownName } from "../../src/table/yaml/wording.ts";

const digits = Array.from({ length: 10 }, (_, index) => `number${index}`);

it("an unknown name is reported with the valid names and the nearest one", () => {
  assert.equal(
    unknownName("group", "VIPS", ["CEO", "VIP"]),
    'unknown group "VIPS"; expected CEO or VIP. Did you mean "VIP"?',
  );
  assert.equal(unknownName("group", "X", ["CEO", "VIP"]), 'unknown group "X"; expected CEO or VIP');
  assert.equal(unknownName("key", "x", [], { of: "a test" }), 'unknown key "x" of a test; there are none');
});

it("more than ten valid names are listed only if none is suggested", () => {
  const valid = [...digits, "colour"];
  assert.equal(unknownName("type", "color", valid), 'unknown type "color". Did you mean "colour"?');
  assert.match(unknownName("type", "x", valid), /^unknown type "x"; expected number0, .* or colour$/);
  const { length } = unknownName("type", "color", valid.slice(-10));
  assert.ok(length > 'unknown type "color". Did you mean "colour"?'.length, "ten are listed");
});

it("only likely names are suggested, but all valid ones are listed", () => {
  assert.equal(
    unknownName("handler", "list.ad", ["list.add", "list.show"], { likely: ["list.show"] }),
    'unknown handler "list.ad"; expected list.add or list.show',
  );
});

it("a value is named as YAML has it", () => {
  const values = [null, "", [], [1], {}, { a: 1 }, "many", 1.5, true, Number.NaN, Number.POSITIVE_INFINITY];
  assert.deepEqual(values.map(gotWords), [
    "nothing",
    "nothing",
    "an empty list",
    "a list",
    "an empty map",
    "a map",
    '"many"',
    "1.5",
    "true",
    ".nan",
    ".inf",
  ]);
});
