/** Memberships and exclusions that end by themselves. The transcript `ends.md` shows the commands. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { model } from "../../src/domain/model.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { readHistory } from "../../src/store/journal/history.ts";
import { Store } from "../../src/store/store.ts";
import { HeldChanges } from "../_held-changes.ts";
import {
  assertFailure,
  Clock,
  day,
  describeOverTransports,
  openAs,
  temporaryFolder,
  type World,
} from "../_setup.ts";
import { ruledFiles, systemError } from "../store/_faults.ts";
import { FakeJournal } from "../store/shared/_fake.ts";

const hour = 3_600_000;

/** Returns the operations of all changes. */
async function operationsOf({ service }: World): Promise<string[]> {
  const found: string[] = [];
  for await (const { operation } of readHistory(nodeFiles, service.store.folder)) found.push(operation);
  return found;
}

describeOverTransports("an exclusion", (transport) => {
  it("says until when it lasts, and why, and ends by itself", async (t) => {
    const { world, token } = await openAs(t, "Ada", {}, { transport });
    const { clock, service } = world;
    const noon = clock.time;
    const cases = [
      { terms: {}, says: "." },
      { terms: { reason: "forged kills" }, says: ": forged kills." },
      { terms: { reason: " Again? " }, says: ": Again?" },
      { terms: { until: noon + 17 * day }, says: " until 2026-12-08T12:00Z." },
      // Nobody is told an instant at which the exclusion still holds.
      { terms: { until: noon + 1, reason: "a test" }, says: " until 2026-11-21T12:01Z: a test." },
    ];
    for (const { terms, says } of cases) {
      clock.time = noon;
      await service.administer("player.exclude", { player: "Ada", ...terms });
      const answer = await world.get(token, "/targetlist");
      assertFailure(answer, 403, "EXCLUDED");
      assert.equal(answer.body.info, `You are excluded from this service${says}`);
      if (terms.until !== undefined) {
        clock.time = terms.until - 1;
        assertFailure(await world.get(token, "/targetlist"), 403, "EXCLUDED");
        clock.time = terms.until;
        await world.ok(token, "/targetlist");
        assert.equal(service.store.data.groupMembers.size, 1, "the clock decides, not the removal");
      }
      await service.administer("player.readmit", { player: "Ada" });
    }
  });
});

it("a change is decided by the memberships at the instant of its decision, after what has ended is removed", async (t) => {
  const { world, token } = await openAs(t, "Ada", { members: { GROVE: 1 } });
  const { clock, service } = world;
  const until = clock.time + hour;
  await service.administer("group.add", { player: "Ada", group: "TARGETLIST", until });
  await service.administer("group.add", { player: "Bob", group: "TARGETLIST", until });
  await service.administer("player.exclude", { player: "Eve", until: until + 1 });
  const held = new HeldChanges(t, service);
  const { outcome: late } = await held.submit(() => world.get(token, "/targetlist/add", { name: "Bob" }));
  const { outcome: other } = await held.submit(() =>
    service.administer("group.add", { player: "Bob", group: "TARGETLIST" }),
  );
  const before = await operationsOf(world);
  clock.time = until;
  await held.release();
  assertFailure(await late, 403, "RESTRICTED");
  assert.match((await other).info, /^Added Bob to TARGETLIST\./);
  assert.deepEqual((await operationsOf(world)).slice(before.length), ["membership.end", "test", "group.add"]);
  const left = Array.from(service.store.data.groupMembers.values(), ({ group, name }) => [group, name]);
  assert.deepEqual(left, [
    ["BLACKLIST", "Eve"],
    ["TARGETLIST", "Bob"],
  ]);
});

it("what has ended is removed while nothing else changes, also a second time if that was undone", async (t) => {
  const { world } = await openAs(t, "Ada");
  const { clock, service } = world;
  const { store } = service;
  service.start();
  const removed = async () => {
    while (store.data.groupMembers.size > 0 || store.data.memberships.size > 0) await delay(5);
  };
  await service.administer("group.add", { player: "Ada", group: "VIP", until: clock.time + hour });
  const grove = { player: "Ada", organisation: "GROVE", rank: 2, until: clock.time + hour };
  await service.administer("member.set", grove);
  clock.advance(hour);
  await removed();
  const { sequence } = store;
  await service.administer("undo", { sequence });
  await removed();
  assert.deepEqual((await operationsOf(world)).slice(-3), ["membership.end", "undo", "membership.end"]);
  // A clock that is set back ends nothing, and stops nothing.
  await service.administer("member.set", { ...grove, until: clock.time + hour });
  clock.advance(-day);
  await store.removeEnded();
  assert.equal(
    store.data.memberships.get(`GROVE/${service.store.data.players.find("name", "ada")[0]?.uuid}`)?.rank,
    2,
  );
});

it("what a clock has ended that was ahead for a moment returns by an undo", async (t) => {
  const { world, token } = await openAs(t, "Ada");
  const { clock, service } = world;
  await service.administer("player.exclude", { player: "Ada", until: clock.time + day });
  clock.advance(2 * day);
  await service.removeEnded();
  clock.advance(-2 * day);
  await world.ok(token, "/targetlist");
  await service.administer("undo", { sequence: service.store.sequence });
  await service.removeEnded();
  assertFailure(await world.get(token, "/targetlist"), 403, "EXCLUDED");
});

