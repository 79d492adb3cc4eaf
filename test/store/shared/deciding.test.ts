/** What a node does where the shared journal has moved, answers late, or not at all; against a journal in memory. */
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { serveControl } from "../../../cli/serving/control-socket.ts";
import type { DataStore } from "../../../src/store/data.ts";
import { nodeFiles } from "../../../src/store/folder/files.ts";
import { FolderLock } from "../../../src/store/folder/lock.ts";
import { FolderHeld } from "../../../src/store/folder/lock-file.ts";
import { LineEncoder } from "../../../src/store/journal/lines.ts";
import { AppendRefused } from "../../../src/store/shared/sequencer.ts";
import { temporaryFolder } from "../../_setup.ts";
import {
  type Call,
  contents,
  type Notebook,
  openNotebook,
  origin,
  put,
  ruledFiles,
  segment,
  snapshot,
  systemError,
} from "../_faults.ts";
import { FakeJournal, type FakeSequencer } from "./_fake.ts";
import { until } from "./_nodes.ts";

async function openNode(
  t: TestContext,
  sequencer: FakeSequencer,
  folder?: string,
  options = {},
  maxStaleness = 60_000,
): Promise<Notebook> {
  const shared = { sequencer, maxStaleness };
  const store = await openNotebook(folder ?? (await temporaryFolder(t)), { shared, ...options });
  t.after(() => store.close().catch(() => {}));
  return store;
}

/** Two nodes, of which the second one learns of changes only when it appends. */
async function openPair(t: TestContext) {
  const journal = new FakeJournal();
  return {
    journal,
    one: await openNode(t, journal.node()),
    other: await openNode(t, journal.node({ wakes: false })),
  };
}

describe("a change that finds the journal moved", () => {
  it("is decided again, on what the other node has changed", async (t) => {
    const { one, other } = await openPair(t);
    await put(one, "a", "theirs");
    const seen: (string | undefined)[] = [];
    await other.change(origin, (draft) => {
      seen.push(draft.notes.get("a")?.text);
      draft.notes.put({ id: "a", text: "mine", topic: null });
    });
    assert.deepEqual(seen, [undefined, "theirs"]);
    assert.equal(other.sequence, 2);
    await until(() => one.sequence === 2);
    assert.deepEqual(contents(one.data), contents(other.data));
  });

  it("is refused if it may no longer be made", async (t) => {
    const { one, other } = await openPair(t);
    await put(one, "a");
    const refuse = other.change(origin, (draft) => {
      if (draft.notes.has("a")) throw new Error("taken");
      draft.notes.put({ id: "a", text: "mine", topic: null });
    });
    await assert.rejects(refuse, /taken/);
    assert.equal(one.sequence, 1);
  });

  it("keeps its place before those that came later", async (t) => {
    const { one, other } = await openPair(t);
    await put(one, "a");
    const texts = ["first", "second", "third"];
    await Promise.all(texts.map((text) => put(other, "b", text)));
    assert.equal(other.data.notes.get("b")?.text, "third");
  });
});

