/** Answers when the disk, the service or its code fails. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type File, type Files, nodeFiles } from "../../../src/store/folder/files.ts";
import {
  assertFailure,
  assertLacks,
  describeOverTransports,
  everyRight,
  openAs,
  openWorld,
} from "../../_setup.ts";

/** A disk on which nothing can be written while it is full. */
class Disk {
  full = false;
  readonly files: Files = {
    ...nodeFiles,
    open: async (path, flags, mode) => {
      const file = await nodeFiles.open(path, flags, mode);
      return new Proxy<File>(file, {
        get: (target, name) => {
          const full = Object.assign(new Error("ENOSPC: /secret/folder"), { code: "ENOSPC" });
          if (this.full && name === "write") return () => Promise.reject(full);
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
  };
}

describeOverTransports("a service that fails", (transport) => {
  it("a full disk refuses changes with 503 and Retry-After, while reads continue", async (t) => {
    const disk = new Disk();
    const { world, token } = await openAs(t, "Root", everyRight, { transport, files: disk.files });
    const before = structuredClone(world.snapshot());
    disk.full = true;
    const answer = await world.get(token, "/targetlist/add", { name: "Mallory" });
    assertFailure(answer, 503, "STORE_UNAVAILABLE");
    assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assertLacks(JSON.stringify(answer.body), "secret");
    assert.deepEqual(structuredClone(world.snapshot()), before);
    assert.deepEqual(await world.ok(token, "/targetlist"), []);
    disk.full = false;
    await world.ok(token, "/targetlist/add", { name: "Mallory" });
    assert.equal((await world.ok(token, "/targetlist")).length, 1);
  });

  it("a service that shuts down refuses changes with 503 and Retry-After", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight, { transport });
    const before = structuredClone(world.snapshot());
    await world.service.close();
    const answer = await world.get(token, "/targetlist/add", { name: "Mallory" });
    assertFailure(answer, 503, "SHUTTING_DOWN");
    assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    assert.deepEqual(structuredClone(world.snapshot()), before);
  });

  it("an internal error answers 500 without details, and is logged with its request id", async (t) => {
    const { world, token } = await openAs(t, "Root", everyRight, { transport });
    const fault = new Error("EACCES /srv/secret/journal");
    t.mock.method(world.service.store.data.targets, "values", () => {
      throw fault;
    });
    t.mock.method(world.service.store, "change", () => Promise.reject(fault));
    for (const path of ["/targetlist", "/targetlist/add?name=Ada"]) {
      const answer = await world.get(token, path);
      assertFailure(answer, 500, "INTERNAL");
      const words = JSON.stringify([answer.body, [...answer.headers]]);
      for (const detail of ["EACCES", "secret", ".ts", "    at "]) assertLacks(words, detail);
      assert.equal(answer.body.hint, undefined);
      const record = world.log.find(({ requestId }) => requestId === answer.body.requestId);
      assert.equal(record?.code, "INTERNAL");
      assert.equal(record?.error, fault);
    }
    t.mock.restoreAll();
    await world.ok(token, "/targetlist/add", { name: "Ada" });
  });
});

describe("a change", () => {
  it("a change is carried out without a later one, at whatever moment it follows another", async (t) => {
    const { service } = await openWorld(t);
    const count = (value: number) =>
      service.store.change({ who: "system", operation: "test" }, (draft) => {
        draft.counters.put({ name: "test", value });
      });
    for (let moment = 0; moment < 30; moment += 1) {
      await count(2 * moment);
      // Each round waits one microtask more than the round before.
      for (let step = 0; step < moment; step += 1) await null;
      // If the change is forgotten, nothing else runs: the runner reports a pending promise.
      await count(2 * moment + 1);
    }
    assert.equal(service.store.data.counters.get("test")?.value, 59);
  });
});
