/** The limiter, compared with a slow model, and its bounds. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { Limiter, mostBuckets } from "../../src/engine/limiter.ts";
import type { Caller } from "../../src/table/caller.ts";
import { type Limit, toLimit } from "../../src/table/limits.ts";
import { runs } from "../_depth.ts";

function limitOf(rate: string, burst: number, name = "reads"): Limit {
  const limit = toLimit(name, { rate, burst });
  assert.ok(limit !== "off");
  return limit;
}

function callerOf(token: string, id: string | null = "a player"): Caller {
  return {
    id,
    token,
    administrator: false,
    unrestricted: false,
    isCalled: () => false,
    rankIn: () => undefined,
  };
}

/** The client of a request without an address. */
const nowhere = { address: undefined };

const hour = 3_600_000;
const periods: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: hour };

/**
 * The model: a bucket as a whole number of parts, of which a request takes `hour`. In a millisecond, n/s adds 3600 n parts,
 * n/min 60 n, and n/h n.
 */
class SlowBucket {
  readonly #added: number;
  readonly #most: number;
  #parts: number;
  #at: number;

  constructor(count: number, unit: string, burst: number, now: number) {
    this.#added = (count * hour) / (periods[unit] ?? 0);
    this.#most = burst * hour;
    this.#parts = this.#most;
    this.#at = now;
  }

  /** Returns 0 if a request is allowed, otherwise the milliseconds after which one is. */
  take(now: number): number {
    for (; this.#at < now && this.#parts < this.#most; this.#at += 1)
      this.#parts = Math.min(this.#most, this.#parts + this.#added);
    // Also if the clock was set back.
    this.#at = now;
    if (this.#parts < hour) return Math.ceil((hour - this.#parts) / this.#added);
    this.#parts -= hour;
    return 0;
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 300 }) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -50_000, max: -1 }) },
  ),
  { minLength: 1, maxLength: 120 },
);

it("for any requests, and a clock that may be set back, it decides as a slow model does", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom("s", "min", "h"),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 2 ** 41 }),
      steps,
      (count, unit, burst, start, waits) => {
        let now = start;
        const limiter = new Limiter(() => now);
        const model = new SlowBucket(count, unit, burst, now);
        const limit = limitOf(`${count}/${unit}`, burst);
        let wasRefused = false;
        for (const wait of waits) {
          now += wait;
          const refusal = limiter.ofCaller(limit, callerOf("t"), nowhere, "read");
          const milliseconds = model.take(now);
          assert.equal(refusal !== undefined, milliseconds > 0, `after ${wait} ms`);
          if (refusal !== undefined) {
            assert.equal(refusal.seconds, Math.max(1, Math.ceil(milliseconds / 1000)));
            assert.equal(refusal.isRepeated, wasRefused);
          }
          wasRefused = refusal !== undefined;
        }
      },
    ),
    { numRuns: runs(300) },
  );
});

it("limits, tokens, and the networks of a public token have buckets of their own; the networks of a player do not", () => {
  const limiter = new Limiter(() => 0);
  const [reads, changes] = [limitOf("1/h", 1), limitOf("1/h", 1, "changes")];
  const isAllowed = (limit: Limit, token: string, id: string | null, address: string) =>
    limiter.ofCaller(limit, callerOf(token, id), { address }, "read") === undefined;
  assert.ok(isAllowed(reads, "a", "Ada", "192.0.2.1"));
  assert.ok(!isAllowed(reads, "a", "Ada", "192.0.2.2"));
  assert.ok(isAllowed(changes, "a", "Ada", "192.0.2.1"));
  assert.ok(isAllowed(reads, "b", "Ada", "192.0.2.1"));
  assert.ok(isAllowed(reads, "p", null, "192.0.2.1"));
  assert.ok(!isAllowed(reads, "p", null, "::ffff:192.0.2.1"));
  assert.ok(isAllowed(reads, "p", null, "2001:db8::1"));
  assert.ok(!isAllowed(reads, "p", null, "2001:db8::2"));
  assert.ok(!isAllowed(reads, "p", null, "2001:db8:0:ff::2"));
  assert.ok(isAllowed(reads, "p", null, "2001:db8:0:100::2"));
  for (const name of ["unknown", "pages"]) {
    const take = (address: string) => limiter.ofNetwork(limitOf("1/h", 1, name), { address }) === undefined;
    assert.deepEqual(["192.0.2.1", "192.0.2.1", "192.0.2.2"].map(take), [true, false, true]);
  }
});

