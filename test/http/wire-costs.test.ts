/** Bounds on the cost of refusals: suggestions and messages examine a limited part of a request. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { mostCompared } from "../../src/domain/text.ts";
import { assertFailure, describeOverTransports, everyRight, openWorld, prefix } from "../_setup.ts";

describeOverTransports("a refusal", (transport) => {
  it("the refusal of a path of more than 200 characters suggests no other path", async (t) => {
    const world = await openWorld(t, { transport });
    const near = await world.request(`${prefix}/x/wantedreasn`);
    assertFailure(near, 404, "UNKNOWN_PATH");
    assert.match(near.body.hint, /\/wantedreason\?$/);
    const start = `${prefix}/x/wantedreasn`;
    const at = async (length: number) => {
      // The token fills up the length.
      const answer = await world.request(start.replace("/x/", `/${"x".repeat(length - start.length + 1)}/`));
      assertFailure(answer, 404, "UNKNOWN_PATH");
      return answer.body.hint;
    };
    assert.match(await at(200), /^Did you mean .*\/wantedreason\?$/);
    assert.doesNotMatch(await at(201), /Did you mean/);
  });

  it("the refusal of an unknown player suggests none if there are too many players to compare", async (t) => {
    const world = await openWorld(t, { transport });
    for (let number = 1; number <= mostCompared; number += 1) {
      await world.service.administer("player.add", { name: `Player${number}` });
    }
    const suggestion = async () => {
      const answer = await world.get(world.publicToken, "/statistic/Plaxer7");
      assertFailure(answer, 404, "UNKNOWN_PLAYER");
      return answer.body.info;
    };
    assert.match(await suggestion(), /Did you mean "Player7"\?$/);
    await world.service.administer("player.add", { name: "OneMore" });
    assert.doesNotMatch(await suggestion(), /Did you mean/);
  });

  it("the refusal of a group, a faction or a parameter of more than 200 characters suggests none", async (t) => {
    const world = await openWorld(t, { transport });
    const { token } = await world.player("Root", everyRight);
    const long = "v".repeat(5000);
    for (const answer of [
      await world.get(token, "/player/add", { name: "Ada", group: long }),
      await world.get(token, `/blacklistreason/${long}`),
      await world.get(token, "/player", { [long]: 1 }),
    ]) {
      assert.ok(answer.status === 404 || answer.status === 400, `answered ${answer.status}`);
      assert.doesNotMatch(JSON.stringify(answer.body), /Did you mean|v{41}/);
    }
  });

  it("the refusal of hundreds of malformed parameters decodes only the first hundred", async (t) => {
    const world = await openWorld(t, { transport });
    const decode = t.mock.method(globalThis, "decodeURIComponent");
    for (const [piece, code] of [
      ["%", "PARAMETER_UNKNOWN"],
      ["advanced=%", "PARAMETER_REPEATED"],
    ] as const) {
      const search = Array.from({ length: 700 }, () => piece).join("&");
      decode.mock.resetCalls();
      const answer = await world.request(`${prefix}/${world.publicToken}/houseban?${search}`);
      assertFailure(answer, 400, code);
      // Names and values are decoded, and h3 and the transport decode the path.
      assert.ok(decode.mock.callCount() <= 210, `decoded ${decode.mock.callCount()} times`);
    }
  });

  it("a parameter after hundreds of empty ones is accepted", async (t) => {
    const world = await openWorld(t, { transport });
    const answer = await world.request(
      `${prefix}/${world.publicToken}/houseban?${"&".repeat(500)}advanced=false`,
    );
    assert.equal(answer.status, 200);
  });
});
