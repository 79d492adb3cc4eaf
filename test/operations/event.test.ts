/** Live events. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, Clock, day, openAs, openWorld } from "../_setup.ts";

/** The time of a test's clock. */
const noon = new Clock().time;
const minute = 60_000;
const hour = 60 * minute;
const nothing = { bankRob: null, bomb: null, gangwar: { attacker: 0, defender: 0 } };

describe("/event", () => {
  it("/event answers no events and a score of 0 to 0 at first", async (t) => {
    const world = await openWorld(t);
    assert.deepEqual(await world.ok(world.publicToken, "/event"), nothing);
  });

  it("/event stores the starts of a bank robbery and of a bomb separately", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    await world.ok(token, "/event/bankrob", { startTime: noon });
    const robbed = { ...nothing, bankRob: noon };
    assert.deepEqual(await world.ok(token, "/event"), robbed);
    await world.ok(token, "/event/bomb", { startTime: noon + minute });
    assert.deepEqual(await world.ok(token, "/event"), { ...robbed, bomb: noon + minute });
  });
});

for (const [path, field] of [
  ["/event/bankrob", "bankRob"],
  ["/event/bomb", "bomb"],
] as const) {
  describe(path, () => {
    it(`${path} stores the latest start, in whatever order the starts are reported`, async (t) => {
      const { world, token } = await openAs(t, "Ada");
      for (const [startTime, latest] of [
        [noon - hour, noon - hour],
        [noon - hour, noon - hour],
        [noon, noon],
        [noon - hour, noon],
      ] as const) {
        await world.ok(token, path, { startTime });
        assert.equal((await world.ok(token, "/event"))[field], latest);
      }
    });

    it(`${path} parses milliseconds since 1970 and ISO 8601 in any zone`, async (t) => {
      for (const [startTime, instant] of [
        ["0", 0],
        ["1795284000000", 1_795_284_000_000],
        ["2026-11-21T18:00:00Z", 1_795_284_000_000],
        ["2026-11-21T19:00:00+01:00", 1_795_284_000_000],
        ["2026-11-21T13:30:00-04:30", 1_795_284_000_000],
        ["2026-11-22T00:00:00+06:00", 1_795_284_000_000],
        ["2026-11-21T18:00:00.250Z", 1_795_284_000_250],
        ["2028-02-29T00:00:00Z", 1_835_395_200_000],
      ] as const) {
        const { world, token } = await openAs(t, "Ada");
        world.clock.time = instant;
        await world.ok(token, path, { startTime });
        assert.equal((await world.ok(token, "/event"))[field], instant, startTime);
      }
    });

    it(`${path} accepts a start up to one hour ahead of the clock, and not a millisecond more`, async (t) => {
      const { world, token } = await openAs(t, "Ada");
      for (const startTime of [noon + hour + 1, noon + day, 8_640_000_000_000_000]) {
        const answer = await world.get(token, path, { startTime });
        assertFailure(answer, 400, "PARAMETER_INVALID", "startTime");
        assert.match(answer.body.info, /one hour ahead/);
      }
      assert.deepEqual(await world.ok(token, "/event"), nothing);
      await world.ok(token, path, { startTime: noon + hour });
      assert.equal((await world.ok(token, "/event"))[field], noon + hour);
    });

    it(`${path} replaces a start in the future by one that is at most an hour old, and by no older one`, async (t) => {
      const { world, token } = await openAs(t, "Ada");
      await world.ok(token, path, { startTime: noon + hour });
      for (const startTime of [noon + minute, noon + 2 * minute, noon + 1]) {
        await world.ok(token, path, { startTime });
        assert.equal((await world.ok(token, "/event"))[field], startTime);
      }
      for (const startTime of [0, 1, noon - hour - 1]) {
        const { info } = await world.ok(token, path, { startTime });
        assert.match(info, /^A later .+ is already known\.$/);
        assert.equal((await world.ok(token, "/event"))[field], noon + 1);
      }
      await world.ok(token, path, { startTime: noon - hour });
      assert.equal((await world.ok(token, "/event"))[field], noon - hour);
      await world.ok(token, path, { startTime: noon });
      // The start has passed.
      await world.ok(token, path, { startTime: noon - 1 });
      assert.equal((await world.ok(token, "/event"))[field], noon);
    });

    it(`${path} keeps a start that was in the future when reported and has passed since`, async (t) => {
      const { world, token } = await openAs(t, "Ada");
      await world.ok(token, path, { startTime: noon + minute });
      world.clock.advance(minute);
      await world.ok(token, path, { startTime: noon });
      assert.equal((await world.ok(token, "/event"))[field], noon + minute);
    });

    it(`${path} replaces a start of older data, far in the future, by the next report`, async (t) => {
      const { world, token } = await openAs(t, "Ada");
      await world.service.store.change({ who: "operator", operation: "event" }, (draft) =>
        draft.events.put({ kind: field, startTime: 8_640_000_000_000_000 }),
      );
      await world.ok(token, path, { startTime: noon });
      assert.equal((await world.ok(token, "/event"))[field], noon);
    });

    it(`${path} refuses a start that is not an instant or has no zone`, async (t) => {
      const { world, token } = await openAs(t, "Ada");
      for (const startTime of [
        "",
        "now",
        "-1",
        "1.5",
        "99999999999999999999",
        "2026-11-21",
        "2026-11-21T18:00:00",
        "2026-11-21 18:00:00Z",
        "2026-02-30T18:00:00Z",
        "2027-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-11-21T25:00:00Z",
        "2026-11-21T18:60:00Z",
        "18:00",
        "21.11.2026 18:00",
        "2026-11-21T18:00:00 Europe/Berlin",
      ]) {
        const answer = await world.get(token, path, { startTime });
        assertFailure(answer, 400, "PARAMETER_INVALID", "startTime");
        assert.match(`${answer.body.info} ${answer.body.hint}`, /milliseconds since 1970/);
        assert.match(`${answer.body.info} ${answer.body.hint}`, /ISO 8601/);
      }
      assert.deepEqual(await world.ok(token, "/event"), nothing);
    });
  });
}

describe("/event/gangwar", () => {
  it("/event/gangwar sets the score up and down, and accepts a repetition", async (t) => {
    const world = await openWorld(t);
    const token = world.publicToken;
    for (const [attacker, defender] of [
      [3, 2],
      [3, 2],
      [2147483647, 0],
      [0, 2147483647],
      [0, 0],
    ] as const) {
      const { info } = await world.ok(token, "/event/gangwar", { attacker, defender });
      assert.match(info, new RegExp(`^The score is (?:now|already) ${attacker} to ${defender}\\.$`));
      assert.deepEqual(await world.ok(token, "/event"), { ...nothing, gangwar: { attacker, defender } });
    }
  });

  it("/event/gangwar requires both scores, as whole numbers from 0", async (t) => {
    const world = await openWorld(t);
    const token = world.publicToken;
    await world.ok(token, "/event/gangwar", { attacker: 1, defender: 1 });
    for (const side of ["attacker", "defender"]) {
      for (const value of ["-1", "2147483648", "0.5", "", "many"]) {
        const query = { attacker: "2", defender: "2", [side]: value };
        assertFailure(await world.get(token, "/event/gangwar", query), 400, "PARAMETER_INVALID", side);
      }
    }
    const missing = await world.get(token, "/event/gangwar", { attacker: 2 });
    assertFailure(missing, 400, "PARAMETER_MISSING", "defender");
    assert.deepEqual((await world.ok(token, "/event")).gangwar, { attacker: 1, defender: 1 });
  });
});
