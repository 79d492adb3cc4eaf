/** Helpers of the store's tests: a small model, changes with known outcomes, file systems that fail or forget. */
import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import * as os from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { define, type Model } from "../../src/domain/collection.ts";
import { Failure } from "../../src/domain/errors.ts";
import type { DraftView, View } from "../../src/store/collection.ts";
import { type File, type Files, nodeFiles, piecesOf } from "../../src/store/folder/files.ts";
import { encodeLine } from "../../src/store/journal/lines.ts";
import type { StoreOptions } from "../../src/store/options.ts";
import { Store } from "../../src/store/store.ts";
import { sharedJournalOf } from "../_journal.ts";

export interface Note {
  readonly id: string;
  readonly text: string;
  readonly topic: string | null;
}

const schema = v.object({ id: v.string(), text: v.string(), topic: v.nullable(v.string()) });

/** Two collections; notes are found by their topic. */
export const notebook = {
  notes: define("note", schema, ({ id }) => id, { indexes: { topic: ({ topic }) => topic ?? undefined } }),
  tallies: define("tally", schema, ({ id }) => id),
} satisfies Model;

export type Notebook = Store<typeof notebook>;
export type NotebookDraft = DraftView<typeof notebook>;

/** Who makes the tests' changes. */
export const origin = { who: "operator", operation: "test" } as const;

/** Opens a store; see {@link sharedJournalOf}. */
export async function openNotebook(
  folder: string,
  options: Partial<StoreOptions<typeof notebook>> = {},
): Promise<Notebook> {
  const shared = await sharedJournalOf(folder, notebook, options.now ?? Date.now);
  return Store.open({ folder, model: notebook, files: quickFiles, shared, ...options });
}

/** Puts one note. */
export function put(store: Notebook, id: string, text = id, topic: string | null = null): Promise<void> {
  return store.change(origin, (draft) => draft.notes.put({ id, text, topic }));
}

/** All records, in order. */
export function contents(data: View<typeof notebook>): { notes: Note[]; tallies: Note[] } {
  return { notes: [...data.notes.values()], tallies: [...data.tallies.values()] };
}

/** What a change does to the notes beside counting itself in the tally: over a few keys, so that all of it happens. */
function edit(number: number, length: number): { put: Note; drop: string | undefined } {
  const text = `${number} ${"ü".repeat(length)}`;
  const note = { id: `n${(number * 3) % 7}`, text, topic: number % 4 === 0 ? null : `t${number % 3}` };
  return { put: note, drop: number % 5 === 0 ? `n${(number * 2) % 7}` : undefined };
}

/** The change of a number, of which {@link stateAfter} knows the outcome. It is to be made after the one before it. */
export function numbered(number: number, length = 3) {
  return (draft: NotebookDraft): number => {
    const { put: note, drop } = edit(number, length);
    draft.tallies.put({ id: "tally", text: String(number), topic: null });
    if (drop !== undefined) draft.notes.delete(drop);
    if (drop !== note.id) draft.notes.put(note);
    return number;
  };
}

/** The records after the numbered changes up to a number. */
export function stateAfter(number: number, length = 3): ReturnType<typeof contents> {
  const notes = new Map<string, Note>();
  for (let index = 1; index <= number; index += 1) {
    const { put: note, drop } = edit(index, length);
    if (drop !== undefined) notes.delete(drop);
    if (drop !== note.id) notes.set(note.id, note);
  }
  const tallies = number === 0 ? [] : [{ id: "tally", text: String(number), topic: null }];
  return { notes: [...notes.values()], tallies };
}

/** Makes the numbered changes up to `to`, one after another. */
export async function fill(store: Notebook, to: number, length = 3): Promise<void> {
  while (store.sequence < to) await store.change(origin, numbered(store.sequence + 1, length));
}

/** Records by their keys: a snapshot that is written while changes go on has its own order. */
export function sorted({ notes, tallies }: ReturnType<typeof contents>): ReturnType<typeof contents> {
  return { notes: notes.toSorted((one, other) => (one.id < other.id ? -1 : 1)), tallies };
}

/** The records of a bulk change of a number beside those of {@link numbered}: together they take two lines. */
function bigs(number: number): Note[] {
  return [1, 2].map((index) => ({ id: `big${number}-${index}`, text: "x".repeat(600_000), topic: null }));
}

