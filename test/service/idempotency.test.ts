/**
 * `Idempotency-Key`: an operation that counts, repeated by the same caller with the same key within
 * 24 hours, gets the same answer and counts nothing; another operation with the key gets 409. Other changes store
 * nothing.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Service } from "../../src/service.ts";
import {
  type Answered,
  assertFailure,
  assertLacks,
  Clock,
  everyRight,
  openAs,
  openWorld,
  prefix,
  shippedRoutes,
  temporaryFolder,
  type World,
} from "../_setup.ts";

/** Calls an operation with a key. */
function withKey(
  world: World,
  key: string,
  token: string,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<Answered> {
  return world.get(token, path, query, { headers: { "Idempotency-Key": key } });
}

const addKill = ["/statistic/Ada/add", { type: "KILL" }] as const;

async function kills(world: World, name = "Ada"): Promise<number> {
  return (await world.ok(world.publicToken, `/statistic/${name}`)).gameplay.kills;
}

describe("a repeated request", () => {
  it("a repeated change that does not count runs again, and stores nothing", async (t) => {
    const { world, token } = await openAs(t, "Ada", everyRight);
    const theft = { reason: "Theft" };
    assert.equal(
      (await withKey(world, "k-1", token, "/wantedreason/add", { ...theft, points: 1 })).status,
      200,
    );
    const remove = () => withKey(world, "k-1", token, "/wantedreason/remove", theft);
    assert.equal((await remove()).status, 200);
    assertFailure(await remove(), 404, "UNKNOWN_ENTRY");
    assert.equal((await withKey(world, "k-1", token, ...addKill)).status, 200);
    assert.equal(world.service.store.data.repetitions.size, 1);
  });

  it("a request with a public token stores nothing, whatever its key", async (t) => {
    const world = await openWorld(t);
    for (let number = 0; number < 3; number += 1) {
      const score = { attacker: number, defender: 0 };
      const answer = await withKey(world, `k-${number}`, world.publicToken, "/event/gangwar", score);
      assert.equal(answer.status, 200);
    }
    assert.equal(world.service.store.data.repetitions.size, 0);
  });

  it("a repeated request gets the same answer, and counts only without the key or with another one", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const first = await withKey(world, "k-1", token, ...addKill);
    const { sequence } = world.service.store;
    for (let times = 0; times < 3; times += 1) {
      const { status, body, headers } = await withKey(world, "k-1", token, ...addKill);
      assert.deepEqual([status, body, headers.get("cache-control")], [200, first.body, "no-store"]);
    }
    assert.equal(await kills(world), 1);
    assert.equal(world.service.store.sequence, sequence);
    await withKey(world, "k-2", token, ...addKill);
    assert.equal(await kills(world), 2);
    await world.ok(token, ...addKill);
    await world.ok(token, ...addKill);
    assert.equal(await kills(world), 4);
  });

  it("20 simultaneous requests with one key count once", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => withKey(world, "k-1", token, ...addKill)),
    );
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, answers[0]?.body);
    }
    assert.equal(await kills(world), 1);
    assert.equal([...world.service.store.data.repetitions.values()].length, 1);
  });

  it("a repeated request is recognized with quotes around the key, another token, and a value in another case", async (t) => {
    const world = await openWorld(t);
    const ada = await world.player("Ada");
    const { token } = await world.service.administer("token.issue", { player: "Ada" });
    const key = "~".repeat(128);
    const first = await withKey(world, `"${key}"`, ada.token, ...addKill);
    const again = await withKey(world, key, token, "/statistic/Ada/add/", { type: "kill" });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(await kills(world), 1);
  });

  it("a repeated key with other parameters is refused with 409 and changes nothing", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    await withKey(world, "k-1", token, ...addKill);
    const before = world.snapshot();
    for (const type of ["DEATH", "REVIVE"]) {
      const answer = await withKey(world, "k-1", token, "/statistic/Ada/add", { type });
      assertFailure(answer, 409, "CONFLICT", "Idempotency-Key");
    }
    assert.deepEqual(world.snapshot(), before);
  });

  it("a repeated request is refused once the caller is denied the operation", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    assert.equal((await withKey(world, "k-1", token, ...addKill)).status, 200);
    await world.service.administer("group.add", { player: "Ada", group: "BLACKLIST" });
    assertFailure(await withKey(world, "k-1", token, ...addKill), 403, "EXCLUDED");
  });
});

