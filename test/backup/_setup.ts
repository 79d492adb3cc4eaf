/** Helpers of the tests of backup and repair: folders with a known history, and file systems that stop or are in memory. */
import assert from "node:assert/strict";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Failure } from "../../src/domain/errors.ts";
import { model } from "../../src/domain/model.ts";
import type { DurableRows, Watcher } from "../../src/store/collection.ts";
import type { DataStore, DurableData } from "../../src/store/data.ts";
import type { Files } from "../../src/store/folder/files.ts";
import { encodeLine } from "../../src/store/journal/lines.ts";
import { Store } from "../../src/store/store.ts";
import { pointsOf, wantedKey, wantedReason } from "../_entries.ts";
import { type Call, quickFiles, ruledFiles } from "../store/_faults.ts";

/** Points of a wanted reason, by its name: the whole data of these tests. */
export type Points = Readonly<Record<string, number>>;

/** A history: each entry is a change, in which -1 removes a reason, or "snapshot". */
export type History = readonly (Points | "snapshot")[];

const begin = Date.parse("2026-03-01T12:00:00Z");

/** The instant of a change of {@link write}: the first is at noon, each later one a minute after. */
export function instantOf(number: number): number {
  return begin + number * 60_000;
}

/** Writes a history into a folder, through the store. */
export async function write(folder: string, history: History): Promise<void> {
  let time = begin;
  const store = await Store.open({ folder, model, files: quickFiles, now: () => time });
  for (const entry of history) {
    if (entry === "snapshot") {
      await store.snapshot();
      continue;
    }
    time += 60_000;
    await store.change({ who: "operator", operation: "test" }, (draft) => {
      for (const [reason, points] of Object.entries(entry)) {
        if (points < 0) draft.entries.delete(wantedKey(reason));
        else draft.entries.put(wantedReason(reason, points));
      }
    });
  }
  await store.close();
}

/** What a folder opens with, or the failure with which it is refused. */
export async function opened(folder: string): Promise<Points | Failure> {
  try {
    const store = await Store.open({ folder, model, files: quickFiles });
    try {
      return pointsOf(store.data.entries.values());
    } finally {
      await store.close();
    }
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error;
  }
}

/** The process has ended here. */
export class Stopped extends Error {}

/** A file system that stops working at its n-th step, as if the process had been killed before it. */
export function stoppingAt(step: number): { files: Files; steps: () => number } {
  let count = 0;
  const isStep = ({ operation, flags }: Call) =>
    operation === "open"
      ? flags !== "r"
      : /^(?:write|sync|datasync|truncate|rename|unlink|mkdir)$/.test(operation);
  const files = ruledFiles((call) => {
    if (isStep(call)) count += 1;
    return isStep(call) && count >= step ? new Stopped(`step ${count}`) : undefined;
  }, 0);
  return { files, steps: () => count };
}

/** Files in memory, to be read. */
export function inMemory(contents: ReadonlyMap<string, Buffer>, folder = "/data"): Files {
  const refuse = () => Promise.reject(new Error("these files are to be read only"));
  return {
    readdir: async () => [...contents.keys()],
    async *readPieces(path, from) {
      yield (contents.get(path.slice(folder.length + 1)) ?? assert.fail(path)).subarray(from);
    },
    open: refuse,
    rename: refuse,
    unlink: refuse,
    mkdir: refuse,
  };
}

/** The data files of a folder, by name. */
export async function contentsOf(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => /^(?:journal|snapshot)-/.test(name)).sort();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, name))] satisfies [string, Buffer]),
    ),
  );
}

/** A copy of a folder. */
export async function copyOf(folder: string, to: string): Promise<string> {
  await cp(folder, to, { recursive: true });
  return to;
}

/** The lines for documents, chained as the store chains them. */
export function chained(chain: number, documents: readonly unknown[]): { text: string; chain: number } {
  let text = "";
  let last = chain;
  for (const document of documents) {
    const encoded = encodeLine(JSON.stringify(document), last);
    text += encoded.line;
    last = encoded.chain;
  }
  return { text, chain: last };
}

/** Puts tokens with labels of so many characters: data that takes much memory. */
export async function putLongTokens(store: DataStore, count: number, length: number): Promise<void> {
  const label = "x".repeat(length);
  const unused = { uuid: null, addonVersion: null, issuedAt: 1, expiresAt: null, revokedAt: null };
  for (let first = 0; first < count; first += 100) {
    await store.change({ who: "operator", operation: "test" }, (draft) => {
      for (let number = first; number < first + 100; number += 1) {
        draft.tokens.put({ id: `t${number}`, hash: String(number).padStart(64, "0"), label, ...unused });
      }
    });
  }
}

/** Counts the watchers of some data from now on. */
export function watchersOf(t: Pick<TestContext, "mock">, data: DurableData): () => number {
  const open = new Set<object>();
  const rows: Readonly<Record<string, DurableRows<unknown>>> = data;
  for (const collection of Object.values(rows)) {
    const watch = collection.watch.bind(collection);
    t.mock.method(collection, "watch", (watcher: Watcher<unknown>) => {
      const stop = watch(watcher);
      const one = {};
      open.add(one);
      return () => {
        open.delete(one);
        stop();
      };
    });
  }
  return () => open.size;
}
