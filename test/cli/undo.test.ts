/** `undo`: its effects and obstacles, offline and beside a running service. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { model } from "../../src/domain/model.ts";
import { Store } from "../../src/store/store.ts";
import { assertIncludes, day } from "../_setup.ts";
import { describeBothWays } from "./_both-ways.ts";
import {
  type Desk,
  emptyDesk,
  type FailureDocument,
  type IssuedDocument,
  linesOf,
  type PlayerDocument,
  seededDesk,
} from "./_setup.ts";

/** Returns the number of the newest change that is not internal. */
async function lastNumber(desk: Desk): Promise<string> {
  return String((await desk.json<{ number: number }>("audit", "--limit", "1")).number);
}

/** Undoes the newest change. */
async function undoLast(desk: Desk): Promise<string> {
  return desk.ok("undo", await lastNumber(desk));
}

async function read(desk: Desk, path: string): Promise<unknown> {
  return desk.json("call", path);
}

const theft = ["call", "/wantedreason/add", "reason=Theft", "points=10"] as const;

describeBothWays("undo", (open) => {
  it("when an addition is undone, the record is gone, and the result names the change", async (t) => {
    const desk = await open(t);
    await desk.ok(...theft);
    const number = await lastNumber(desk);
    assert.equal(await desk.ok("undo", number), `Undid change ${number} (wantedreason.add).\n`);
    assert.deepEqual(await read(desk, "/wantedreason"), []);
  });

  it("when --json is given, the result is one document", async (t) => {
    const desk = await open(t);
    await desk.ok(...theft);
    const number = await lastNumber(desk);
    assert.deepEqual(await desk.json("undo", number), { info: `Undid change ${number} (wantedreason.add).` });
  });

  it("when an undo is undone, the change is made again, any number of times", async (t) => {
    const desk = await open(t);
    await desk.ok(...theft);
    for (const expected of [[], [{ reason: "Theft", points: 10 }], []]) {
      await undoLast(desk);
      assert.deepEqual(await read(desk, "/wantedreason"), expected);
    }
  });

  it("when a change was undone, a second undo names the obstacle, and changes nothing", async (t) => {
    const desk = await open(t);
    await desk.ok(...theft);
    const number = await lastNumber(desk);
    await desk.ok("undo", number);
    const stderr = await desk.fails("undo", number);
    assertIncludes(stderr, `Change ${number} cannot be undone`);
    assertIncludes(
      stderr,
      `the wanted reason Theft has since been changed by change ${Number(number) + 1} (undo ${number})`,
    );
    assert.equal(await lastNumber(desk), String(Number(number) + 1));
  });

  it("when the record has changed since, it names all later changes", async (t) => {
    const desk = await open(t);
    await desk.ok("call", "/targetlist/add", "name=Bob");
    const number = Number(await lastNumber(desk));
    await desk.ok("call", "/targetlist/done", "name=Bob");
    await desk.ok("call", "/targetlist/remove", "name=Bob");
    const failure = await desk.failsAs<FailureDocument>("undo", String(number));
    assert.equal(failure.code, "CONFLICT");
    assertIncludes(failure.info, "the target Bob has since been changed");
    assertIncludes(failure.info, `change ${number + 1} (targetlist.done)`);
    assertIncludes(failure.info, `change ${number + 2} (targetlist.remove)`);
    assert.match(failure.hint ?? "", /Undo the later changes first/);
  });

  it("when the record of a player has changed since, it names the player", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "rename", "Ada", "Bea");
    const number = Number(await lastNumber(desk));
    await desk.ok("player", "rename", "Bea", "Cleo");
    assertIncludes(
      await desk.fails("undo", String(number)),
      `the player Cleo has since been changed by change ${number + 1} (player.rename)`,
    );
  });

  it("when the later changes are undone first, the change can be undone", async (t) => {
    const desk = await open(t);
    await desk.ok("call", "/targetlist/add", "name=Bob");
    const number = Number(await lastNumber(desk));
    await desk.ok("call", "/targetlist/done", "name=Bob");
    await desk.ok("undo", String(number + 1));
    await desk.ok("undo", String(number));
    assert.deepEqual(await read(desk, "/targetlist"), []);
  });

  it("when another record has changed since, that is no obstacle", async (t) => {
    const desk = await open(t);
    await desk.ok(...theft);
    const number = await lastNumber(desk);
    await desk.ok("call", "/wantedreason/add", "reason=Arson", "points=20");
    await desk.ok("undo", number);
    assert.deepEqual(await read(desk, "/wantedreason"), [{ reason: "Arson", points: 20 }]);
  });

  it("when the removal of a player is undone, all data of the player is restored", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4", "--member", "RESCUE:2", "--admin");
    await desk.ok("group", "add", "Ada", "VIP");
    const { id } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await desk.ok("call", "/statistic/Ada/set", "type=KILL", "amount=7");
    const before = await desk.json<PlayerDocument>("player", "show", "Ada");
    await desk.ok("player", "remove", "Ada", "--yes");
    assertIncludes(await desk.fails("player", "show", "Ada"), 'no player "Ada"');
    await undoLast(desk);
    const after = await desk.json<PlayerDocument & { tokens: { id: string; state: string }[] }>(
      "player",
      "show",
      "Ada",
    );
    assert.deepEqual(after, before);
    assert.deepEqual(
      after.tokens.map((token) => [token.id, token.state]),
      [[id, "valid"]],
    );
  });

  it("when a house ban is undone, it is gone, and an undone further reason leaves the ban", async (t) => {
    const desk = await open(t);
    await desk.ok("call", "/housebanreason/add", "reason=Spam", "days=3");
    await desk.ok("call", "/housebanreason/add", "reason=Fraud", "days=5");
    await desk.ok("call", "/houseban/add", "name=Bob", "reason=Spam");
    const first = await lastNumber(desk);
    await desk.ok("call", "/houseban/add", "name=Bob", "reason=Fraud");
    assertIncludes(
      await desk.fails("undo", first),
      `the house ban Bob has since been changed by change ${Number(first) + 1}`,
    );
    await undoLast(desk);
    const [ban] = await desk.json<{ duration: number }[]>("call", "/houseban");
    assert.equal(ban?.duration, 3 * day);
    await desk.ok("undo", first);
    assert.deepEqual(await read(desk, "/houseban"), []);
  });

  it("when the removal of a house ban is undone, it ends at its original time", async (t) => {
    const desk = await open(t);
    await desk.ok("call", "/housebanreason/add", "reason=Spam", "days=3");
    await desk.ok("call", "/houseban/add", "name=Bob", "reason=Spam");
    const before = await read(desk, "/houseban");
    await desk.ok("call", "/houseban/remove", "name=Bob", "reason=Spam");
    await undoLast(desk);
    assert.deepEqual(await read(desk, "/houseban"), before);
  });

  it("when the revocation of a token is undone, the token is valid again", async (t) => {
    const desk = await open(t);
    const { id } = await desk.json<IssuedDocument>("token", "issue", "--public", "--label", "page");
    const state = async () =>
      (await desk.json<{ id: string; state: string }[]>("token", "list")).find((each) => each.id === id)
        ?.state;
    await desk.ok("token", "revoke", id);
    assert.equal(await state(), "revoked");
    await undoLast(desk);
    assert.equal(await state(), "valid");
  });

  it("when the issue of a token is undone, there is no such token", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada");
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await undoLast(desk);
    const [listed] = (await desk.json<{ player: string | null }[]>("token", "list")).filter(
      ({ player }) => player === "Ada",
    );
    assert.equal(listed, undefined);
    assert.match(token, /^gat_/);
  });

  it("when the registration of a player with later records is undone, it names them", async (t) => {
    const desk = await open(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:1");
    const number = await lastNumber(desk);
    await desk.ok("token", "issue", "--player", "Ada");
    assertIncludes(await desk.fails("undo", number), "other records refer to the player Ada: 1 token");
    await undoLast(desk);
    await desk.ok("undo", number);
    assertIncludes(await desk.fails("player", "show", "Ada"), 'no player "Ada"');
  });

  it("when there is no such change, it names the last one", async (t) => {
    const desk = await open(t);
    await desk.ok(...theft);
    const number = Number(await lastNumber(desk));
    const failure = await desk.failsAs<FailureDocument>("undo", String(number + 7));
    assert.equal(failure.code, "UNKNOWN_ENTRY");
    assertIncludes(failure.info, `The journal has no change ${number + 7}; the last one is ${number}.`);
    assertIncludes(failure.hint ?? "", "addon-cli audit");
  });
});

