/** Live events (specification, section 4.10; contract, section 3). */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertFailure, Clock, day, describeOverTransports, openWorld } from "../_setup.ts";

/** What the clock of a test's world says. */
const noon = new Clock().time;
const minute = 60_000;
const hour = 60 * minute;
const nothing = { bankRob: null, bomb: null, gangwar: { attacker: 0, defender: 0 } };

describeOverTransports("/event", (transport) => {
  it("knows of no event at first, and of a score of 0 to 0", async (t) => {
    const world = await openWorld(t, { transport });
    assert.deepEqual(await world.ok(world.publicToken, "/event"), nothing);
  });

  it("a bank robbery and a bomb are each of their own", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Ada");
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
  describeOverTransports(path, (transport) => {
    it("the latest start counts, in whatever order the starts are told", async (t) => {
      const world = await openWorld(t, { transport });
      const { token } = await world.player("Ada");
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
      it(`takes ${startTime} as ${instant} milliseconds since 1970`, async (t) => {
        const world = await openWorld(t, { transport });
        const { token } = await world.player("Ada");
        world.clock.time = instant;
        await world.ok(token, path, { startTime });
        assert.equal((await world.ok(token, "/event"))[field], instant);
      });
    }

    it("a start can be one hour ahead of the server's clock, and not a millisecond more", async (t) => {
      const world = await openWorld(t, { transport });
      const { token } = await world.player("Ada");
      for (const startTime of [noon + hour + 1, noon + day, 8_640_000_000_000_000]) {
        const answer = await world.get(token, path, { startTime });
        assertFailure(answer, 400, "PARAMETER_INVALID", "startTime");
        assert.match(answer.body.info, /one hour ahead/);
      }
      assert.deepEqual(await world.ok(token, "/event"), nothing);
      await world.ok(token, path, { startTime: noon + hour });
      assert.equal((await world.ok(token, "/event"))[field], noon + hour);
    });

    it("a start that is still in the future gives way to any other", async (t) => {
      const world = await openWorld(t, { transport });
      const { token } = await world.player("Ada");
      await world.ok(token, path, { startTime: noon + hour });
      for (const startTime of [noon + minute, noon - hour, noon]) {
        await world.ok(token, path, { startTime });
        assert.equal((await world.ok(token, "/event"))[field], startTime);
      }
      // What has begun by now is not in the future.
      await world.ok(token, path, { startTime: noon - 1 });
      assert.equal((await world.ok(token, "/event"))[field], noon);
    });

    it("a start that was in the future when it was reported counts once it has come", async (t) => {
      const world = await openWorld(t, { transport });
      const { token } = await world.player("Ada");
      await world.ok(token, path, { startTime: noon + minute });
      world.clock.advance(minute);
      await world.ok(token, path, { startTime: noon });
      assert.equal((await world.ok(token, "/event"))[field], noon + minute);
    });

    it("a start of older data, far in the future, gives way to the next report", async (t) => {
      const world = await openWorld(t, { transport });
      const { token } = await world.player("Ada");
      await world.service.store.change({ who: "operator", operation: "event" }, (draft) =>
        draft.events.put({ kind: field, startTime: 8_640_000_000_000_000 }),
      );
      await world.ok(token, path, { startTime: noon });
      assert.equal((await world.ok(token, "/event"))[field], noon);
    });

    it("refuses what is no instant, or one without a zone, and says what was expected", async (t) => {
      const world = await openWorld(t, { transport });
      const { token } = await world.player("Ada");
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

describeOverTransports("/event/gangwar", (transport) => {
  it("sets the score, up and down, and repeating it is harmless", async (t) => {
    const world = await openWorld(t, { transport });
    const token = world.publicToken;
    for (const [attacker, defender] of [
      [3, 2],
      [3, 2],
      [2147483647, 0],
      [0, 2147483647],
      [0, 0],
    ] as const) {
      const { info } = await world.ok(token, "/event/gangwar", { attacker, defender });
      assert.match(
        info,
        new RegExp(`^The score is (?:now ${attacker} to ${defender}|${attacker} to ${defender} already)\\.$`),
      );
      assert.deepEqual(await world.ok(token, "/event"), { ...nothing, gangwar: { attacker, defender } });
    }
  });

  it("scores are whole numbers from 0 on, and both are needed", async (t) => {
    const world = await openWorld(t, { transport });
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
