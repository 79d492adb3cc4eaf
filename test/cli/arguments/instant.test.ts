/** Instants on the command line: durations, dates, and times with and without a zone. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { parseInstant } from "../../../cli/arguments/instant.ts";

const now = Date.UTC(2026, 10, 23, 12);
const hour = 3_600_000;

/** Parses a text in a zone. Returns the instant, and what the answer says of the zone. */
function parseIn(t: TestContext, zone: string, text: string, direction: "ago" | "ahead" = "ago") {
  const { TZ } = process.env;
  process.env.TZ = zone;
  t.after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });
  const remarks: string[] = [];
  t.mock.timers.enable({ apis: ["Date"], now });
  const instant = parseInstant(text, direction, { remark: (remark) => remarks.push(remark) });
  t.mock.timers.reset();
  return { instant, remarks };
}

describe("an instant on the command line", () => {
  for (const [text, direction, expected] of [
    ["2h", "ago", now - 2 * hour],
    ["2h ago", "ago", now - 2 * hour],
    ["45m", "ahead", now + 0.75 * hour],
    ["30d", "ahead", now + 720 * hour],
    ["1w", "ago", now - 168 * hour],
    ["1700000000000", "ago", 1_700_000_000_000],
    ["8640000000000000", "ago", 8_640_000_000_000_000],
    ["2026-11-23T01:00Z", "ago", Date.UTC(2026, 10, 23, 1)],
    ["2026-11-23 01:00:30+02:00", "ago", Date.UTC(2026, 10, 22, 23, 0, 30)],
  ] as const) {
    it(`may be "${text}" (${direction}), the same in every zone`, (t) => {
      for (const zone of ["UTC", "America/New_York"])
        assert.deepEqual(parseIn(t, zone, text, direction), { instant: expected, remarks: [] });
    });
  }

  for (const [zone, text, expected] of [
    ["Europe/Berlin", "2026-11-23", "2026-11-22T23:00:00.000Z"],
    ["Europe/Berlin", "2026-07-01 18:00", "2026-07-01T16:00:00.000Z"],
    ["America/New_York", "2026-11-23T18:00:01.5", "2026-11-23T23:00:01.500Z"],
    // The clock skips the first hour of this day.
    ["Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z"],
    // The first of the two hours.
    ["Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ] as const) {
    it(`"${text}" without a zone is in that of the machine, ${zone}, and the answer says so`, (t) => {
      const { instant, remarks } = parseIn(t, zone, text);
      assert.equal(new Date(instant).toISOString(), expected);
      assert.deepEqual(remarks, [`Without a zone, "${text}" is a time in ${zone}: ${expected}.`]);
    });
  }

  it("without a zone is in UTC where TZ names no zone, and the answer says so", (t) => {
    const { remarks } = parseIn(t, "No/Where", "2026-11-23");
    assert.deepEqual(remarks, [`Without a zone, "2026-11-23" is a time in UTC: 2026-11-23T00:00:00.000Z.`]);
  });

  for (const [text, why] of [
    ["2026-02-30", /There is no such day/],
    ["2026-02-29T12:00", /There is no such day/],
    ["2026-13-01", /There is no such day/],
    ["2026-11-23T25:00", /There is no such day or time/],
    ["2026-03-29T02:30", /There is no such day or time in this machine's zone/],
    ["2026-02-30T12:00Z", /^Expected a duration such as 2h or 30d/],
    ["8640000000000001", /^Expected a duration/],
    ["0d", /^Expected a duration/],
    ["9999999999999d", /^Expected a duration/],
    ["2 h", /^Expected a duration/],
    ["", /^Expected a duration/],
  ] as const) {
    it(`is refused if it is "${text}"`, (t) => {
      assert.throws(() => parseIn(t, "Europe/Berlin", text), { message: why });
    });
  }
});
