/** Wanted reasons. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertFailure, openAs, openWorld } from "../_setup.ts";

describe("/wantedreason", () => {
  it("/wantedreason answers an empty list at first, then the reasons by reason", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { POLICE: 4 } });
    assert.deepEqual(await world.ok(token, "/wantedreason"), []);
    for (const [reason, points] of [
      ["Theft", 10],
      ["arson", 1000],
      ["Noise", 0],
    ] as const) {
      await world.ok(token, "/wantedreason/add", { reason, points });
    }
    assert.deepEqual(await world.ok(world.publicToken, "/wantedreason"), [
      { reason: "arson", points: 1000 },
      { reason: "Noise", points: 0 },
      { reason: "Theft", points: 10 },
    ]);
  });

  it("/wantedreason accepts 0 to 1000 points", async (t) => {
    const { world, token } = await openAs(t, "Chief", { members: { POLICE: 4 } });
    for (const points of ["-1", "1001", "0.5", "", "ten"]) {
      const answer = await world.get(token, "/wantedreason/add", { reason: "Theft", points });
      assertFailure(answer, 400, "PARAMETER_INVALID", "points");
      assert.match(`${answer.body.info} ${answer.body.hint}`, /0 to 1000/);
    }
    assert.deepEqual(await world.ok(token, "/wantedreason"), []);
  });

  it("/wantedreason removes an imported reason, however long it is", async (t) => {
    const world = await openWorld(t);
    const { token } = await world.player("Chief", { members: { POLICE: 4 } });
    const reason = "Ö".repeat(500);
    await world.service.store.change({ who: "operator", operation: "data.import" }, (draft) =>
      draft.wantedReasons.put({ reason, points: 3 }),
    );
    await world.ok(token, "/wantedreason/remove", { reason });
    assert.deepEqual(await world.ok(token, "/wantedreason"), []);
  });
});
