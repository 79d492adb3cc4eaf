/** The bodies of reads: ETags, composition and its cache. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ReadyBody } from "../../src/engine/body.ts";

function textOf(body: ReadyBody): string {
  return body.for(null).bytes.toString();
}

describe("a body composed of others", () => {
  it("a composed body has its parts under their names, in their order", () => {
    const [one, two] = [new ReadyBody([1]), new ReadyBody({ a: "ü" })];
    const body = ReadyBody.of([
      ["second", two],
      ['a "name"', one],
    ]);
    assert.equal(textOf(body), '{"second":{"a":"ü"},"a \\"name\\"":[1]}');
    assert.equal(textOf(ReadyBody.of([])), "{}");
  });

  it("composed bodies of equal parts differ in names and order", () => {
    const [empty, full] = [new ReadyBody([]), new ReadyBody([1])];
    const bodies = [
      ReadyBody.of([["GROVE", empty]]),
      ReadyBody.of([["BALLAS", empty]]),
      ReadyBody.of([
        ["GROVE", empty],
        ["BALLAS", full],
      ]),
      ReadyBody.of([
        ["GROVE", full],
        ["BALLAS", empty],
      ]),
    ];
    assert.deepEqual(bodies.map(textOf), [
      '{"GROVE":[]}',
      '{"BALLAS":[]}',
      '{"GROVE":[],"BALLAS":[1]}',
      '{"GROVE":[1],"BALLAS":[]}',
    ]);
    assert.equal(new Set(bodies.map(({ etag }) => etag)).size, bodies.length);
  });

  it("composed bodies are cached by their parts, in a bounded number", () => {
    const compose = (number: number) => ReadyBody.of([["list", new ReadyBody([number])]]);
    const first = compose(0);
    assert.ok(compose(0) === first, "it is composed once");
    const second = compose(1);
    assert.ok(compose(0) === first && compose(1) === second, "several are cached");
    // Far more than the sets of lists that callers may read.
    for (let number = 1; number <= 1000; number += 1) compose(number);
    assert.ok(compose(0) !== first, "the first of a thousand is no longer cached");
  });
});