describe("an Idempotency-Key", () => {
  for (const [what, key] of [
    ["is empty", ""],
    ["is empty in quotes", '""'],
    ["contains a space", "two words"],
    ["is longer than 128 characters", "k".repeat(129)],
    ["is not ASCII", "schl\u00fcssel"],
  ] as const) {
    it(`an Idempotency-Key that ${what} is refused and changes nothing`, async (t) => {
      const { world, token } = await openAs(t, "Ada");
      assertFailure(
        await withKey(world, key, token, ...addKill),
        400,
        "PARAMETER_INVALID",
        "Idempotency-Key",
      );
      assert.equal(await kills(world), 0);
    });
  }

  it("an Idempotency-Key that contains a token is refused, and the data folder does not get it", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const { sequence } = world.service.store;
    for (const key of [token, `"${token}"`, `kill-${token}-1`]) {
      const refused = await withKey(world, key, token, ...addKill);
      assertFailure(refused, 400, "PARAMETER_INVALID");
      assert.equal(refused.body.parameter, "Idempotency-Key");
      assertLacks(JSON.stringify(refused.body), token);
    }
    assert.equal(world.service.store.sequence, sequence);
    assert.equal(await kills(world), 0);
  });

  it("a malformed Idempotency-Key is refused even by a change that does not count", async (t) => {
    const world = await openWorld(t);
    const score = { attacker: 1, defender: 0 };
    const answer = await withKey(world, "k".repeat(129), world.publicToken, "/event/gangwar", score);
    assertFailure(answer, 400, "PARAMETER_INVALID", "Idempotency-Key");
  });

  it("a read ignores an Idempotency-Key, even if malformed", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const { sequence } = world.service.store;
    for (const key of ["k-1", "two words", ""]) {
      assert.equal((await withKey(world, key, token, "/statistic/Ada")).status, 200);
    }
    assert.equal(world.service.store.sequence, sequence);
    assert.equal((await withKey(world, "k-1", token, ...addKill)).status, 200);
    assert.equal((await withKey(world, "k-1", token, "/statistic/Ada")).status, 200);
  });

  it("a web page may send an Idempotency-Key", async (t) => {
    const world = await openWorld(t);
    const answer = await world.request(`${prefix}/${world.publicToken}/event/gangwar`, {
      method: "OPTIONS",
      headers: {
        Origin: "https://community.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "idempotency-key",
      },
    });
    assert.equal(answer.status, 204);
    assert.match(answer.headers.get("access-control-allow-headers") ?? "", /\*|idempotency-key/i);
  });
});

describe("the stored answer of a repeatable request", () => {
  it("a stored answer survives a restart, with and without a snapshot", async (t) => {
    const folder = join(await temporaryFolder(t), "data");
    const { now } = new Clock();
    const options = { folder, routes: shippedRoutes, now };
    let token = "";
    const answers: unknown[] = [];
    for (const snapshot of [false, true, false]) {
      const service = await Service.open(options);
      if (service.store.sequence === 0) {
        await service.administer("seed.groups", {
          groups: ["BLACKLIST", "TARGETLIST"],
          services: ["RESCUE", "POLICE"],
        });
        await service.administer("player.add", { name: "Ada" });
        ({ token } = await service.administer("token.issue", { player: "Ada" }));
      }
      await service.routes.load();
      const url = `http://localhost${prefix}/${token}/statistic/Ada/add?type=KILL`;
      const response = await service.fetch(new Request(url, { headers: { "Idempotency-Key": "k-1" } }));
      answers.push(await response.json());
      const statistics = [...service.store.data.statistics.values()];
      assert.deepEqual(
        statistics.map((statistic) => statistic.kills),
        [1],
      );
      await service.close({ snapshot });
    }
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
  });

  it("a long key takes as much of the journal as a short one, and is stored nowhere", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const stored: string[] = [];
    for (const key of ["k", "long".repeat(32)]) {
      await withKey(world, key, token, ...addKill);
      stored.push(JSON.stringify([...world.service.store.data.repetitions.values()].at(-1)));
    }
    assert.equal(stored[0]?.length, stored[1]?.length);
    assertLacks(stored.join(), "longlong");
  });

  it("an answer that a version before stored under the key itself is given for its 24 hours", async (t) => {
    const { world, token } = await openAs(t, "Ada");
    const first = await withKey(world, "k-1", token, ...addKill);
    const { store } = world.service;
    await store.change({ who: "system", operation: "test" }, ({ repetitions }) => {
      const [answer] = [...repetitions.values()];
      assert.ok(answer !== undefined, "the answer is stored");
      repetitions.delete(`${answer.scope} ${answer.key}`);
      repetitions.put({ ...answer, key: "k-1" });
    });
    assert.deepEqual((await withKey(world, "k-1", token, ...addKill)).body, first.body);
    assert.equal(await kills(world), 1);
  });
});
