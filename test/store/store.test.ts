/** The store on a working disk: changes, batches, indexes and the lock. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { connectControl } from "../../src/control/client.ts";
import { controlOf } from "../../src/control/control.ts";
import { startControl } from "../../src/control/server.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { Service } from "../../src/service.ts";
import { readSegment } from "../../src/store/journal/segment.ts";
import { runs } from "../_depth.ts";
import { temporaryFolder } from "../_setup.ts";
import {
  assertRefused,
  contents,
  type Note,
  namesIn,
  openNotebook,
  origin,
  put,
  ruledFiles,
  segment,
} from "./_faults.ts";

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

  it("without effect has no number and no record", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    t.after(() => store.close());
    await put(store, "a");
    await put(store, "a");
    await store.change(origin, (draft) => {
      draft.notes.delete("a");
      draft.notes.put({ id: "a", text: "a", topic: null });
    });
    assert.equal(store.sequence, 1);
  });

  it("is one record of the journal: its effective changes, in the order of the collections", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    const note = (text: string) => ({ id: "a", text, topic: null });
    await Promise.all([
      store.change(origin, (draft) => {
        draft.tallies.put(note("one"));
        draft.notes.put(note("one"));
      }),
      store.change(origin, (draft) => {
        draft.tallies.put(note("two"));
        draft.notes.delete("a");
        draft.notes.put(note("one"));
      }),
    ]);
    await store.close();
    const { records } = readSegment(await readFile(join(folder, segment(1))));
    const one = { key: "a", before: null, after: note("one") };
    assert.deepEqual(
      records.map(({ record }) => record.changes),
      [
        [
          { collection: "notes", ...one },
          { collection: "tallies", ...one },
        ],
        [{ collection: "tallies", key: "a", before: note("one"), after: note("two") }],
      ],
    );
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

  it("shares one sync with all others that came during a write", async (t) => {
    // A batch ends after 5 ms: on a busy machine these changes would be two.
    t.mock.method(performance, "now", () => 0);
    const { gate, files } = gatedFiles();
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder, { files });
    gate.syncs = 0;
    gate.closed = true;
    const first = put(store, "first");
    const rest = Array.from({ length: 100 }, (_, index) => put(store, `n${index}`));
    gate.closed = false;
    await settle();
    gate.open();
    await Promise.all([first, ...rest]);
    assert.equal(gate.syncs, 2);
    assert.equal(store.sequence, 101);
    await store.close();
    const again = await openNotebook(folder);
    t.after(() => again.close());
    assert.equal(again.data.notes.size, 101);
  });
});

describe("thousands of changes at once", () => {
  it("are decided in batches: the first are acknowledged before the last are decided", async (t) => {
    const store = await openNotebook(await temporaryFolder(t));
    t.after(() => store.close());
    let decided = 0;
    const count = 3000;
    const answers = Array.from({ length: count }, (_, number) =>
      store.change(origin, (draft) => {
        decided += 1;
        draft.notes.put({ id: `note ${number}`, text: "x", topic: null });
        return decided;
      }),
    );
    await answers[0];
    assert.ok(decided < count / 2, `${decided} were decided when the first was answered`);
    assert.deepEqual(
      await Promise.all(answers),
      Array.from({ length: count }, (_, number) => number + 1),
      "in the order in which they came",
    );
    assert.equal(store.sequence, count);
  });
});

describe("an index", () => {
  const step = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    topic: fc.constantFrom("x", "y", null),
    drops: fc.boolean(),
    fails: fc.boolean(),
  });
  const topicsOf = (rows: { find(index: "topic", value: string): readonly Note[] }) =>
    ["x", "y"].map((topic) => Array.from(rows.find("topic", topic), ({ id }) => id).sort());
  const byHand = (rows: { values(): Iterable<Note> }) =>
    ["x", "y"].map((topic) =>
      [...rows.values()]
        .filter((note) => note.topic === topic)
        .map(({ id }) => id)
        .sort(),
    );

  it("finds what a scan finds: in drafts, in memory, after replay, in a snapshot and after a restart", async (t) => {
    const folder = await temporaryFolder(t);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 12 }), async (batches) => {
        run += 1;
        const here = join(folder, String(run));
        const store = await openNotebook(here);
        for (const [index, batch] of batches.entries()) {
          await Promise.allSettled(
            batch.map(({ id, topic, drops, fails }) =>
              store.change(origin, (draft) => {
                if (drops) draft.notes.delete(id);
                else draft.notes.put({ id, text: String(index), topic });
                assert.deepEqual(topicsOf(draft.notes), byHand(draft.notes));
                assert.equal(draft.notes.size, [...draft.notes.values()].length);
                if (fails) throw new Failure("CONFLICT", "rolled back");
              }),
            ),
          ).then((outcomes) => {
            for (const outcome of outcomes)
              if (outcome.status === "rejected") assert.equal(outcome.reason.code, "CONFLICT");
          });
          assert.deepEqual(topicsOf(store.data.notes), byHand(store.data.notes));
          if (index === 4) await store.snapshot();
        }
        await store.close();
        for (const snapshot of [true, false]) {
          const again = await openNotebook(here);
          assert.deepEqual(contents(again.data), contents(store.data));
          assert.deepEqual(topicsOf(again.data.notes), byHand(again.data.notes));
          await again.close({ snapshot });
        }
      }),
      { numRuns: runs(25) },
    );
  });
});

describe("the lock", () => {
  it("refuses a second holder in the same process and in another, and is free after close", async (t) => {
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder);
    await assertRefused(openNotebook(folder), folder, /another process/i);
    await store.close();
    await (await openNotebook(folder)).close();
  });

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
    const control = await startControl(folder, controlOf(service, async () => service, { pid: 7, url: "http://here", since: 0 }));
    t.after(() => control.close());
    assert.equal((await (await connectControl(folder))?.holder())?.pid, 7);
  });
});
