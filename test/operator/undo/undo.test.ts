/** Undoing a registration or a removal: no record remains without its player. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { undo } from "../../../src/operator/undo/undo.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { day, everyRight, openWorld, type World } from "../../_setup.ts";

const uuid = "00112233445566778899aabbccddeeff";

/** What a player may have, and how to give it. */
const belongings: Readonly<Record<string, (world: World, chief: string) => Promise<unknown>>> = {
  "1 token": ({ service }) => service.administer("token.issue", { player: uuid }),
  "1 membership": ({ service }) =>
    service.administer("member.set", { player: uuid, organisation: "GROVE", rank: 1 }),
  "1 group member": (world, chief) => world.ok(chief, "/player/add", { name: uuid, group: "VIP" }),
  "1 statistic": (world, chief) => world.ok(chief, `/statistic/${uuid}/set`, { type: "KILL", amount: 3 }),
};

/** Registers Ada. Returns the number of that change, and the token of another player. */
async function registered(t: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(t);
  const { token: chief } = await world.player("Chief", everyRight);
  await world.service.administer("player.add", { name: "Ada", uuid, members: [] });
  return { world, chief, number: world.service.store.sequence };
}

describe("undoing the registration of a player", () => {
  for (const [what, give] of Object.entries(belongings)) {
    it(`is refused while the player has ${what}, which the next player with the UUID would take over`, async (t) => {
      const { world, chief, number } = await registered(t);
      await give(world, chief);
      const before = world.snapshot();
      await assert.rejects(world.service.administer("undo", { sequence: number }), {
        code: "CONFLICT",
        message: `Change ${number} cannot be undone: other records refer to the player Ada: ${what}.`,
      });
      assert.deepEqual(world.snapshot(), before);
      await world.service.administer("undo", { sequence: world.service.store.sequence });
      await world.service.administer("undo", { sequence: number });
      assert.equal(world.service.store.data.players.has(uuid), false);
    });
  }
});

describe("undoing a registration whose record is malformed", () => {
  /** Registers Ada by a change with other fields than the schema allows. */
  async function malformed(t: Parameters<typeof openWorld>[0], fields: object) {
    const { world } = await registered(t);
    await world.service.administer("player.remove", { player: uuid });
    const { store } = world.service;
    await store.change({ who: "operator", operation: "player.add" }, (draft) => {
      const player = { uuid, name: "Ada", administrator: false, ...fields };
      draft.players.put(JSON.parse(JSON.stringify(player)));
    });
    const number = store.sequence;
    await world.service.administer("token.issue", { player: uuid }).catch(() => undefined);
    return { world, number };
  }

  it("is refused for its obstacles where the fault does not matter", async (t) => {
    const { world, number } = await malformed(t, { administrator: "no" });
    await assert.rejects(world.service.administer("undo", { sequence: number }), {
      code: "CONFLICT",
      message: `Change ${number} cannot be undone: other records refer to the player Ada: 1 token.`,
    });
  });
});

it("undoing a removal does not restore tokens, ranks and statistics without the player", async (t) => {
  const { world, chief } = await registered(t);
  for (const give of Object.values(belongings)) await give(world, chief);
  await world.service.administer("player.remove", { player: uuid });
  const removal = world.service.store.sequence;
  const another = "0123456789abcdef0123456789abcdef";
  await world.service.administer("player.add", { name: "Ada", uuid: another, members: [] });
  const { info, left } = await world.service.administer("undo", { sequence: removal, exceptChanged: true });
  assert.equal(left, 4);
  for (const words of ["token \\w+ of \\w+", "membership \\w+ \\(GROVE\\)", "statistic \\w+"])
    assert.match(info, new RegExp(`the player of the ${words} is no longer registered`));
  const { players, tokens, memberships, statistics } = world.service.store.data;
  assert.deepEqual(
    [players.has(uuid), tokens.find("player", uuid), memberships.find("player", uuid), statistics.has(uuid)],
    [false, [], [], false],
  );
});

it("an undo that leaves a record names what has changed it before, and not itself", async (t) => {
  const world = await openWorld(t);
  const { token } = await world.player("Bob", everyRight);
  await world.ok(token, "/wantedreason/add", { reason: "Theft", points: 10 });
  await world.service.administer("player.rename", { player: "Bob", name: "Robert" });
  const { sequence } = world.service.store;
  await world.service.store.change({ who: "operator", operation: "edit" }, (draft) => {
    for (const entry of draft.entries.values())
      if (entry.creatorName === "Robert")
        draft.entries.put({ ...entry, values: { ...entry.values, points: 20 } });
  });
  const { info } = await world.service.administer("undo", { sequence, exceptChanged: true });
  assert.match(info, new RegExp(`has since been changed by change ${sequence + 1} \\(edit\\)\\.$`));
});

it("an exclusion that becomes one with another while the journal is read is not lifted", async (t) => {
  const { service } = await openWorld(t);
  await service.administer("player.exclude", { player: uuid });
  const { sequence } = service.store;
  await service.administer("player.exclude", { player: "Ada" });
  let isRead = false;
  const readPieces: typeof nodeFiles.readPieces = async function* (...of) {
    yield* nodeFiles.readPieces(...of);
    if (!isRead) await service.administer("player.add", { name: "Ada", uuid });
    isRead = true;
  };
  const environment = { ...service.environment, files: { ...nodeFiles, readPieces } };
  const lift = undo.bind({ sequence, exceptChanged: false })(environment, undefined);
  await assert.rejects(lift, /has since been changed by change \d+ \(player.add\)/);
  assert.equal(service.store.data.groupMembers.size, 1);
  assert.ok(isRead);
});

it("a change that gave memberships an end can be undone after that, and not once somebody else has ended them", async (t) => {
  const world = await openWorld(t);
  const { service, clock } = world;
  await service.administer("player.add", { name: "Ada", uuid });
  for (const organisation of ["GROVE", "POLICE"])
    await service.administer("member.set", { player: uuid, organisation, rank: 4 });
  const until = clock.now() + day;
  const { sequence } = service.store;
  for (const organisation of ["GROVE", "POLICE"])
    await service.administer("member.set", { player: uuid, organisation, rank: 4, until });
  await service.administer("member.remove", { player: uuid, organisation: "POLICE" });
  clock.advance(day);
  await service.removeEnded();
  await service.administer("undo", { sequence: sequence + 1 });
  await assert.rejects(service.administer("undo", { sequence: sequence + 2 }), /member.remove/);
  const { memberships } = service.store.data;
  assert.deepEqual([...memberships.values()], [{ uuid, organisation: "GROVE", rank: 4 }]);
});

it("a readmission is undone only if the player has not taken over another exclusion since", async (t) => {
  const { service } = await openWorld(t);
  await service.administer("player.add", { name: "Ada", uuid });
  await service.administer("player.exclude", { player: "Ada" });
  await service.administer("player.readmit", { player: "Ada" });
  const { sequence } = service.store;
  await service.administer("player.exclude", { player: "Dan" });
  await service.administer("player.rename", { player: "Ada", name: "Dan" });
  await service.administer("player.readmit", { player: "Dan" });
  await assert.rejects(
    service.administer("undo", { sequence }),
    /has since been changed by change \d+ \(player.rename\), change \d+ \(player.readmit\)/,
  );
});