describe("undo", () => {
  for (const number of ["0", "-1", "1.5", "abc", "", "9007199254740993"]) {
    it(`when "${number}" is typed as number then that is wrong usage`, async (t) => {
      const desk = await seededDesk(t);
      assert.match(await desk.misused("undo", "--", number), /Expected the number of a change/);
    });
  }

  it("when the folder has no data, it reports that, and creates none", async (t) => {
    const desk = await emptyDesk(t);
    assertIncludes(await desk.fails("undo", "1"), "There is no data");
    assertIncludes(await desk.fails("audit"), "There is no data");
  });

  it("when a change is only internal, it reports that nothing can be undone", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    assert.deepEqual(await desk.answerTo(token, "/event"), [200, undefined]);
    const [line = ""] = linesOf(await desk.ok("--json", "audit", "--all", "--operation", "activity.save"));
    const { number } = JSON.parse(line) as { number: number };
    assertIncludes(await desk.fails("undo", String(number)), "(activity.save) contains nothing to undo");
  });

  it("when the journal no longer reaches back to a change, it reports that", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok(...theft);
    const number = await lastNumber(desk);
    const retention = { milliseconds: 0, snapshots: 1 };
    const store = await Store.open({ folder: desk.data, model, retention });
    await store.change({ who: "operator", operation: "wantedreason.add" }, (draft) =>
      draft.wantedReasons.put({ reason: "Arson", points: 1 }),
    );
    await store.close({ snapshot: true });
    assertIncludes(await desk.fails("undo", number), `The journal has no change ${number}`);
    assert.equal(linesOf(await desk.ok("audit", "--record", "wantedReasons/theft")).length, 0);
  });

  it("when a change had an idempotency key, undoing it undoes its effect", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    const { token } = await desk.json<IssuedDocument>("token", "issue", "--player", "Ada");
    await desk.withService(async (service) => {
      const url = `http://localhost/gameaddon/v1/${token}/statistic/Ada/add?type=KILL`;
      await service.fetch(new Request(url, { headers: { "Idempotency-Key": "k-1" } }));
    });
    const [line = ""] = linesOf(await desk.ok("--json", "audit", "--operation", "statistic.add"));
    await desk.ok("undo", String((JSON.parse(line) as { number: number }).number));
    const { statistic } = await desk.json<PlayerDocument>("player", "show", "Ada");
    assert.equal(statistic.kills, 0);
  });

  it("when another player has the name of a removed one by now, undoing the removal is refused", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada");
    await desk.ok("player", "remove", "Ada", "--yes");
    const number = await lastNumber(desk);
    await desk.ok("player", "add", "Ada");
    assertIncludes(await desk.fails("undo", number), "Ada");
    assert.equal((await desk.json<unknown[]>("player", "list")).length, 1);
  });

  it("when seeded names are in use by now, undoing the seed is refused", async (t) => {
    const desk = await seededDesk(t);
    await desk.ok("player", "add", "Ada", "--member", "GROVE:4");
    assert.match(await desk.fails("undo", "1"), /the name CEO stays; .*; and 10 more records/);
  });
});
