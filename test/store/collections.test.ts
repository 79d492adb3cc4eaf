/** Collections in memory, without a folder: their records, indexes and watchers, and the drafts of a batch over them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { Collection, Database, type Rows } from "../../src/store/collection.ts";
import { BatchDraft } from "../../src/store/draft.ts";
import { runs } from "../_depth.ts";
import { type Note, notebook } from "./_faults.ts";

const topics = ["x", "y", "z"];
const step = fc.record({
  id: fc.constantFrom("a", "b", "c", "d", "e"),
  topic: fc.constantFrom("x", "y", null),
  drops: fc.boolean(),
});

const note = (id: string, topic: string | null = null, text = id): Note => ({ id, text, topic });

function collectionOf(...notes: readonly Note[]): Collection<Note> {
  const collection = new Collection<Note>(notebook.notes);
  for (const note of notes) collection.set(note.id, note);
  return collection;
}

/** What an index says about each topic, in the order in which it says it. */
function indexed(rows: Rows<Note>) {
  return topics.map((topic) => ({
    topic,
    found: rows.find("topic", topic),
  }));
}

/** The same from a list of all records, in the order in which they were last set. */
function scanned(notes: readonly Note[]) {
  return topics.map((topic) => {
    const found = notes.filter((note) => note.topic === topic);
    return { topic, found };
  });
}

/** The same without regard to order. */
function unordered(index: ReturnType<typeof scanned> | ReturnType<typeof indexed>) {
  const texts = (notes: readonly Note[]) => notes.map(({ id, text }) => `${id} ${text}`).sort();
  return index.map(({ topic, found }) => ({ topic, found: texts(found) }));
}