it("the changes of a public token count together as well, ten times the limit; one refused by either bucket counts in neither", () => {
  for (const name of ["changes", "/house/close"]) {
    let now = 0;
    const limiter = new Limiter(() => now);
    const limit = limitOf("1/h", 2, name);
    const change = (number: number, token = "p", id: string | null = null) =>
      limiter.ofCaller(limit, callerOf(token, id), { address: addressOf(number) }, "change");
    const allowed = (numbers: readonly number[]) => numbers.filter((number) => change(number) === undefined);
    assert.deepEqual(allowed([1, 1, 1, 1, 1]), [1, 1]);
    const others = Array.from({ length: 30 }, (_, index) => index + 2);
    assert.deepEqual(allowed(others), others.slice(0, 18));
    for (const [number, burst, seconds] of [
      [1, 2, 3600],
      [40, 20, 360],
    ] as const) {
      const refusal = change(number);
      assert.deepEqual([refusal?.limit.burst, refusal?.limit.name, refusal?.seconds], [burst, name, seconds]);
    }
    assert.equal(change(1, "q"), undefined, "another public token");
    assert.equal(change(1, "t", "Ada"), undefined, "a player's token");
    now = 2 * 360_000;
    assert.deepEqual(allowed([40, 40, 40]), [40, 40], "its refused change did not count");
    assert.equal(limiter.ofCaller(limit, callerOf("p", null), { address: addressOf(41) }, "read"), undefined);
  }
});

it("another limit of the same name continues with the bucket, which holds no more than its burst", () => {
  let now = 0;
  const limiter = new Limiter(() => now);
  const take = (limit: Limit) => limiter.ofCaller(limit, callerOf("t"), nowhere, "read");
  for (let number = 0; number < 5; number += 1) assert.equal(take(limitOf("1/s", 10)), undefined);
  const small = limitOf("1/s", 2);
  assert.deepEqual([take(small), take(small)], [undefined, undefined]);
  assert.equal(take(small)?.seconds, 1);
  const large = limitOf("2/s", 100);
  assert.equal(take(large)?.seconds, 1);
  now += 1000;
  assert.deepEqual([take(large), take(large)], [undefined, undefined]);
  assert.notEqual(take(large), undefined);
});

it("of more buckets than the maximum, those used longest ago have their whole burst again, of each kind apart", () => {
  assert.ok(4 * mostBuckets <= 100_000);
  const limiter = new Limiter(() => 0);
  const kinds: Record<string, (number: number) => unknown> = {
    reads: (number) => limiter.ofCaller(limitOf("1/h", 1), callerOf(`t${number}`), nowhere, "read"),
    changes: (number) =>
      limiter.ofCaller(limitOf("1/h", 1, "changes"), callerOf(`t${number}`), nowhere, "read"),
    routes: (number) =>
      limiter.ofCaller(limitOf("1/h", 1, "/bundle"), callerOf(`t${number}`), nowhere, "read"),
    "public tokens": (number) =>
      limiter.ofCaller(
        limitOf("1/h", 1, "/dogs"),
        callerOf("p", null),
        { address: addressOf(number) },
        "read",
      ),
    networks: (number) => limiter.ofNetwork(limitOf("1/h", 1, "unknown"), { address: addressOf(number) }),
  };
  const separate = ["reads", "changes", "routes", "networks"];
  for (const kind of separate) assert.equal(kinds[kind]?.(0), undefined, kind);
  for (const kind of separate) {
    for (let number = 1; number < mostBuckets; number += 1) kinds[kind]?.(number);
    assert.notEqual(kinds[kind]?.(0), undefined, `${kind} evict none within the maximum`);
    for (let number = 1; number <= mostBuckets; number += 1) kinds[kind]?.(number);
    assert.equal(kinds[kind]?.(0), undefined, `${kind} were forgotten`);
    for (const other of separate) {
      assert.notEqual(kinds[other]?.(0), undefined, `${kind} evict none of ${other}`);
    }
  }
  for (let number = 0; number < mostBuckets; number += 1) kinds["public tokens"]?.(number);
  assert.equal(kinds.routes?.(0), undefined, "limits of routes share their maximum");
});

it("reads a client's address only where it counts", () => {
  const limiter = new Limiter(() => 0);
  const hidden = {
    get address(): string {
      throw new Error("the address is read");
    },
  };
  assert.equal(limiter.ofCaller(limitOf("1/h", 1), callerOf("t"), hidden, "read"), undefined);
  assert.throws(() => limiter.ofCaller(limitOf("1/h", 1), callerOf("p", null), hidden, "read"), /is read/);
  assert.throws(() => limiter.ofNetwork(limitOf("1/h", 1, "unknown"), hidden), /is read/);
});

function addressOf(number: number): string {
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
}
