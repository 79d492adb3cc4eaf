/** `audit statistics`: players who exceed the limits of the table, and closed cases. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { model } from "../../src/domain/model.ts";
import { Store } from "../../src/store/store.ts";
import { assertIncludes } from "../_setup.ts";
import { ada, adaKey, cells, deskWithHistory } from "./_history.ts";
import { type Desk, type IssuedDocument, linesOf } from "./_setup.ts";

describe("audit statistics", () => {
  const start = Date.parse("2026-11-21T12:00:00Z");

  /** Returns a desk on which Ada has added so many kills within so many minutes. */
  async function deskWithKills(t: TestContext, count: number, minutes: number): Promise<Desk> {
    const desk = await deskWithHistory(t);
    let now = start;
    const store = await Store.open({ folder: desk.data, model, now: () => now });
    for (let added = 1; added <= count; added += 1) {
      const change = store.change({ who: adaKey, operation: "statistic.add" }, (draft) => {
        const counters = { deaths: 0, kills: added, playTime: 0, revives: 0, services: 0 };
        draft.statistics.put({ uuid: adaKey, ...counters });
      });
      await change;
      now += (minutes * 60_000) / count;
    }
    await store.close();
    return desk;
  }

  it("when a player exceeds a limit, it lists the player, the type, the count and the start", async (t) => {
    const desk = await deskWithKills(t, 125, 50);
    const { exitCode, stdout, stderr } = await desk.run(["audit", "statistics"]);
    assert.equal(exitCode, 0);
    assert.deepEqual(
      linesOf(stdout).map((line) => line.split("\t")),
      [["Ada", "KILL", "125", "120", "2026-11-21T12:00:00.000Z", "125"]],
    );
    assertIncludes(stderr, "player reset-statistic");
    assertIncludes(stderr, "player exclude");
    assert.deepEqual(await desk.json("audit", "statistics"), [
      { player: "Ada", uuid: adaKey, type: "KILL", count: 125, limit: 120, began: start, total: 125 },
    ]);
    const { stdout: table } = await desk.run(["audit", "statistics"], {
      terminal: true,
      env: { NO_COLOR: "1" },
    });
    assert.match(
      table,
      /^PLAYER +TYPE +IN 60 MINUTES +LIMIT +BEGAN +TOTAL\nAda +KILL +125 +120 +2026\S+ +125\n$/,
    );
  });

  it("when a case is closed, it is no longer listed, until that is undone", async (t) => {
    const desk = await deskWithKills(t, 125, 50);
    assert.equal(await desk.ok("audit", "statistics", "--close", "ada"), "Closed the case of Ada: KILL.\n");
    assert.deepEqual(await desk.json("audit", "statistics"), []);
    const [[number = "", ...shown] = []] = await cells(desk, "--limit", "1");
    assert.deepEqual(shown.slice(0, 3), ["operator", "audit.statistics", "closedCases"]);
    await desk.ok("undo", number);
    assert.equal((await desk.json<unknown[]>("audit", "statistics")).length, 1);
  });

  it("when the player has been removed, the case can still be closed", async (t) => {
    const desk = await deskWithKills(t, 125, 50);
    await desk.ok("player", "remove", "Ada", "--yes");
    await desk.ok("audit", "statistics", "--close", ada);
    assert.deepEqual(await desk.json("audit", "statistics"), []);
    assertIncludes(await desk.ok("data", "verify"), "no problems");
  });

  it("when there is no such case, it fails and suggests the nearest player", async (t) => {
    const desk = await deskWithKills(t, 125, 50);
    assertIncludes(await desk.fails("audit", "statistics", "--close", "Adda"), 'Did you mean "Ada"?');
    await desk.ok("audit", "statistics", "--close", "Ada");
    assertIncludes(await desk.fails("audit", "statistics", "--close", "Ada"), 'No open case matches "Ada"');
  });

  it("when nobody exceeds a limit, it reports that", async (t) => {
    const desk = await deskWithKills(t, 125, 100);
    const { exitCode, stdout, stderr } = await desk.run(["audit", "statistics"]);
    assert.deepEqual([exitCode, stdout], [0, ""]);
    assert.match(stderr, /^Nobody exceeded a limit/);
    assert.deepEqual(await desk.json("audit", "statistics"), []);
  });

  it("when the table has other limits, those apply", async (t) => {
    const desk = await deskWithKills(t, 5, 50);
    const table = await readFile(join(desk.folder, "routes.yaml"), "utf8");
    await desk.write("routes.yaml", table.replace(/KILL: 120/, "KILL: 4"));
    assert.match(await desk.ok("audit", "statistics"), /^Ada\tKILL\t5\t4\t/);
    await desk.write("routes.yaml", table.replace(/watch:\n {2}statistic\.add.*\n/, ""));
    const { exitCode, stderr } = await desk.run(["audit", "statistics"]);
    assert.equal(exitCode, 0);
    assertIncludes(stderr, "has no limits");
    await desk.write("routes.yaml", table.replace(/KILL: 120/, "KILLS: 4"));
    assertIncludes(await desk.fails("audit", "statistics"), 'Did you mean "KILL"?');
  });

  it("when a filter of audit is given, it is wrong usage", async (t) => {
    const desk = await deskWithHistory(t);
    await desk.misused("audit", "--limit", "3", "statistics");
    await desk.misused("audit", "statistics", "--player", "Ada");
  });

  it("when additions come through the service, they count, repeated requests only once", async (t) => {
    const desk = await deskWithHistory(t);
    const table = await readFile(join(desk.folder, "routes.yaml"), "utf8");
    await desk.write("routes.yaml", table.replace(/REVIVE: 60/, "REVIVE: 2"));
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await desk.withService(async (service) => {
      const url = `http://localhost/gameaddon/v1/${token}/statistic/Ada/add?type=revive`;
      for (const key of ["a", "b", "b", "c", "c"]) {
        await service.fetch(new Request(url, { headers: { "Idempotency-Key": key } }));
      }
    });
    const [excess] = await desk.json<{ type: string; count: number }[]>("audit", "statistics");
    assert.deepEqual([excess?.type, excess?.count], ["REVIVE", 3]);
  });
});