it("what somebody has entered again after such an end stays when the former change is undone", async (t) => {
  const { clock, service } = (await openAs(t, "Ada")).world;
  const exclusion = { player: "Ada", until: clock.time + day };
  await service.administer("player.exclude", exclusion);
  const { sequence } = service.store;
  clock.advance(day);
  await service.removeEnded();
  clock.advance(-day);
  await service.administer("player.exclude", exclusion);
  await assert.rejects(service.administer("undo", { sequence }), /has since been changed/);
});

it("thousands that end at once are removed a thousand in a change, and none that stays", async (t) => {
  const { world } = await openAs(t, "Ada");
  const { clock, service } = world;
  const { store } = service;
  await store.change({ who: "operator", operation: "test" }, (draft) => {
    for (let number = 0; number < 2501; number += 1)
      draft.groupMembers.put({ group: "VIP", name: `p${number}`, uuid: null, until: clock.time + hour });
    draft.groupMembers.put({ group: "VIP", name: "later", uuid: null, until: clock.time + hour + 1 });
    draft.groupMembers.put({ group: "VIP", name: "forever", uuid: null });
  });
  clock.advance(hour);
  // One that has ended, and is not removed yet, is no member.
  const { info } = await service.administer("group.add", { player: "p2000", group: "VIP" });
  assert.match(info, /^Added p2000 to VIP\./);
  await Promise.all([service.removeEnded(), service.removeEnded()]);
  assert.deepEqual(Array.from(store.data.groupMembers.values(), ({ name }) => name).sort(), [
    "forever",
    "later",
    "p2000",
  ]);
  const ends = (await operationsOf(world)).filter((operation) => operation === "membership.end");
  assert.equal(ends.length, 3);
});

it("while the disk is full, what has ended counts for nothing, and is removed once there is room", async (t) => {
  let isFull = false;
  const files = ruledFiles(({ operation }) =>
    isFull && operation === "write" ? systemError("ENOSPC") : undefined,
  );
  const { world, token } = await openAs(t, "Ada", {}, { files });
  const { clock, service } = world;
  const { store } = service;
  const until = clock.time + hour;
  await service.administer("group.add", { player: "Ada", group: "TARGETLIST", until });
  await service.administer("member.set", { player: "Ada", organisation: "GROVE", rank: 2, until });
  const shown = async () => {
    const { gameaddon, faction } = await world.ok(token, "/statistic/Ada");
    return [gameaddon.groups.TARGETLIST, faction?.rank];
  };
  assert.deepEqual(await shown(), [true, 2]);
  isFull = true;
  clock.time = until;
  for (let count = 0; count < 2; count += 1) await service.removeEnded();
  assert.equal(store.data.groupMembers.size, 1);
  assert.deepEqual(await shown(), [false, undefined]);
  assertFailure(await world.get(token, "/targetlist/add", { name: "Bob" }), 403, "RESTRICTED");
  await assert.rejects(service.administer("group.add", { player: "Ada", group: "VIP" }));
  isFull = false;
  await service.administer("group.add", { player: "Ada", group: "VIP" });
  assert.deepEqual((await operationsOf(world)).slice(-2), ["membership.end", "group.add"]);
});

it("with a shared journal, what has ended is removed through it alone, and once its clock agrees", async (t) => {
  const [journal, own, theirs] = [new FakeJournal(), new Clock(), new Clock()];
  const folder = await temporaryFolder(t);
  const open = async () => {
    const sequencer = Object.assign(journal.node(), { now: theirs.now });
    const shared = { sequencer, maxStaleness: 60_000 };
    const store = await Store.open({ folder, model, now: own.now, shared });
    t.after(() => store.close());
    return store;
  };
  const before = await open();
  const until = own.time + 1000;
  await before.change({ who: "operator", operation: "test" }, ({ groupMembers }) =>
    groupMembers.put({ group: "VIP", name: "Ada", uuid: null, until }),
  );
  await before.close();
  own.time = until;
  const store = await open();
  await store.removeEnded();
  assert.deepEqual([store.sequence, journal.head.sequence, store.data.groupMembers.size], [1, 1, 1]);
  theirs.time = until;
  while (store.data.groupMembers.size > 0) await store.removeEnded().then(() => delay(10));
  assert.deepEqual([store.sequence, journal.head.sequence, await store.problem()], [2, 2, undefined]);
  await store.change({ who: "operator", operation: "test" }, ({ groupMembers }) =>
    groupMembers.put({ group: "VIP", name: "Ada", uuid: null, until: until + 1000 }),
  );
  // It goes back in time: nothing is appended any more, and what ends stays.
  journal.head = { sequence: 1, chain: 0 };
  journal.before = () => assert.fail("nothing is appended");
  own.time = theirs.time = until + 1000;
  while ((await store.problem()) === undefined) await delay(10);
  await store.check();
  assert.equal(store.data.groupMembers.size, 1);
});