describe("a collection", () => {
  it("has in each index what a scan finds, in the order in which the records were last set", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const collection = collectionOf();
        let notes: Note[] = [];
        for (const [number, { id, topic, drops }] of steps.entries()) {
          const set = note(id, topic, String(number));
          collection.set(id, drops ? undefined : set);
          notes = [...notes.filter((note) => note.id !== id), ...(drops ? [] : [set])];
          assert.deepEqual(indexed(collection), scanned(notes));
          assert.equal(collection.size, notes.length);
          assert.equal(collection.has(id), !drops);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it("keeps the records in the order in which they were added", () => {
    const collection = collectionOf(note("a"), note("b"), note("c"));
    collection.set("b", note("b", null, "later"));
    collection.set("a", undefined);
    collection.set("a", note("a"));
    assert.deepEqual([...collection.values()], [note("b", null, "later"), note("c"), note("a")]);
  });

  it("tells each watcher of each record that is set until it is no longer wanted, and counts versions", () => {
    const collection = collectionOf();
    const told: unknown[] = [];
    const stop = collection.watch((...change) => told.push(["first", ...change]));
    const stopOther = collection.watch((...change) => told.push(["second", ...change]));
    assert.equal(collection.version, 0);
    collection.set("a", note("a"));
    assert.equal(collection.version, 1);
    stop();
    collection.set("a", note("a", "x"));
    collection.set("a", undefined);
    assert.equal(collection.version, 3);
    stopOther();
    collection.set("b", note("b"));
    assert.deepEqual(told, [
      ["first", "a", undefined, note("a")],
      ["second", "a", undefined, note("a")],
      ["second", "a", note("a"), note("a", "x")],
      ["second", "a", note("a", "x"), undefined],
    ]);
  });

  it("shows a watcher the record as it is now, in the collection and its indexes", () => {
    const collection = collectionOf();
    const seen: unknown[] = [];
    collection.watch((key) => seen.push([collection.get(key), collection.find("topic", "x").length]));
    collection.set("a", note("a", "x"));
    collection.set("a", undefined);
    assert.deepEqual(seen, [
      [note("a", "x"), 1],
      [undefined, 0],
    ]);
  });
});

describe("a frozen collection", () => {
  it("yields each record once where nothing is set, and what was there when something is", () => {
    const collection = collectionOf(note("a"), note("b"), note("c"));
    collection.freeze();
    assert.deepEqual([...collection.frozen()], [note("a"), note("b"), note("c")]);
    collection.set("a", note("a", null, "later"));
    collection.set("b", undefined);
    collection.set("d", note("d"));
    collection.set("a", undefined);
    const byKey = [...collection.frozen()].sort((one, other) => (one.id < other.id ? -1 : 1));
    assert.deepEqual(byKey, [note("a"), note("b"), note("c")]);
  });

  it("yields a record once that was set before its turn, then removed and added again", () => {
    const collection = collectionOf(note("a"), note("b"));
    collection.freeze();
    const walk = collection.frozen();
    collection.set("a", note("a", null, "later"));
    assert.deepEqual(walk.next().value, note("a"));
    collection.set("a", undefined);
    collection.set("a", note("a", null, "again"));
    assert.deepEqual([...walk], [note("b")]);
  });

  it("preserves nothing any more once it is thawed, and something else when it is frozen again", () => {
    const collection = collectionOf(note("a"));
    assert.throws(() => collection.frozen().next(), { message: "frozen() needs freeze() first" });
    collection.freeze();
    collection.thaw();
    assert.throws(() => collection.frozen().next(), { message: "frozen() needs freeze() first" });
    collection.set("a", note("a", null, "later"));
    collection.freeze();
    assert.deepEqual([...collection.frozen()], [note("a", null, "later")]);
  });
});

describe("a database", () => {
  it("has the collections of its model, and refuses the name of another", () => {
    const database = new Database(notebook);
    assert.deepEqual([...database.collections.keys()], ["notes", "tallies"]);
    assert.equal(database.collection("notes"), database.collections.get("notes"));
    assert.throws(() => database.collection("players"), { message: 'there is no collection "players"' });
    assert.deepEqual([database.sequence, database.chain], [0, 0]);
  });
});

/** A database with some notes, and the draft of a batch over it. */
function drafted(...notes: readonly Note[]) {
  const database = new Database(notebook);
  for (const note of notes) database.collection("notes").set(note.id, note);
  const batch = new BatchDraft(database);
  return { database, batch, draft: batch.view };
}

describe("a draft", () => {
  const draftStep = fc.record({
    id: fc.constantFrom("a", "b", "c", "d", "e"),
    topic: fc.constantFrom("x", "y", null),
    does: fc.constantFrom("put", "put", "put", "delete", "delete", "commit", "rollback", "reset"),
  });

  it("reads what its writes have made of the collection, as far as they were not rolled back, and leaves that as it is", () => {
    const steps = fc.array(draftStep, { maxLength: 20 });
    const property = fc.property(fc.array(step, { maxLength: 8 }), steps, (before, steps) => {
      const start = new Map<string, Note>(before.map(({ id, topic }) => [id, note(id, topic, "before")]));
      const { database, batch, draft } = drafted(...start.values());
      const untouched = indexed(database.view.notes);
      let [notes, committed] = [new Map(start), new Map(start)];
      for (const [number, { id, topic, does }] of steps.entries()) {
        const put = note(id, topic, String(number));
        if (does === "put") draft.notes.put(put);
        if (does === "put") notes.set(id, put);
        if (does === "delete") draft.notes.delete(id);
        if (does === "delete") notes.delete(id);
        if (does === "commit") batch.commit();
        if (does === "commit") committed = new Map(notes);
        if (does === "rollback") batch.rollback();
        if (does === "rollback") notes = new Map(committed);
        if (does === "reset") {
          // As the writer does, at the end of a batch.
          batch.commit();
          batch.reset();
          [notes, committed] = [new Map(start), new Map(start)];
        }
        const all = [...notes.values()];
        assert.deepEqual(unordered(indexed(draft.notes)), unordered(scanned(all)));
        assert.deepEqual(unordered(scanned([...draft.notes.values()])), unordered(scanned(all)));
        assert.deepEqual([draft.notes.size, [...draft.notes.values()].length], [notes.size, notes.size]);
        for (const key of ["a", "b", "c", "d", "e"]) {
          assert.deepEqual(draft.notes.get(key), notes.get(key));
          assert.equal(draft.notes.has(key), notes.has(key));
        }
        const changed = batch
          .changes()
          .map(({ key, before: was, after }) => [key, was ?? undefined, after ?? undefined]);
        for (const [key, was, after] of changed) {
          assert.deepEqual([was, after], [committed.get(String(key)), notes.get(String(key))]);
        }
        const differing = [...new Set([...notes.keys(), ...committed.keys()])].filter(
          (key) => JSON.stringify(notes.get(key)) !== JSON.stringify(committed.get(key)),
        );
        assert.deepEqual(changed.map(([key]) => key).sort(), differing.sort());
      }
      assert.deepEqual(indexed(database.view.notes), untouched);
      assert.equal(draft.tallies.size, 0);
    });
    fc.assert(property, { numRuns: runs(300) });
  });

  it("lists the effective changes since the last commit, in the order of the collections", () => {
    const { batch, draft } = drafted(note("a", "x"), note("b", "y"));
    draft.tallies.put(note("t"));
    draft.notes.put(note("c"));
    draft.notes.delete("a");
    draft.notes.put(note("b", "y"));
    draft.notes.delete("nobody");
    assert.deepEqual(batch.changes(), [
      { collection: "notes", key: "c", before: null, after: note("c") },
      { collection: "notes", key: "a", before: note("a", "x"), after: null },
      { collection: "tallies", key: "t", before: null, after: note("t") },
    ]);
    batch.commit();
    assert.deepEqual(batch.changes(), []);
    draft.notes.put(note("c", "x"));
    assert.deepEqual(batch.changes(), [
      { collection: "notes", key: "c", before: note("c"), after: note("c", "x") },
    ]);
  });

  it("begins each batch with the collections as they are", () => {
    const { database, batch, draft } = drafted(note("a", "x"));
    draft.notes.put(note("a", "y"));
    draft.tallies.put(note("t"));
    batch.commit();
    batch.reset();
    database.collection("notes").set("a", undefined);
    database.collection("notes").set("d", note("d", "z"));
    assert.deepEqual(indexed(draft.notes), scanned([note("d", "z")]));
    assert.equal(draft.tallies.size, 0);
    draft.notes.put(note("a", "x"));
    assert.deepEqual(batch.changes(), [
      { collection: "notes", key: "a", before: null, after: note("a", "x") },
    ]);
  });
});
