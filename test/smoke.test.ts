import assert from "node:assert/strict";
import { it } from "node:test";
import { describeOverTransports, openWorld } from "./_setup.ts";

describeOverTransports("the service", (transport) => {
  it("answers a read", async (t) => {
    const world = await openWorld(t, { transport });
    const groups = await world.ok(world.publicToken, "/player/groups");
    assert.equal(groups[0], "CEO");
    const ada = await world.player("Ada", { members: { GROVE: 4 } });
    await world.ok(ada.token, "/statistic/ada/add", { type: "kill" });
    assert.equal((await world.ok(ada.token, "/statistic/Ada")).gameplay.kills, 1);
  });
});
