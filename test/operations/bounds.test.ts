/** The most entries of one player, in every list that not only administrators can fill. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { wantedReason } from "../_entries.ts";
import { assertFailure, openWorld, shippedRoutes } from "../_setup.ts";

const shipped = await readFile(shippedRoutes, "utf8");
const rights = { members: { POLICE: 4, RESCUE: 4, GROVE: 4 }, groups: ["TARGETLIST"], administrator: true };

/** How an entry is added to each list and removed, and what the refusal calls the list. */
const lists = [
  ["/wantedreason", "reason", { points: 1 }, "wanted reasons"],
  ["/housebanreason", "reason", { days: 1 }, "house-ban reasons"],
  ["/blacklistreason/GROVE", "reason", { price: 1, kills: 1 }, "blacklist reasons"],
  ["/targetlist", "name", {}, "targets"],
  ["/houseban", "name", { reason: "A" }, "house bans"],
] as const;

it("the shipped table bounds what one player can add to the lists that not only administrators can fill", async (t) => {
  const { service } = await openWorld(t);
  const { lists: declared, maxEntriesPerCreator } = service.routes.table.declared;
  const bounded = [...declared.filter((list) => list.maxEntriesPerCreator === 200).map(({ name }) => name)];
  assert.deepEqual([...bounded, ...Object.keys(maxEntriesPerCreator)].sort(), [
    ...["blacklistreason", "houseban", "housebanreason", "targetlist", "wantedreason"],
  ]);
});

for (const [path, key, values, title] of lists) {
  it(`${path} has at most so many entries of one player, until one is removed, and answers none of it`, async (t) => {
    const world = await openWorld(t, {
      routes: shipped.replace(/(PerCreator|targetlist|houseban): 200/g, "$1: 2"),
    });
    const [ada, bob] = [await world.player("Ada", rights), await world.player("Bob", rights)];
    if (path === "/houseban") await world.ok(bob.token, "/housebanreason/add", { reason: "A", days: 1 });
    const add = ({ token }: { token: string }, name: string) =>
      world.get(token, `${path}/add`, { ...values, [key]: name });
    for (const name of ["A", "B"]) assert.equal((await add(ada, name)).status, 200);
    const third = await add(ada, "C");
    assertFailure(third, 409, "CONFLICT");
    assert.equal(third.body.info, `The list of your ${title} is full: it can have 2 entries.`);
    assert.equal((await add(ada, "B")).status, 200, "it is there already");
    for (const name of ["C", "D"]) assert.equal((await add(bob, name)).status, 200);
    const query = Object.entries({ ...values, [key]: "E" }).map(
      ([name, value]) => [name, `${value}`] as const,
    );
    assert.equal((await world.service.call(`${path}/add`, query)).status, 200, "an operator is not bound");
    await world.ok(bob.token, `${path}/remove`, { ...("reason" in values && values), [key]: "A" });
    await world.service.administer("player.rename", { player: "Ada", name: "Adele" });
    assert.equal((await add(ada, "C2")).status, 200, "whoever removed it, there is room");
    assertFailure(await add(ada, "C3"), 409, "CONFLICT");
    const entries = await world.ok(bob.token, path, { ...(path === "/houseban" && { advanced: "false" }) });
    assert.equal(JSON.stringify(entries).includes("creator"), path === "/housebanreason");
  });
}

it("older entries are nobody's, and more than a player can add stay", async (t) => {
  const world = await openWorld(t);
  await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
    for (let number = 0; number < 201; number += 1) draft.entries.put(wantedReason(`r${number}`));
  });
  const ada = await world.player("Ada", rights);
  await world.ok(ada.token, "/wantedreason/add", { reason: "mine", points: 1 });
  const { records } = await world.service.administer("player.everything", { player: "Ada" });
  assert.deepEqual(records.entries, [{ ...wantedReason("mine"), creatorName: "Ada", creatorUUID: ada.uuid }]);
  await world.service.store.change({ who: "operator", operation: "test" }, (draft) => {
    for (const entry of [...draft.entries.values()])
      draft.entries.put({ ...entry, creatorName: "Ada", creatorUUID: ada.uuid });
  });
  assertFailure(await world.get(ada.token, "/wantedreason/add", { reason: "x", points: 1 }), 409, "CONFLICT");
  assert.equal((await world.ok(ada.token, "/wantedreason")).length, 202);
  await world.ok(ada.token, "/wantedreason/add", { reason: "r0", points: 1 });
  await world.ok(ada.token, "/wantedreason/remove", { reason: "r0" });
});