/** Makes the next numbered change in bulk, with large records beside it. */
export function changeInBulk(store: Notebook, length = 3): Promise<number | undefined> {
  return store.changeInBulk(origin, ({ sequence }) => {
    const change = (collection: "notes" | "tallies", key: string, after: Note | null) => {
      return { collection, key, before: store.data[collection].get(key) ?? null, after };
    };
    const { put: note, drop } = edit(sequence, length);
    return [
      ...bigs(sequence).map((big) => change("notes", big.id, big)),
      change("tallies", "tally", { id: "tally", text: String(sequence), topic: null }),
      ...(drop !== undefined && store.data.notes.has(drop) ? [change("notes", drop, null)] : []),
      ...(drop === note.id ? [] : [change("notes", note.id, note)]),
    ];
  });
}

/**
 * Asserts the invariant: every acknowledged change is there, and of those in flight each one whole or not at all.
 * @param bulks the numbers of the changes that were made in bulk
 */
export function assertKept(
  store: Notebook,
  acknowledged: number,
  made: number,
  length = 3,
  bulks: Iterable<number> = [],
): void {
  const { sequence } = store;
  assert.ok(sequence >= acknowledged, `${acknowledged} were acknowledged, ${sequence} came back`);
  assert.ok(sequence <= made, `${made} were made, ${sequence} came back`);
  const { notes, tallies } = sorted(contents(store.data));
  const isBig = ({ id }: Note) => id.startsWith("big");
  assert.deepEqual(
    { notes: notes.filter((note) => !isBig(note)), tallies },
    sorted(stateAfter(sequence, length)),
  );
  const expected = [...bulks].filter((number) => number <= sequence).flatMap(bigs);
  // Without their texts, which are long.
  const sizes = (bulk: readonly Note[]) => bulk.map(({ id, text }) => `${id} ${text.length}`).sort();
  assert.deepEqual(sizes(notes.filter(isBig)), sizes(expected));
}

/** Asserts a refusal that names each of `named` in its message, and says in its hint what to do. */
export async function assertRefused(work: Promise<unknown>, ...named: (string | RegExp)[]): Promise<Failure> {
  const error = await work.then(
    () => assert.fail("expected a refusal"),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof Failure, `expected a Failure, got ${error}`);
  const isUnknown = error.message.includes("may have been saved");
  assert.equal(error.code, isUnknown ? "OUTCOME_UNKNOWN" : "STORE_UNAVAILABLE");
  for (const expected of named) {
    const isThere =
      typeof expected === "string" ? error.message.includes(expected) : expected.test(error.message);
    assert.ok(isThere, `${error.message} does not name ${expected}`);
  }
  assert.match(error.hint ?? "", /\w{3}/);
  return error;
}

/** The names in a folder that match, in order. */
export async function namesIn(folder: string, pattern: RegExp): Promise<string[]> {
  return (await readdir(folder)).filter((name) => pattern.test(name)).sort();
}

/** The files of the journal and the snapshots in a folder. */
export const dataFile = /^(?:journal-\d{12}\.log|snapshot-\d{12}\.jsonl)$/;

/** Writes a file of lines as the store does: each chained to the one before, the first to nothing. */
export async function writeLines(path: string, lines: readonly object[], firstChain?: number): Promise<void> {
  let chain = 0;
  let text = "";
  for (const [index, line] of lines.entries()) {
    const encoded = encodeLine(
      JSON.stringify(line),
      index === 1 && firstChain !== undefined ? firstChain : chain,
    );
    text += encoded.line;
    chain = encoded.chain;
  }
  await writeFile(path, text);
}