describe("an append without an answer", () => {
  for (const when of ["before", "after"] as const) {
    it(`that was lost ${when} it took place is repeated, and made once`, async (t) => {
      const { journal, one } = await openPair(t);
      let losses = 0;
      journal[when] = () => {
        losses += 1;
        if (losses <= 2) throw new Error("connection lost");
      };
      await put(one, "a");
      assert.equal(journal.batches.length, 1);
      assert.equal(losses, 3);
      assert.equal(one.sequence, 1);
    });
  }

  it("is unknown after two seconds, and later changes are refused at once, until it is known", async (t) => {
    const { journal, one } = await openPair(t);
    let answer = () => {};
    journal.after = () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      });
    await assert.rejects(put(one, "a"), { code: "OUTCOME_UNKNOWN" });
    await assert.rejects(put(one, "b"), { code: "STORE_UNAVAILABLE" });
    assert.match(String(await one.problem()), /has not confirmed the last change/);
    assert.deepEqual(contents(one.data).notes, []);
    journal.after = () => {};
    answer();
    await until(() => one.data.notes.has("a"));
    await put(one, "b");
    assert.equal(await one.problem(), undefined);
  });

  it("that is refused for good changes nothing", async (t) => {
    const { journal, one } = await openPair(t);
    journal.before = () => {
      throw new AppendRefused("no space left");
    };
    await assert.rejects(put(one, "a"), { code: "STORE_UNAVAILABLE" });
    journal.before = () => {};
    await put(one, "b");
    assert.deepEqual(
      [...one.data.notes.values()].map(({ id }) => id),
      ["b"],
    );
  });

  it("is repeated although a repetition is refused, since the first may have been made", async (t) => {
    const { journal, one } = await openPair(t);
    const faults = [new Error("connection lost"), new AppendRefused("no space left")];
    journal.after = () => {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
    };
    await put(one, "a");
    assert.deepEqual([one.sequence, journal.batches.length, faults.length], [1, 1, 0]);
  });

  it("does not keep the node from closing", async (t) => {
    const { journal, one } = await openPair(t);
    journal.before = () => {
      throw new Error("connection lost");
    };
    const outcome = assert.rejects(put(one, "a"), { code: "OUTCOME_UNKNOWN" });
    await Promise.all([outcome, one.close()]);
  });
});

it("a bulk change waits for nobody's change, and others decide on it", async (t) => {
  const { one, other } = await openPair(t);
  await put(one, "a");
  const after = { id: "b", text: "bulk", topic: null };
  const changes = () => {
    assert.ok(other.data.notes.has("a"), "it is decided on what the other node has changed");
    return [{ collection: "notes", key: "b", before: null, after }];
  };
  assert.equal(await other.changeInBulk(origin, changes), 2);
  await until(() => one.data.notes.has("b"));
  // Nobody is held up by it any more.
  assert.equal(await one.changeInBulk(origin, () => []), undefined);
});

it("a bulk change before which the folder cannot follow the journal has an unknown outcome", async (t) => {
  const journal = new FakeJournal();
  const sequencer = journal.node({ wakes: false });
  const [one, other] = [await openNode(t, journal.node()), await openNode(t, sequencer)];
  const hold = sequencer.hold.bind(sequencer);
  sequencer.hold = async () => {
    await put(one, "a");
    await rm(join(other.folder, "lock"));
    return hold();
  };
  await assert.rejects(
    other.changeInBulk(origin, () => []),
    { code: "OUTCOME_UNKNOWN" },
  );
});

it("a store that is closed ends its connection to the journal", async (t) => {
  const sequencer = new FakeJournal().node();
  const close = t.mock.method(sequencer, "close");
  const store = await openNode(t, sequencer);
  await store.close();
  assert.equal(close.mock.callCount(), 1);
});

it("a folder that a crash has cut within a batch takes over the rest of it", async (t) => {
  const journal = new FakeJournal();
  const folder = await temporaryFolder(t);
  const store = await openNode(t, journal.node(), folder);
  await put(store, "a");
  await Promise.all(["b", "c"].map((id) => put(store, id)));
  assert.equal(journal.batches.length, 2, "the last two are one batch");
  await store.close();
  const path = join(folder, segment(1));
  const lines = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, `${lines.slice(0, 3).join("\n")}\n`);
  const again = await openNode(t, journal.node(), folder);
  assert.deepEqual(
    contents(again.data).notes.map(({ id }) => id),
    ["a", "b", "c"],
  );
});

