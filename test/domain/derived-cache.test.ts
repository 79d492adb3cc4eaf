/** Tests of the cache of derived values. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { DerivedCache } from "../../src/domain/derived-cache.ts";

it("values are derived again when a dependency changes, and empty ones take no place from others", () => {
  const cache = new DerivedCache<string>(2, 10, ({ length }) => length);
  let derived = 0;
  const get = (key: string, dependency: unknown, value = key) =>
    cache.get(key, [0, dependency], () => {
      derived += 1;
      return value;
    });
  const stated = { one: 1 };
  assert.deepEqual([get("one", stated), get("one", stated), derived], ["one", "one", 1]);
  get("one", { ...stated });
  assert.equal(derived, 2);
  get("two", 0);
  for (let other = 0; other < 10; other += 1) get(`none ${other}`, 0, "");
  assert.deepEqual([get("two", 0), derived], ["two", 13]);
  get("three", 0);
  get("two", 0);
  assert.equal(derived, 14);
  get("one", 0);
  assert.equal(derived, 15);
});