/** Changes one byte of a file. */
export async function spoil(path: string, offset: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

/** One thing that the store asks of the file system. */
export interface Call {
  readonly operation: keyof File | keyof Files;
  readonly path: string;
  /** Of a write: how many bytes. */
  readonly length: number;
  /** Of an opening. */
  readonly flags?: unknown;
}

/** The flag of writes that are durable when they return; 0 where the system has none. */
export const durableFlag = nodeFiles.durable ?? 0;

/** That flag, and 0: a system with such writes, where the tests run on one, and a system without. */
export const durableFlags = new Set([durableFlag, 0]);

/** What a system does whose flag of durable writes is this, for titles. */
export const howDurable = (durable: number) => (durable === 0 ? "a sync after each write" : "durable writes");

/** Returns whether a file is opened with that flag. */
export function hasFlag(flags: unknown, flag: number): boolean {
  return flag !== 0 && typeof flags === "number" && (flags & flag) !== 0;
}

/** Node's file system without its syncs, which take most of the time of a test: the kernel outlives the tests. */
export const quickFiles: Files = {
  ...nodeFiles,
  async open(path, flags, mode) {
    const file = await nodeFiles.open(path, typeof flags === "number" ? flags & ~durableFlag : flags, mode);
    return Object.assign(file, { sync: async () => {}, datasync: async () => {} });
  },
};

/** What becomes of a call: an error, or of a write only so many bytes; undefined lets it pass. */
export type Outcome = Error | { readonly bytes: number } | undefined;

/**
 * Node's file system, without syncs, with a rule before it, which may also take its time. A write that is durable when it returns is a write
 * and then a sync for the rule, as for the system. @param durable the flag of such writes; 0 for a system that has none
 */
export function ruledFiles(rule: (call: Call) => Outcome | Promise<Outcome>, durable = durableFlag): Files {
  const ruled = <T extends object>(target: T, pathOf: (given: unknown[]) => string, isDurable = false): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return async (...given: unknown[]) => {
          const path = pathOf(given);
          const outcome = await rule({
            operation: name as Call["operation"],
            path,
            length: Number(given[2]),
            flags: given[1],
          });
          if (outcome instanceof Error) {
            // The operating system releases the descriptor even if closing fails.
            if (name === "close") await value.apply(target, given);
            throw outcome;
          }
          const sent = outcome === undefined ? given : [given[0], given[1], outcome.bytes, given[3]];
          const result: unknown = await value.apply(target, sent);
          if (name === "open") return ruled(result as File, () => path, hasFlag(given[1], durable));
          if (name !== "write" || !isDurable) return result;
          const synced = await rule({ operation: "datasync", path, length: Number.NaN });
          if (synced instanceof Error) throw synced;
          return result;
        };
      },
    });
  const { durable: _, ...files } = ruled(quickFiles, ([path]) => String(path));
  return {
    ...files,
    ...(durable === 0 ? {} : { durable }),
    // For a rule it is all the same how a file is read.
    async *readPieces(path, from) {
      const outcome = await rule({ operation: "readPieces", path, length: Number.NaN });
      if (outcome instanceof Error) throw outcome;
      yield* piecesOf(quickFiles, path, from);
    },
  };
}

/** Returns the files of a folder that this process has open. Only Linux lists them. */
export function openFiles(folder: string): string[] {
  if (process.platform !== "linux") return [];
  const paths = readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return readlinkSync(join("/proc/self/fd", descriptor));
    } catch {
      // Listing the folder has a descriptor of its own, which is closed by now.
      return "";
    }
  });
  return paths.filter((path) => path.startsWith(folder));
}

/** Returns an error of the operating system. */
export function systemError(code: string): NodeJS.ErrnoException {
  // As Node reports it, which has no name for it.
  const { EDQUOT } = os.constants.errno;
  const reported = code === "EDQUOT" ? { code: `Unknown system error -${EDQUOT}`, errno: -EDQUOT } : { code };
  return Object.assign(new Error(`${code}: injected`), reported);
}

/** The names of files by their numbers. */
export const segment = (first: number) => `journal-${String(first).padStart(12, "0")}.log`;
export const snapshot = (sequence: number) => `snapshot-${String(sequence).padStart(12, "0")}.jsonl`;

/** Fills a folder with 9 changes: snapshots after the 3rd and the 6th, segments before, between and after them. */
export async function ninth(folder: string): Promise<string> {
  const store = await openNotebook(folder);
  for (const number of [3, 6]) {
    await fill(store, number);
    await store.snapshot();
  }
  await fill(store, 9);
  await store.close();
  return folder;
}

/** Returns every data file of a folder with its bytes. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = await namesIn(folder, dataFile);
  const entries = names.map(async (name) => [name, (await readFile(join(folder, name))).toString("latin1")]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Asserts that opening is refused with these words and changes none of the files. */
export async function assertLeft(folder: string, ...named: (string | RegExp)[]): Promise<string> {
  const before = await filesOf(folder);
  const { hint = "" } = await assertRefused(openNotebook(folder), ...named);
  assert.deepEqual(await filesOf(folder), before);
  return hint;
}

/** Opens, compares, goes on for two changes, and opens once more. */
export async function assertGoesOn(folder: string, sequence: number): Promise<readonly string[]> {
  const store = await openNotebook(folder);
  assertKept(store, sequence, sequence);
  await fill(store, sequence + 2);
  await store.close();
  const again = await openNotebook(folder);
  assertKept(again, sequence + 2, sequence + 2);
  await again.close();
  return store.warnings;
}
