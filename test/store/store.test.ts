/** The store on a working disk: changes, batches, indexes and the lock. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { connectControl } from "../../src/control/client.ts";
import { controlOf } from "../../src/control/operations.ts";
import { startControl } from "../../src/control/server.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { Service } from "../../src/service.ts";
import { temporaryFolder } from "../_setup.ts";
import { assertRefused, contents, namesIn, openNotebook, origin, put, ruledFiles } from "./_faults.ts";

/** Files that count the syncs of data, and hold them until they are let go. */
function gatedFiles() {
  const gate = { syncs: 0, closed: false, open: () => {} };
  const files = ruledFiles(async ({ operation }) => {
    if (operation !== "datasync") return undefined;
    gate.syncs += 1;
    if (gate.closed) {
      await new Promise<void>((resolve) => {
        gate.open = resolve;
      });
    }
    return undefined;
  });
  return { gate, files };
}

/** Lets everything happen that does not wait for the gate. */
async function settle(): Promise<void> {
  for (let step = 0; step < 20; step += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("a change", () => {
  it("returns its answer and is visible to everyone", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    t.after(() => store.close());
    const answer = await store.change({ who: "operator", operation: "test" }, (draft, { sequence }) => {
      draft.notes.put({ id: "a", text: "one", topic: null });
      assert.equal(draft.notes.get("a")?.text, "one");
      return `change ${sequence}`;
    });
    assert.equal(answer, "change 1");
    assert.equal(store.data.notes.get("a")?.text, "one");
    assert.equal(store.sequence, 1);
  });

  it("that throws changes nothing, and others in its batch are made", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await put(store, "a", "old");
    const refusal = new Failure("CONFLICT", "no");
    const outcomes = await Promise.allSettled([
      put(store, "b"),
      store.change(origin, (draft) => {
        draft.notes.put({ id: "a", text: "new", topic: null });
        draft.notes.delete("b");
        throw refusal;
      }),
      store.change(origin, (draft) => [...draft.notes.values()].map(({ id, text }) => `${id}=${text}`)),
    ]);
    assert.equal(outcomes[1]?.status === "rejected" && outcomes[1].reason, refusal);
    assert.deepEqual(outcomes[2]?.status === "fulfilled" && outcomes[2].value, ["a=old", "b=b"]);
    assert.equal(store.sequence, 2);
    await store.close();
    const again = await openNotebook(folder);
    t.after(() => again.close());
    assert.deepEqual(contents(again.data), contents(store.data));
  });

  it("that cannot be encoded is refused and invisible to those after it", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    t.after(() => store.close());
    const impossible = store.change(origin, (draft) => {
      draft.notes.put({ id: "a", text: 1n as unknown as string, topic: null });
    });
    const seen = store.change(origin, (draft) => draft.notes.has("a"));
    await assert.rejects(impossible, /BigInt/);
    assert.equal(await seen, false);
    assert.equal(store.data.notes.has("a"), false);
  });

  it("is acknowledged only after its sync, and invisible before", async (t) => {
    const { gate, files } = gatedFiles();
    const store = await openNotebook(await temporaryFolder(t), { files });
    t.after(() => store.close());
    gate.syncs = 0;
    gate.closed = true;
    let answers = 0;
    const change = put(store, "a").then(() => {
      answers += 1;
    });
    await settle();
    assert.equal(gate.syncs, 1);
    assert.equal(answers, 0);
    assert.equal(store.data.notes.has("a"), false);
    assert.equal(store.sequence, 0);
    gate.closed = false;
    gate.open();
    await change;
    assert.equal(store.data.notes.has("a"), true);
  });

  it("that is refused because of an earlier one waits for the sync of that one", async (t) => {
    const { gate, files } = gatedFiles();
    const store = await openNotebook(await temporaryFolder(t), { files });
    t.after(() => store.close());
    gate.syncs = 0;
    gate.closed = true;
    const first = put(store, "first");
    const second = put(store, "a");
    let refused = false;
    const third = store
      .change(origin, (draft) => {
        if (draft.notes.has("a")) throw new Failure("CONFLICT", "a is there");
      })
      .catch(() => {
        refused = true;
      });
    await settle();
    gate.open();
    await first;
    await settle();
    // The second sync is under way: the refusal rests on what is not durable yet.
    assert.equal(gate.syncs, 2);
    assert.equal(refused, false);
    gate.closed = false;
    gate.open();
    await Promise.all([second, third]);
    assert.equal(refused, true);
  });
});

describe("the lock", () => {
  it("is free at once after kill -9 of its holder, despite the remaining socket", async (t) => {
    const folder = await temporaryFolder(t);
    const holder = `
      const { openNotebook } = await import(${JSON.stringify(new URL("./_faults.ts", import.meta.url).href)});
      const { createServer } = await import("node:net");
      await openNotebook(process.argv[1]);
      createServer().listen(process.argv[1] + "/socket", () => console.log("holding"));`;
    const tsx = import.meta.resolve("tsx");
    const child = spawn(process.execPath, ["--import", tsx, "--input-type=module", "-e", holder, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => child.kill("SIGKILL"));
    await once(child.stdout, "data");
    await assertRefused(openNotebook(folder), folder);
    child.kill("SIGKILL");
    await once(child, "exit");
    const store = await openNotebook(folder);
    t.after(() => store.close());
    assert.deepEqual(await namesIn(folder, /^socket$/), ["socket"]);
    assert.equal(await connectControl(folder), undefined);
    const service = { store } as unknown as Service;
    const control = await startControl(
      folder,
      controlOf({
        ...service.environment,
        service: async () => service,
        holder: { pid: 7, url: "http://here", since: 0 },
      }),
    );
    t.after(() => control.close());
    assert.equal((await (await connectControl(folder))?.run("holder", {}))?.pid, 7);
  });
});
