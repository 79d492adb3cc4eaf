/** Live events. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, Clock, day, openAs, openWorld } from "../_setup.ts";

/** The time of a test's clock. */
const noon = new Clock().time;
const minute = 60_000;
const hour = 60 * minute;
const nothing = { bankRob: null, bomb: null, gangwar: { attacker: 0, defender: 0 } };
/** A table with its own events and scores. */
const racing = `
prefix: /gameaddon/v1/{tokenString}
events: { race: { title: race, name: nextRace, lead: 1d }, meeting: { title: meeting, lead: 90min } }
scores: { final: [red, blue, green] }
routes:
  /event: { summary: Returns the events., restriction: open, handler: event.current }
  /event/race: { summary: Announces a race., restriction: identified, handler: event.race }
  /event/meeting: { summary: Announces a meeting., restriction: identified, handler: event.meeting }
  /event/final: { summary: Sets the score., restriction: open, handler: event.final }
`;
const noRace = { nextRace: null, meeting: null, final: { red: 0, blue: 0, green: 0 } };

describe("/event", () => {
  it("/event stores the starts of a bank robbery and of a bomb separately", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    await world.ok(token, "/event/bankrob", { startTime: noon });
    assert.deepEqual(await world.ok(token, "/event"), { ...nothing, bankRob: noon });
    await world.ok(token, "/event/bomb", { startTime: noon + minute });
    assert.deepEqual(await world.ok(token, "/event"), { ...nothing, bankRob: noon, bomb: noon + minute });
  });
});

for (const { path, field, lead, words, none, options } of [
  { path: "/event/bankrob", field: "bankRob", lead: hour, words: "one hour", none: nothing, options: {} },
  {
    ...{ path: "/event/race", field: "nextRace", lead: day, words: "one day", none: noRace },
    options: { routes: racing },
  },
]) {
  describe(path, () => {
    it(`${path} stores the latest start, in whatever order the starts are reported`, async (t) => {
      const { world, token } = await openAs(t, "Ada", {}, options);
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
        const { world, token } = await openAs(t, "Ada", {}, options);
        world.clock.time = instant;
        await world.ok(token, path, { startTime });
        assert.equal((await world.ok(token, "/event"))[field], instant, startTime);
      }
    });

    it(`${path} accepts a start up to ${words} ahead of the clock, and not a millisecond more`, async (t) => {
      const { world, token } = await openAs(t, "Ada", {}, options);
      for (const startTime of [noon + lead + 1, noon + 2 * day, 8_640_000_000_000_000]) {
        const answer = await world.get(token, path, { startTime });
        assertFailure(answer, 400, "PARAMETER_INVALID", "startTime");
        assert.match(answer.body.info, new RegExp(`at most ${words} ahead`));
      }
      assert.deepEqual(await world.ok(token, "/event"), none);
      await world.ok(token, path, { startTime: noon + lead });
      assert.equal((await world.ok(token, "/event"))[field], noon + lead);
    });

    it(`${path} replaces a start in the future by one that is at most an hour old, and by no older one`, async (t) => {
      const { world, token } = await openAs(t, "Ada", {}, options);
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
      const { world, token } = await openAs(t, "Ada", {}, options);
      await world.ok(token, path, { startTime: noon + minute });
      world.clock.advance(minute);
      await world.ok(token, path, { startTime: noon });
      assert.equal((await world.ok(token, "/event"))[field], noon + minute);
    });

    it(`${path} replaces a start of older data, far in the future, by the next report`, async (t) => {
      const { world, token } = await openAs(t, "Ada", {}, options);
      await world.service.store.change({ who: "operator", operation: "event" }, (draft) =>
        draft.events.put({ kind: field, startTime: 8_640_000_000_000_000 }),
      );
      await world.ok(token, path, { startTime: noon });
      assert.equal((await world.ok(token, "/event"))[field], noon);
    });

    it(`${path} refuses a start that is not an instant or has no zone`, async (t) => {
      const { world, token } = await openAs(t, "Ada", {}, options);
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
      assert.deepEqual(await world.ok(token, "/event"), none);
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

describe("events and scores of a table", () => {
  it("are all in /event, with those of their names alone", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { routes: racing });
    assert.deepEqual(await world.ok(token, "/event"), noRace);
    const { info } = await world.ok(token, "/event/final", { red: 3, blue: 0, green: 1 });
    assert.equal(info, "The score is now 3 to 0 to 1.");
    const late = await world.get(token, "/event/meeting", { startTime: noon + 90 * minute + 1 });
    assert.match(late.body.info, /at most 90 minutes ahead/);
    await world.ok(token, "/event/meeting", { startTime: noon + 90 * minute });
    assert.deepEqual(await world.ok(token, "/event"), {
      ...{ nextRace: null, meeting: noon + 90 * minute },
      final: { red: 3, blue: 0, green: 1 },
    });
  });

  it("of before are those of the same name: a score without one is that of the gang war", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    await world.service.store.change({ who: "operator", operation: "before" }, (draft) =>
      draft.scores.put({ attacker: 4, defender: 1 }),
    );
    assert.deepEqual(await world.ok(token, "/event"), { ...nothing, gangwar: { attacker: 4, defender: 1 } });
    const { info } = await world.ok(token, "/event/gangwar", { attacker: 4, defender: 1 });
    assert.equal(info, "The score is already 4 to 1.");
  });
});
