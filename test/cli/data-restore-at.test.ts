/** `data restore --at` an instant, a change, and after the clock went backwards. */
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Service } from "../../src/service.ts";
import { shippedRoutes } from "../_setup.ts";
import { deskWithPast, players, type VerifyDocument } from "./_data.ts";
import { type Desk, emptyDesk } from "./_setup.ts";

/** Returns a desk with a player for each instant, registered in that order. */
async function deskWithClock(t: TestContext, ...instants: readonly string[]): Promise<Desk> {
  const desk = await emptyDesk(t);
  await copyFile(shippedRoutes, join(desk.folder, "routes.yaml"));
  let time = Date.parse(instants[0] ?? "");
  const service = await Service.open({ folder: desk.data, routes: shippedRoutes, now: () => time });
  for (const [index, instant] of instants.entries()) {
    time = Date.parse(instant);
    await service.administer("player.add", { name: `P${index + 1}` });
  }
  await service.close();
  return desk;
}

describe("data restore --at", () => {
  it("restores the data behind the last change at or before an instant, or behind a change by its number", async (t) => {
    for (const [moment, expected] of [
      ["2026-03-01T13:30:00Z", ["Ada", "Bob"]],
      ["2026-03-01T14:00:00+01:00", ["Ada", "Bob"]],
      [String(Date.parse("2026-03-01T12:59:59.999Z")), ["Ada"]],
      ["2026-03-01T14:00:00Z", ["Ada", "Bob", "Cleo"]],
      ["#3", ["Ada", "Bob"]],
      ["#2", ["Ada"]],
    ] as const) {
      const desk = await deskWithPast(t);
      await desk.ok("data", "restore", "--at", moment, "--yes");
      assert.deepEqual(await players(desk), expected, moment);
      assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    }
  });

  it("says which change that is, and changes nothing where nothing was changed since", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    const { stdout, stderr } = await desk.run(["data", "restore", "--at", "2026-03-01T14:30:00Z"]);
    assert.match(stderr, /^Change 4 is the last one at or before 2026-03-01T14:30:00\.000Z\.$/m);
    assert.match(stdout, /^The data behind change 4: nothing would change\.$/m);
    assert.deepEqual(await desk.files(), before);
  });

  it("prints the restored change and the new one as JSON", async (t) => {
    const desk = await deskWithPast(t);
    const moment = "2026-03-01T13:30:00Z";
    for (const [flag, made] of [
      ["--dry-run", null],
      ["--yes", 5],
    ] as const) {
      const { kind, at, sequence } = await desk.json<{ kind: string; at: number; sequence: number | null }>(
        "data",
        "restore",
        "--at",
        moment,
        flag,
      );
      assert.deepEqual({ kind, at, sequence }, { kind: "moment", at: 3, sequence: made });
    }
  });

  it("refuses a moment before the data, to come, or that is none", async (t) => {
    const desk = await deskWithPast(t);
    const before = await desk.files();
    for (const [moment, expected] of [
      ["2026-02-01T00:00:00Z", /There was no data/],
      ["#5", /There is no change 5 yet; the last one is 4/],
    ] as const) {
      assert.match(await desk.fails("data", "restore", "--at", moment, "--yes"), expected);
    }
    assert.match(
      await desk.misused("data", "restore", "--at", "2999-01-01T00:00:00Z"),
      /--at.*in the future/,
    );
    for (const moment of ["yesterday", "2026-03-01T12", "#0", "#-1", "#1.5", "#"]) {
      assert.match(
        await desk.misused("data", "restore", "--at", moment, "--yes"),
        /--at.*a duration such as 2h.*#42/,
      );
    }
    assert.match(await desk.misused("data", "restore"), /one of <file> and --at/);
    assert.match(await desk.misused("data", "restore", "b.gz", "--at", "0"), /one of <file> and --at/);
    assert.deepEqual(await desk.files(), before);
  });

  it("reaches back to the snapshot that the journal begins with", async (t) => {
    const desk = await deskWithPast(t);
    await desk.ok("data", "backup", "b.gz");
    await desk.ok("--data", "copy", "data", "restore", "b.gz");
    const moment = new Date().toISOString();
    await desk.ok("--data", "copy", "player", "remove", "Ada", "--yes");
    await desk.ok("--data", "copy", "data", "restore", "--at", moment, "--yes");
    const names = await desk.json<unknown[]>("--data", "copy", "player", "list");
    assert.equal(names.length, 3);
  });
});

describe("where the clock went backwards", () => {
  const days = [
    "2026-03-01T12:00:00Z",
    "2026-03-03T12:00:00Z",
    "2026-03-01T12:01:00Z",
    "2026-03-01T12:02:00Z",
  ];

  it("--at leaves out no change that came before, and reports that", async (t) => {
    const desk = await deskWithClock(t, ...days);
    const ran = await desk.run(["data", "restore", "--at", "2026-03-01T12:01:30Z", "--yes"]);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /Change 3 is the last one at or before 2026-03-01T12:01:30/);
    assert.match(ran.stderr, /warning: The clock went backwards at change 3\. 1 change before it/);
    assert.deepEqual(await players(desk), ["P1", "P2", "P3"]);
  });

  it("--at takes a change by its number, whatever its instant", async (t) => {
    const desk = await deskWithClock(t, ...days);
    await desk.ok("data", "restore", "--at", "#2", "--yes");
    assert.deepEqual(await players(desk), ["P1", "P2"]);
  });

  it("a start and `data verify` warn, and name the change", async (t) => {
    const desk = await deskWithClock(t, ...days);
    const warning =
      /The clock went backwards by more than a minute at change 3 \(2026-03-01T12:01:00\.000Z, after 2026-03-03T12:00:00\.000Z\)/;
    assert.match((await desk.run(["data", "verify"])).stderr, warning);
    assert.equal((await desk.json<VerifyDocument>("data", "verify")).ok, true);
    assert.match((await desk.run(["player", "add", "Ada"])).stderr, warning);
  });

  it("by a minute or less, there is no warning", async (t) => {
    const desk = await deskWithClock(t, "2026-03-01T12:01:00Z", "2026-03-01T12:00:00Z");
    assert.equal((await desk.run(["data", "verify"])).stderr, "");
  });

  it("more than five times the first five are named, and the others counted", async (t) => {
    const ups = Array.from({ length: 7 }, () => ["2026-03-02T12:00:00Z", "2026-03-01T12:00:00Z"]).flat();
    const desk = await deskWithClock(t, ...ups);
    const { stderr } = await desk.run(["data", "verify"]);
    assert.equal(stderr.match(/change \d+ \(/g)?.length, 5);
    assert.match(stderr, / and 2 more:/);
  });
});
