/** The list of `/mgmt/users`: exact with few clients, and rebuilt at most once a second with many. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { Token } from "../../src/domain/model.ts";
import { ReadyBody } from "../../src/engine/body.ts";
import { Clients } from "../../src/identity/clients.ts";
import { mostAtOnce, UserList } from "../../src/resources/user-list.ts";
import { type Cleanup, openWorld } from "../_setup.ts";

const token: Token = {
  id: "",
  hash: "",
  uuid: "",
  label: null,
  addonVersion: "2.5.1",
  issuedAt: 0,
  expiresAt: null,
  revokedAt: null,
};

function uuidOf(number: number): string {
  return createHash("md5").update(String(number)).digest("hex");
}

/** Returns a number of players with a token, and their list. */
async function openList(t: Cleanup, count: number) {
  const world = await openWorld(t);
  const { service, clock } = world;
  const { store, activity } = service;
  await store.change({ who: "system", operation: "fill" }, (draft) => {
    for (let number = 0; number < count; number += 1) {
      const uuid = uuidOf(number);
      const hash = createHash("sha256").update(uuid).digest("hex");
      draft.tokens.put({ ...token, id: String(number), hash, uuid });
    }
  });
  const clients = new Clients(store.data, activity);
  const list = new UserList(clients);
  return {
    world,
    clock,
    list,
    clients,
    at: () => list.at(clock.time),
    /** Reports another version of a client. */
    tell: (number: number, version: string) => activity.note(uuidOf(number), version, clock.time),
  };
}

function read(body: ReadyBody): { uuid: string; version: string }[] {
  return JSON.parse(body.for(null).bytes.toString());
}

function versionIn(body: ReadyBody, number: number): string | undefined {
  return read(body).find(({ uuid }) => uuid === uuidOf(number))?.version;
}

/** Returns a body that is available at once. */
function ready(answer: ReadyBody | Promise<ReadyBody>): ReadyBody {
  return answer instanceof ReadyBody ? answer : assert.fail("it was waited for");
}

it("the user list of up to 1,000 clients is exact, and built once per change", async (t) => {
  const { at, tell } = await openList(t, mostAtOnce);
  const first = ready(at());
  assert.equal(read(first).length, 1000);
  assert.equal(at(), first);
  for (const version of ["2.6", "2.7"]) {
    tell(7, version);
    assert.equal(versionIn(ready(at()), 7), version);
  }
});

describe("the list of more than 1,000 clients", () => {
  it("a long user list is built once for simultaneous requests, with every client in order", async (t) => {
    const { at, clients } = await openList(t, 1001);
    const answers = [at(), at(), at()];
    assert.ok(answers[0] instanceof Promise);
    const [body, ...others] = await Promise.all(answers);
    assert.ok(others.every((each) => each === body));
    assert.ok(body !== undefined);
    assert.deepEqual(read(body), clients.list());
    assert.equal(body.etag, new ReadyBody(body.for(null).bytes).etag);
    assert.equal(at(), body);
  });

  it("a long user list is rebuilt once a second, and unchanged until then", async (t) => {
    const { at, tell, clock } = await openList(t, 1001);
    const first = await at();
    for (const version of ["2.6", "2.7", "2.8"]) {
      tell(7, version);
      assert.equal(at(), first);
    }
    clock.advance(999);
    assert.equal(at(), first);
    clock.advance(1);
    // This request starts the rebuild without waiting for it.
    assert.equal(ready(at()), first);
    while (at() === first) await new Promise(setImmediate);
    const second = ready(at());
    assert.equal(versionIn(second, 7), "2.8");
    tell(7, "2.9");
    assert.equal(at(), second);
  });

  it("requests wait for the rebuild of a long user list that is two seconds old", async (t) => {
    const { at, tell, clock } = await openList(t, 1001);
    await at();
    tell(7, "2.6");
    clock.advance(2000);
    const answers = [at(), at()];
    assert.ok(answers.every((each) => each instanceof Promise));
    const [body, other] = await Promise.all(answers);
    assert.equal(body, other);
    assert.ok(body !== undefined);
    assert.equal(versionIn(body, 7), "2.6");
  });

  it("a long user list is complete and in order if clients change during its rebuild", async (t) => {
    const { at, world } = await openList(t, 5000);
    const building = at();
    const { store } = world.service;
    await store.change({ who: "system", operation: "test" }, (draft) => {
      for (let number = 0; number < 5000; number += 2) draft.tokens.delete(String(number));
    });
    const uuids = read(await building).map(({ uuid }) => uuid);
    assert.deepEqual(uuids, [...new Set(uuids)].sort());
    for (let number = 1; number < 5000; number += 2) assert.ok(uuids.includes(uuidOf(number)));
  });

  it("building a long user list does not block the event loop", async (t) => {
    const { at } = await openList(t, 5000);
    let isBuilt = false;
    const building = Promise.resolve(at()).then(() => {
      isBuilt = true;
    });
    let turns = 0;
    while (!isBuilt) {
      await new Promise(setImmediate);
      turns += 1;
    }
    await building;
    assert.ok(turns >= 2, `${turns} turns`);
  });

  it("a long user list is built after the request that needs it, in slices of a page and with a pause at the end", async (t) => {
    const { at, clients } = await openList(t, 1150);
    const list = t.mock.method(clients, "list");
    // Each slice ends after its first page.
    let time = 0;
    const clock = t.mock.method(performance, "now", () => {
      time += 1;
      return time;
    });
    let isBuilt = false;
    const building = Promise.resolve(at()).then((body) => {
      isBuilt = true;
      return body;
    });
    assert.equal(list.mock.callCount(), 0);
    let turns = 0;
    while (!isBuilt) {
      await new Promise(setImmediate);
      turns += 1;
      assert.equal(list.mock.callCount(), Math.min(turns, 13), "twelve pages, and none after the last");
    }
    clock.mock.restore();
    assert.equal(turns, 14);
    assert.deepEqual(read(await building), clients.list());
  });

  it("a long user list is rebuilt by the next request if a rebuild has failed", async (t) => {
    const { at, tell, clock, clients } = await openList(t, 1001);
    const first = await at();
    tell(7, "2.6");
    clock.advance(1000);
    const list = t.mock.method(clients, "list", () => {
      throw new Error("out of memory");
    });
    assert.equal(ready(at()), first);
    while (list.mock.callCount() === 0) await new Promise(setImmediate);
    // An unhandled rejection would be reported now.
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    clock.advance(1000);
    await assert.rejects(async () => at(), { message: "out of memory" });
    list.mock.restore();
    assert.equal(versionIn(await at(), 7), "2.6");
  });

  it("requests wait for a long user list if the clock was set back", async (t) => {
    const { at, tell, clock } = await openList(t, 1001);
    await at();
    tell(7, "2.6");
    clock.advance(-1);
    const answer = at();
    assert.ok(answer instanceof Promise);
    assert.equal(versionIn(await answer, 7), "2.6");
  });

  it("requests that waited for a long user list get it as their answer", async (t) => {
    const { world } = await openList(t, 1001);
    const [first, second] = await Promise.all([
      world.ok(world.publicToken, "/mgmt/users"),
      world.ok(world.publicToken, "/mgmt/users"),
    ]);
    assert.equal(first.length, 1001);
    assert.deepEqual(first, second);
    assert.equal((await world.ok(world.publicToken, "/mgmt")).totalClients, 1001);
    const called = await world.service.call("/mgmt/users", []);
    assert.equal(((await called.json()) as unknown[]).length, 1001);
  });
});