it("a new folder for which fetching the data fails blames the journal, and begins at a later start", async (t) => {
  const journal = new FakeJournal();
  const [source, folder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const store = await openNode(t, journal.node(), source);
  await put(store, "a");
  const failing = journal.node();
  failing.snapshot = async () => ({
    head: journal.head,
    pieces: (async function* () {
      yield Buffer.from("{");
      throw new Error("connection lost");
    })(),
  });
  const message = "The shared journal fake cannot be used: connection lost.";
  await assert.rejects(openNode(t, failing, folder), { code: "STORE_UNAVAILABLE", message });
  await put(store, "b");
  const node = journal.node();
  await store.snapshot();
  node.snapshot = async () => ({ head: journal.head, pieces: createReadStream(join(source, snapshot(2))) });
  const again = await openNode(t, node, folder);
  assert.deepEqual(contents(again.data), contents(store.data));
  await put(again, "c");
  assert.equal(again.sequence, 3);
});

for (const whose of ["its own change", "that of another"])
  it(`a node whose folder cannot follow ${whose} stops, and catches up when it starts again`, async (t) => {
    const journal = new FakeJournal();
    const folder = await temporaryFolder(t);
    const fatal: Error[] = [];
    let isFull = false;
    const rule = ({ operation }: Call) =>
      isFull && operation === "write" ? systemError("ENOSPC") : undefined;
    const onFatal = (error: Error) => fatal.push(error);
    const store = await openNode(t, journal.node(), folder, { files: ruledFiles(rule), onFatal });
    const other = await openNode(t, journal.node());
    await put(store, "a");
    isFull = true;
    if (whose === "that of another") await put(other, "b");
    else await assert.rejects(put(store, "b"), { code: "OUTCOME_UNKNOWN" });
    await until(() => fatal.length === 1);
    isFull = false;
    // Before its process has ended it may hear of more, which must leave no gap behind.
    await put(other, "c");
    await store.close();
    const again = await openNode(t, journal.node(), folder);
    assert.deepEqual(
      contents(again.data).notes.map(({ id }) => id),
      ["a", "b", "c"],
    );
  });

it("a reading that failed is repeated, although nothing is left to read", async (t) => {
  const journal = new FakeJournal();
  const reader = journal.node();
  const node = await openNode(t, reader);
  await put(node, "a");
  reader.reading = Promise.reject(new Error("permission denied"));
  await node.shared?.catchUp().catch(() => {});
  reader.reading = Promise.resolve();
  await until(async () => (await node.problem()) === undefined);
  await put(node, "b");
});

describe("a request that asks for a change", () => {
  it("waits until it is known", async (t) => {
    const { one, other } = await openPair(t);
    const known = one.shared?.reach(1);
    await put(other, "a");
    assert.equal(await known, true);
    assert.equal(await other.shared?.reach(1), true);
    assert.equal(other.shared?.lag, 0);
  });

  it("is answered at once where a thousand wait already", async (t) => {
    const { one } = await openPair(t);
    const waiting = Array.from({ length: 1000 }, () => one.shared?.reach(1));
    assert.equal(
      await Promise.race([one.shared?.reach(1), ...waiting.map(() => new Promise(() => {}))]),
      false,
    );
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([false]));
  });
});

it("a machine that does not keep up must not answer, nor change anything, until it does", async (t) => {
  const journal = new FakeJournal();
  const slow = journal.node();
  const [one, other] = [await openNode(t, journal.node()), await openNode(t, slow, undefined, {}, 600)];
  let goOn = () => {};
  slow.reading = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await put(one, "a");
  // It waits for what others have changed.
  await assert.rejects(put(other, "b"), { code: "STORE_UNAVAILABLE" });
  await until(() => /has not kept up/.test(other.shared?.unfit ?? ""));
  assert.match(String(await other.problem()), /has not kept up/);
  goOn();
  await until(() => other.data.notes.has("a"));
  await until(async () => (await other.problem()) === undefined);
  await put(other, "b");
});

it("changes are refused where the journal lacks what others have changed", async (t) => {
  const { journal, one, other } = await openPair(t);
  // A round trip, during which the node does other things.
  journal.before = () => sleep(1);
  journal.after = () => void journal.batches.pop();
  await put(one, "a");
  await assert.rejects(put(other, "b"), { code: "STORE_UNAVAILABLE" });
  assert.match(String(await other.problem()), /follows change 0 in the shared journal is missing/);
});

