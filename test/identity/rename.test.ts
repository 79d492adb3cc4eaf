/** Renaming a player: tokens stay valid, and no cached answer has the former name. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertFailure, day, openWorld } from "../_setup.ts";

it("the token of a renamed player stays valid, for the new name alone", async (t) => {
  const world = await openWorld(t);
  const ada = await world.player("Ada");
  await world.ok(ada.token, "/statistic/Ada/add", { type: "KILL" });
  await world.service.administer("player.rename", { player: "Ada", name: "Countess" });
  await world.ok(ada.token, "/statistic/Countess/add", { type: "KILL" });
  assertFailure(await world.get(ada.token, "/statistic/Ada/add", { type: "KILL" }), 403, "RESTRICTED");
  assertFailure(await world.get(ada.token, "/statistic/Ada"), 404, "UNKNOWN_PLAYER");
});

it("renaming a player replaces the name in every cached answer", async (t) => {
  const world = await openWorld(t);
  const ada = await world.player("Ada", { members: { RESCUE: 5 }, groups: ["VIP"], administrator: true });
  await world.service.administer("group.add", { player: "Ada", group: "TARGETLIST" });
  await world.ok(ada.token, "/statistic/Ada/set", { type: "KILL", amount: 7 });
  await world.ok(ada.token, "/targetlist/add", { name: "Ada" });
  await world.ok(ada.token, "/housebanreason/add", { reason: "Noise", days: 3 });
  await world.ok(ada.token, "/houseban/add", { name: "Ada", reason: "Noise" });
  const reads: [path: string, query: Record<string, string>][] = [
    ["/statistic/top", {}],
    [`/statistic/${ada.uuid}`, {}],
    ["/player", {}],
    ["/targetlist", {}],
    ["/houseban", { advanced: "true" }],
    ["/housebanreason", {}],
  ];
  for (const [path, query] of reads) {
    assert.match(JSON.stringify(await world.ok(ada.token, path, query)), /"Ada"/, path);
  }
  await world.service.administer("player.rename", { player: "Ada", name: "Countess" });
  for (const [path, query] of reads) {
    const body = JSON.stringify(await world.ok(ada.token, path, query));
    assert.match(body, /"Countess"/, path);
    assert.doesNotMatch(body, /"Ada"/, path);
  }
});

it("a further reason continues the ban of a removed player, also after a new registration", async (t) => {
  const world = await openWorld(t);
  const chief = await world.player("Chief", { members: { RESCUE: 5 } });
  const { uuid } = await world.player("Ada");
  const call = (path: string, query: Record<string, string | number>) => world.ok(chief.token, path, query);
  await call("/housebanreason/add", { reason: "Short", days: 1 });
  await call("/housebanreason/add", { reason: "Long", days: 9 });
  await call("/houseban/add", { name: "Ada", reason: "Short" });
  await world.service.administer("player.remove", { player: "Ada" });
  await call("/houseban/add", { name: "Ada", reason: "Long" });
  await world.service.administer("player.add", { name: "Ada", uuid });
  const bans: { uuid: string; duration: number }[] = await call("/houseban", {});
  assert.deepEqual(
    bans.map((ban) => [ban.uuid, ban.duration]),
    [[uuid, 10 * day]],
  );
});
