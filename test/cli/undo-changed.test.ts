/** `undo` of a change whose records have changed since: the named obstacles, and `--except-changed`. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { describeObstacles } from "../../src/operator/undo.ts";
import { assertIncludes } from "../_setup.ts";
import { changeOf, recordOf } from "../audit/_history.ts";
import { type Desk, type FailureDocument, seededDesk } from "./_setup.ts";

async function lastNumber(desk: Desk): Promise<string> {
  return String((await desk.json<{ number: number }>("audit", "--limit", "1")).number);
}

async function wanted(desk: Desk): Promise<string[]> {
  return (await desk.json<{ reason: string }[]>("call", "/wantedreason")).map(({ reason }) => reason);
}

/** Restores two wanted reasons, and removes one of them. Returns the numbers of both changes. */
async function correctedRestore(desk: Desk): Promise<[restore: string, later: string]> {
  await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10");
  await desk.ok("call", "/wantedreason/add", "reason=Arson", "points=20");
  const good = await lastNumber(desk);
  await desk.ok("call", "/wantedreason/remove", "reason=Theft");
  await desk.ok("call", "/wantedreason/remove", "reason=Arson");
  await desk.ok("data", "restore", "--at", `#${good}`, "--yes");
  const restore = await lastNumber(desk);
  await desk.ok("call", "/wantedreason/remove", "reason=Arson");
  return [restore, await lastNumber(desk)];
}

for (const beside of [false, true]) {
  const open = async (t: TestContext) => {
    const desk = await seededDesk(t);
    if (beside) await desk.serve().shows(/Listening on/);
    return desk;
  };
  describe(`undo of a change with records that have changed since, ${beside ? "beside a service" : "offline"}`, () => {
    it("undoes nothing, and suggests --except-changed", async (t) => {
      const desk = await open(t);
      const [restore, later] = await correctedRestore(desk);
      const failure = await desk.failsAs<FailureDocument>("undo", restore);
      assert.equal(failure.code, "CONFLICT");
      assertIncludes(failure.info, `has since been changed by change ${later} (wantedreason.remove).`);
      assertIncludes(failure.hint ?? "", `\`addon-cli undo ${restore} --except-changed\``);
      assert.deepEqual(await wanted(desk), ["Theft"]);
    });

    it("undoes the other records with --except-changed, and says what it left and why", async (t) => {
      const desk = await open(t);
      const [restore, later] = await correctedRestore(desk);
      const info =
        `Undid change ${restore} (data.restore), except for 1 of 2 records: ` +
        `the wanted reason Arson has since been changed by change ${later} (wantedreason.remove).`;
      assert.deepEqual(await desk.json("undo", restore, "--except-changed"), { info, left: 1 });
      assert.deepEqual(await wanted(desk), []);
    });

    it("undoes everything with --except-changed where nothing has changed", async (t) => {
      const desk = await open(t);
      await desk.ok("call", "/wantedreason/add", "reason=Theft", "points=10");
      const number = await lastNumber(desk);
      assert.deepEqual(await desk.json("undo", number, "--except-changed"), {
        info: `Undid change ${number} (wantedreason.add).`,
      });
    });

    it("leaves what needs a record that it leaves: a membership does not come back without its player", async (t) => {
      const desk = await open(t);
      await desk.ok("player", "add", "Ada", "--member", "GROVE:1");
      await desk.ok("player", "remove", "Ada", "--yes");
      const removal = await lastNumber(desk);
      await desk.ok("player", "add", "Ada");
      const failure = await desk.failsAs<FailureDocument>("undo", removal, "--except-changed");
      assert.equal(failure.code, "CONFLICT");
      assert.match(failure.info, /the player \w+ now has the name Ada/);
      assert.match(failure.info, /the player of the membership \w+ \(\w+\) is no longer registered/);
      assert.doesNotMatch(failure.hint ?? "", /--except-changed/);
      assert.equal((await desk.json<unknown[]>("player", "list")).length, 1);
    });
  });
}

describe("the obstacles of an undo", () => {
  const change = changeOf("statistics", "ada", null, {});
  const obstacle = { change, why: undefined };

  it("are five changes of a hundred thousand, and how many more", async () => {
    async function* history() {
      for (let sequence = 2; sequence <= 100_001; sequence += 1) {
        yield recordOf([change], { sequence, operation: "statistic.add" });
      }
    }
    const named = [2, 3, 4, 5, 6].map((sequence) => `change ${sequence} (statistic.add)`).join(", ");
    const expected = `the statistic ada has since been changed by ${named}, 99995 more`;
    assert.equal(await describeObstacles([obstacle], history(), () => undefined), expected);
  });

  it("are five records of more, without the changes of others", async () => {
    async function* history() {
      yield recordOf([changeOf("statistics", "bob", null, {}), changeOf("players", "ada", null, {})]);
    }
    const words = await describeObstacles(
      Array.from({ length: 7 }, () => obstacle),
      history(),
      () => undefined,
    );
    const one = "the statistic ada has since been changed";
    assert.equal(words, `${[one, one, one, one, one].join("; ")}; and 2 more records`);
  });
});
