/** The service as a whole: what it does every minute and when it ends, its readiness, and the calls of an operator. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { readSeed } from "../../src/operator/seed-file.ts";
import { Service, type ServiceOptions } from "../../src/service.ts";
import { Clock, shippedRoutes, shippedSeed, temporaryFolder } from "../_setup.ts";

/** Opens a service in a folder of its own, without a table in force. */
async function open(t: TestContext, options: Partial<ServiceOptions> = {}) {
  const clock = new Clock();
  const folder = join(await temporaryFolder(t), "data");
  const service = await Service.open({ folder, routes: shippedRoutes, now: clock.now, ...options });
  t.after(() => service.close());
  await service.administer("seed.groups", await readSeed(shippedSeed));
  return { service, clock, folder };
}

/** Returns what is done through the store and the table, in order: when each begins and ends. It takes its time. */
function watch(t: TestContext, service: Service): string[] {
  const steps: string[] = [];
  const slowly = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    steps.push(`${name} begins`);
    for (let turns = 0; turns < 5; turns += 1) await setImmediate();
    const result = await work();
    steps.push(`${name} ends`);
    return result;
  };
  const { store, routes } = service;
  const [change, close, settled] = [
    store.change.bind(store),
    store.close.bind(store),
    routes.settled.bind(routes),
  ];
  const changed: typeof store.change = (origin, decide) =>
    slowly(origin.operation, () => change(origin, decide));
  t.mock.method(store, "change", changed);
  t.mock.method(store, "close", (options?: { snapshot?: boolean }) => slowly("close", () => close(options)));
  t.mock.method(routes, "settled", () => slowly("settle", settled));
  return steps;
}

const saving = ["activity.save begins", "activity.save ends"];

describe("a service", () => {
  it("saves activity every minute", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const { service, clock } = await open(t);
    service.activity.note(null, undefined, clock.time);
    const steps = watch(t, service);
    service.start();
    t.mock.timers.tick(59_999);
    for (let turns = 0; turns < 20; turns += 1) await setImmediate();
    assert.deepEqual(steps, []);
    t.mock.timers.tick(1);
    while (steps.length < 2) await setImmediate();
    assert.deepEqual(steps, saving);
    assert.equal(service.store.data.counters.get("requests")?.value, 1);
    // And the next minute.
    service.activity.note(null, undefined, clock.time);
    t.mock.timers.tick(60_000);
    while (steps.length < 4) await setImmediate();
    assert.equal(service.store.data.counters.get("requests")?.value, 2);
  });

  it("does not keep the process running only to save activity", async (t) => {
    const { service } = await open(t);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    service.start();
    assert.equal(timers(), before);
  });

  it("that is closed settles the table, saves activity, and closes the store, one after the other", async (t) => {
    const { service, clock } = await open(t);
    service.activity.note(null, undefined, clock.time);
    const steps = watch(t, service);
    await service.close({ snapshot: true });
    assert.deepEqual(steps, ["settle begins", "settle ends", ...saving, "close begins", "close ends"]);
    await assert.rejects(service.store.snapshot(), { code: "SHUTTING_DOWN" });
  });

  it("reports what cannot be saved, and is closed all the same", async (t) => {
    const warnings: [string, unknown][] = [];
    const { service, clock } = await open(t, { warn: (...warning) => void warnings.push(warning) });
    service.activity.note(null, undefined, clock.time);
    const refusal = new Error("the disk is full");
    const steps = watch(t, service);
    const { change } = service.store;
    const failing: typeof change = (origin, decide) =>
      origin.operation === "activity.save" ? Promise.reject(refusal) : change(origin, decide);
    t.mock.method(service.store, "change", failing);
    await service.close();
    assert.deepEqual(warnings, [["Activity could not be saved.", refusal]]);
    assert.equal(steps.at(-1), "close ends");
  });
});

describe("the readiness of a service", () => {
  it("is checked once for all who ask at the same time, and again afterwards", async (t) => {
    const { service } = await open(t);
    let reason: string | undefined;
    const problem = t.mock.method(service.store, "problem", async () => {
      for (let turns = 0; turns < 5; turns += 1) await setImmediate();
      return reason;
    });
    const well = { status: "ready", changes: true, reason: null };
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => service.readiness())), [well, well, well]);
    assert.equal(problem.mock.callCount(), 1);
    reason = "The disk is full.";
    assert.deepEqual(await service.readiness(), { status: "ready", changes: false, reason });
    assert.equal(problem.mock.callCount(), 2);
  });

  it("is checked again after a check has failed", async (t) => {
    const { service } = await open(t);
    const problem = t.mock.method(service.store, "problem", () => Promise.reject(new Error("EIO")));
    for (const count of [1, 2]) {
      await assert.rejects(service.readiness(), /EIO/);
      assert.equal(problem.mock.callCount(), count);
    }
  });

  it("ends when the service has been told to stop", async (t) => {
    const stop = new AbortController();
    const { service } = await open(t, { stopping: stop.signal });
    assert.equal((await service.readiness()).status, "ready");
    stop.abort();
    assert.deepEqual(await service.readiness(), {
      status: "stopping",
      changes: false,
      reason: "The service is stopping.",
    });
  });
});

describe("an operator's call", () => {
  it("loads the table first, and runs as the operator or as a player", async (t) => {
    const { service } = await open(t);
    const answer = await service.call("/wantedreason", []);
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), []);
    await service.administer("player.add", { name: "Ada" });
    assert.equal((await service.call("/wantedreason", [], "Ada")).status, 200);
    await assert.rejects(service.call("/wantedreason", [], "Bob"), { code: "UNKNOWN_PLAYER" });
    // A player has no rank that may add one; the operator needs none.
    const query = [
      ["reason", "Theft"],
      ["points", "5"],
    ] as const;
    assert.equal((await service.call("/wantedreason/add", query, "Ada")).status, 403);
    assert.equal((await service.call("/wantedreason/add", query)).status, 200);
  });
});

describe("the table that a service follows", () => {
  it("is loaded when that returns, and the one in force at each call", async (t) => {
    const routes = join(await temporaryFolder(t), "routes.yaml");
    const text = await readFile(shippedRoutes, "utf8");
    await writeFile(routes, text);
    const { service } = await open(t, { routes });
    const table = await service.environment.loadTable();
    const before = table().revision;
    await writeFile(routes, `${text}\n# another revision\n`);
    const { revision, changed } = await service.reloadRoutes();
    assert.equal(changed, true);
    assert.notEqual(revision, before);
    assert.equal(table().revision, revision);
  });

  it("stays in force where another one is refused, which is reported", async (t) => {
    const routes = join(await temporaryFolder(t), "routes.yaml");
    await writeFile(routes, await readFile(shippedRoutes));
    const warnings: [string, unknown][] = [];
    const { service } = await open(t, { routes, warn: (...warning) => void warnings.push(warning) });
    const { revision } = await service.routes.load();
    await writeFile(routes, "nonsense: true\n");
    const error = await service.reloadRoutes().then(
      () => assert.fail("expected a refusal"),
      (cause: unknown) => cause,
    );
    assert.deepEqual(warnings, [
      [`The route table was refused; revision ${revision} stays in force.`, error],
    ]);
    assert.equal(service.routes.table.revision, revision);
  });
});
