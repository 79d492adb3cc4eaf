/** `undo --by` and `undo --token`: takes back what one caller did, and nothing that others have changed since. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wantedReason } from "../../_entries.ts";
import { openWorld, type World } from "../../_setup.ts";

const reasons = async (world: World) =>
  (await world.ok(world.publicToken, "/wantedreason")).map(
    ({ reason, points }: { reason: string; points: number }) => `${reason} ${points}`,
  );

describe("taking back what a caller did", () => {
  it("restores each record to its value before the caller's last changes, as one change that can be undone", async (t) => {
    const world = await openWorld(t);
    const { service } = world;
    const ada = await world.player("Ada", { members: { POLICE: 4 } });
    const mallory = await world.player("Mallory", { members: { POLICE: 4 } });
    const add = (who: { token: string }, reason: string, points: number) =>
      world.ok(who.token, "/wantedreason/add", { reason, points });
    const remove = (who: { token: string }, reason: string) =>
      world.ok(who.token, "/wantedreason/remove", { reason });
    for (const reason of ["Theft", "Murder", "Speeding"]) await add(ada, reason, 10);
    // Replaced and removed by Mallory; the second is replaced by Ada again, the third removed by both.
    for (const reason of ["Theft", "Murder", "Speeding"]) {
      await remove(mallory, reason);
      await add(mallory, reason, 99);
    }
    await remove(ada, "Murder");
    await add(ada, "Murder", 11);
    await remove(mallory, "Speeding");
    for (let number = 0; number < 5; number += 1) await add(mallory, `Junk${number}`, 1);
    for (const junk of ["Junk3", "Junk4"]) await remove(ada, junk);
    for (let kill = 0; kill < 3; kill += 1)
      await world.ok(mallory.token, "/statistic/Mallory/add", { type: "KILL" });

    const before = await reasons(world);
    const preview = await service.administer("undo.caller", { by: "mallory", preview: true });
    assert.deepEqual(await reasons(world), before, "a preview changes nothing");
    assert.deepEqual(preview.records, { "entries of wantedreason": 5, statistic: 1 });
    assert.equal(preview.left, 1);
    assert.equal(preview.changes, 15);
    assert.match(
      preview.info,
      /^Takes back 5 entries of wantedreason and 1 statistic, from 15 changes; 1 record/,
    );

    const { sequence = 0 } = await service.administer("undo.caller", { by: mallory.uuid, preview: false });
    assert.deepEqual(await reasons(world), ["Murder 11", "Speeding 10", "Theft 10"]);
    assert.equal((await world.ok(mallory.token, "/statistic/Mallory")).gameplay.kills, 0);
    const again = await service.administer("undo.caller", { by: "Mallory", preview: false });
    assert.match(again.info, /^Nothing is left to take back/);
    await service.administer("undo", { sequence });
    assert.deepEqual(await reasons(world), before);
  });

  it("finds a UUID that has changes, and no name any more", async (t) => {
    const { service } = await openWorld(t);
    const by = "9".repeat(32);
    await service.store.change({ who: by, operation: "wantedreason.add" }, (draft) =>
      draft.entries.put(wantedReason("Theft")),
    );
    assert.equal((await service.administer("undo.caller", { by, preview: true })).changes, 1);
  });

  it("leaves the caller's token, which an invitation gave", async (t) => {
    const world = await openWorld(t);
    const { service } = world;
    await service.administer("player.add", { name: "Ada" });
    const { invitations } = await service.administer("token.invite", { player: "Ada" });
    const { token } = await world.ok(invitations[0]?.code ?? "", "/token/claim");
    await world.ok(token, "/statistic/Ada/add", { type: "KILL" });
    const { records } = await service.administer("undo.caller", { by: "Ada", preview: false });
    assert.deepEqual(records, { statistic: 1 });
    assert.equal((await world.ok(token, "/statistic/Ada")).gameplay.kills, 0);
  });

  it("takes back what was done with a public token, of some operations and some time", async (t) => {
    const world = await openWorld(t);
    const { service, clock } = world;
    const { id, token } = await service.administer("token.issue", { label: "stream" });
    const issued = service.store.sequence;
    const score = (attacker: number) => world.ok(token, "/event/gangwar", { attacker, defender: 0 });
    await score(1);
    clock.advance(60_000);
    const since = clock.now();
    await score(2);
    await score(3);
    const filter = { token: id, since, preview: false };
    const other = await service.administer("undo.caller", { ...filter, operation: "houseban" });
    assert.equal(other.changes, 0);
    await service.administer("undo.caller", { ...filter, operation: "event.gangwar" });
    assert.equal((await world.ok(token, "/event")).gangwar.attacker, 1);

    await service.administer("undo", { sequence: issued });
    const { changes } = await service.administer("undo.caller", { token: id, preview: true });
    assert.equal(changes, 3, "a token that is gone is known by the journal");
  });

  it("takes a name for the player who has it now, and asks for a UUID where several had it", async (t) => {
    const world = await openWorld(t);
    const { service } = world;
    const target = { groups: ["TARGETLIST"] };
    const alice = await world.player("Mallory", target);
    await world.ok(alice.token, "/targetlist/add", { name: "Zed" });
    await service.administer("player.rename", { player: "Mallory", name: "Alice" });
    const mallory = await world.player("Mallory", target);
    await world.ok(mallory.token, "/targetlist/add", { name: "Yan" });
    const preview = (by: string) => service.administer("undo.caller", { by, preview: true });
    assert.equal((await preview("Mallory")).changes, 1);
    assert.equal((await preview("Mallory")).by, mallory.uuid, "whom the answer to a question concerns");
    await service.administer("player.remove", { player: "Mallory" });
    await assert.rejects(preview("mallory"), new RegExp(`Several players .*${alice.uuid}`));
    assert.equal((await preview(mallory.uuid)).changes, 1);
  });

  it("follows the records of people who were registered or renamed since, and the caller's own name", async (t) => {
    const world = await openWorld(t);
    const { service } = world;
    const [ada, mallory] = [
      await world.player("Ada", { groups: ["TARGETLIST"] }),
      await world.player("Mallory", { members: { POLICE: 4, RESCUE: 4 }, groups: ["TARGETLIST"] }),
    ];
    await world.ok(ada.token, "/targetlist/add", { name: "Old" });
    await world.ok(mallory.token, "/targetlist/done", { name: "Old" });
    await world.ok(mallory.token, "/wantedreason/add", { reason: "Junk", points: 1 });
    await world.ok(mallory.token, "/housebanreason/add", { reason: "Noise", days: 3 });
    for (const name of ["zed", "Yan"]) {
      await world.ok(mallory.token, "/targetlist/add", { name });
      await world.ok(mallory.token, "/houseban/add", { name, reason: "Noise" });
    }
    const { uuid } = await world.player("Old");
    await world.player("Zed");
    await service.administer("player.rename", { player: "Zed", name: "Zoe" });
    await service.administer("player.rename", { player: "Mallory", name: "Sorry" });
    const filter = { by: "Mallory", preview: false };
    const { records, left, sequence = 0 } = await service.administer("undo.caller", filter);
    const [wanted, reasons] = ["entry of wantedreason", "entry of housebanreason"];
    assert.deepEqual(records, { targets: 3, [wanted]: 1, [reasons]: 1, "house bans": 2 });
    assert.equal(left, 0);
    assert.deepEqual(await world.ok(ada.token, "/targetlist"), [{ name: "Old", uuid, done: false }]);
    await service.administer("player.rename", { player: "Sorry", name: "Worse" });
    await service.administer("undo", { sequence });
    const [{ creatorName }] = await world.ok(ada.token, "/housebanreason");
    assert.equal(creatorName, "Worse", "what is brought back has the present name");
  });

  it("takes back again what was brought back by undoing the undo", async (t) => {
    const world = await openWorld(t);
    const mallory = await world.player("Mallory", { members: { POLICE: 4 } });
    await world.ok(mallory.token, "/wantedreason/add", { reason: "Junk", points: 1 });
    const takeBack = () => world.service.administer("undo.caller", { by: "Mallory", preview: false });
    const { sequence = 0 } = await takeBack();
    await world.service.administer("undo", { sequence });
    assert.deepEqual(await reasons(world), ["Junk 1"]);
    await takeBack();
    assert.deepEqual(await reasons(world), []);
  });

  it("does not bring back what was taken back from one caller when it takes back an undone removal by another", async (t) => {
    const world = await openWorld(t);
    const { service } = world;
    const ada = await world.player("Ada", { members: { POLICE: 4 } });
    const mallory = await world.player("Mallory", { members: { POLICE: 4 } });
    await world.ok(mallory.token, "/wantedreason/add", { reason: "Junk", points: 1 });
    await world.ok(ada.token, "/wantedreason/remove", { reason: "Junk" });
    const { sequence } = service.store;
    await service.administer("undo", { sequence });
    await service.administer("undo.caller", { by: "Mallory", preview: false });
    const { info } = await service.administer("undo.caller", { by: "Ada", preview: false });
    assert.match(info, /^Nothing is left to take back/);
    await assert.rejects(service.administer("undo", { sequence }), /has since been changed by/);
    assert.deepEqual(await reasons(world), []);
  });

  it("refuses to take back to another value than that of the preview", async (t) => {
    const world = await openWorld(t);
    const issue = () => world.service.administer("token.issue", {});
    const [one, other] = [await issue(), await issue()];
    const score = (token: string, attacker: number) =>
      world.ok(token, "/event/gangwar", { attacker, defender: 0 });
    const takeBack = (preview: boolean, basis?: string) =>
      world.service.administer("undo.caller", { token: one.id, preview, basis });
    await score(one.token, 1);
    const { basis } = await takeBack(true);
    await score(other.token, 2);
    await score(one.token, 1);
    await assert.rejects(takeBack(false, basis), /changed meanwhile/);
  });

  it("refuses callers who are no player and no token", async (t) => {
    const { service } = await openWorld(t);
    const caller = (filter: object) => service.administer("undo.caller", { ...filter, preview: true });
    for (const filter of [{}, { by: "operator" }, { by: "OPERATOR" }, { by: "Ada", token: "0" }])
      await assert.rejects(caller(filter), /Expected a player/);
    await assert.rejects(caller({ by: "Nobody" }), /no player "Nobody"/);
  });
});