it("a change that PostgreSQL refused counts as a problem until one succeeds", async (t) => {
  const journal = new FakeJournal();
  const node = await openNode(t, journal.node());
  journal.before = () => {
    throw new AppendRefused("permission denied");
  };
  await assert.rejects(put(node, "a"), { code: "STORE_UNAVAILABLE" });
  assert.equal(await node.problem(), "The last change could not be saved.");
  journal.before = () => {};
  await put(node, "a");
  assert.equal(await node.problem(), undefined);
});

it("a service stops although the journal does not confirm a change", async (t) => {
  const { journal, one } = await openPair(t);
  journal.after = () => sleep(100).then(() => Promise.reject(new Error("connection lost")));
  const outcome = assert.rejects(put(one, "a"), { code: "OUTCOME_UNKNOWN" });
  let isChecked = false;
  const check = () => {
    isChecked = true;
    return one.check();
  };
  const store = { folder: one.folder, check } as unknown as DataStore;
  const log = { info() {}, warn() {} };
  const control = await serveControl(store, { run: async () => Promise.reject(new Error("none")) }, log);
  await until(() => isChecked);
  await control.close();
  await Promise.all([outcome, one.close()]);
});

it("a change of a newer version, which has another collection, stays out of the folder", async (t) => {
  const journal = new FakeJournal();
  const sequencer = journal.node();
  const node = await openNode(t, sequencer);
  const changes = [{ collection: "later", key: "a", before: null, after: {} }];
  const nothing = { request: null, table: null, undoes: null };
  const encoder = new LineEncoder(0);
  encoder.add(JSON.stringify({ sequence: 1, instant: 0, ...origin, ...nothing, changes }));
  const { chain } = encoder;
  let reads = 0;
  const read = sequencer.read.bind(sequencer);
  sequencer.read = (after) => {
    reads += 1;
    return read(after);
  };
  await journal.append(journal.head, { head: { sequence: 1, chain }, pieces: [encoder.piece()] });
  await until(() => reads > 2);
  assert.equal((await readFile(join(node.folder, segment(1)), "utf8")).split("\n").length, 2, "the header");
});

it("a folder that was moved is called so, and the one in its place gets no mark", async (t) => {
  const folder = join(await temporaryFolder(t), "data");
  const fatal: Error[] = [];
  const onFatal = (error: Error) => fatal.push(error);
  const node = await openNode(t, new FakeJournal().node(), folder, { onFatal });
  await put(node, "a");
  await rename(folder, `${folder}-old`);
  await mkdir(folder);
  await assert.rejects(put(node, "b"), { code: "OUTCOME_UNKNOWN" });
  assert.match(String(fatal[0]), /was moved, deleted or replaced/);
  assert.deepEqual(await readdir(folder), []);
});

it("after a loss of contact during a bulk change, others wait for it again", async (t) => {
  const sequencer = new FakeJournal().node();
  const node = await openNode(t, sequencer);
  const state = sequencer.state.bind(sequencer);
  await node.changeInBulk(origin, async () => {
    const waiting = put(node, "a");
    sequencer.state = () => Promise.reject(new Error("connection lost"));
    await assert.rejects(waiting, { code: "STORE_UNAVAILABLE" });
    sequencer.state = state;
    await until(async () => (await node.problem()) === undefined);
    return [];
  });
});

it("the first segment of a new node is locked", async (t) => {
  const node = await openNode(t, new FakeJournal().node());
  await rm(join(node.folder, "lock"));
  await assert.rejects(FolderLock.take(nodeFiles, node.folder), FolderHeld);
});

it("a node whose folder loses its journal goes on, and a snapshot saves what it has", async (t) => {
  const [journal, folder] = [new FakeJournal(), await temporaryFolder(t)];
  const [one, other] = [await openNode(t, journal.node(), folder), await openNode(t, journal.node())];
  await put(one, "a", "1");
  await rm(join(folder, segment(1)));
  await put(other, "b", "2");
  await until(() => one.sequence === other.sequence && !one.lookForCut());
  await put(one, "c", "3");
  await one.close();
  const again = await openNode(t, journal.node(), folder);
  assert.deepEqual(contents(again.data), contents(one.data));
});
