/**
 * The store on a failing disk. The model: of what a store was asked to do, it knows which changes were acknowledged, and
 * which were refused as certain or as uncertain. One call of the file system fails, each in turn, in each of several ways.
 * Whatever happens, what a start finds then and later are the acknowledged changes, and no change that was refused.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sample } from "../../_depth.ts";
import { temporaryFolder } from "../../_setup.ts";
import {
  assertKept,
  assertRefused,
  type Call,
  changeInBulk,
  durableFlags,
  fill,
  howDurable,
  type Notebook,
  namesIn,
  ninth,
  numbered,
  type Outcome,
  openFiles,
  openNotebook,
  origin,
  put,
  ruledFiles,
  segment,
  snapshot,
  systemError,
} from "../_faults.ts";
import { starts } from "./_starts.ts";

/** How a disk fails: what becomes of a call, of which the first that fails has number 0. */
const failures: Readonly<Record<string, (call: Call, number: number) => Outcome>> = {
  "an I/O error": (_, number) => (number === 0 ? systemError("EIO") : undefined),
  "I/O errors from then on": () => systemError("EIO"),
  "no space from then on": ({ operation }) => (operation === "write" ? systemError("ENOSPC") : undefined),
  "no space after half of a write": ({ operation, length }, number) => {
    if (operation !== "write") return undefined;
    return number === 0 ? { bytes: length >> 1 } : systemError("ENOSPC");
  },
};
type Failing = keyof typeof failures;

/** A store whose disk fails at one call, and what was acknowledged. */
class Trial {
  readonly folder: string;
  readonly calls: Call[] = [];
  readonly fatal: Error[] = [];
  readonly bulks = new Set<number>();
  store!: Notebook;
  acknowledged = 0;
  /** How many changes may come back, though they were not acknowledged. */
  uncertain = 0;
  readonly #durable: number;
  #fails: Failing | undefined;
  #at = Number.POSITIVE_INFINITY;
  #underWay: string | undefined;
  readonly #overlaps: string[] = [];

  /** @param durable the flag of writes that are durable when they return; 0 for a system that has none */
  constructor(folder: string, durable: number) {
    this.folder = folder;
    this.#durable = durable;
  }

  /** Has the disk fail at a call, from now on. */
  fail(fails: Failing | undefined, at: number): void {
    this.calls.length = 0;
    this.#fails = fails;
    this.#at = at;
  }

  async open(): Promise<void> {
    const files = ruledFiles((call) => this.#rule(call), this.#durable);
    this.store = await openNotebook(this.folder, {
      files,
      onFatal: (error) => this.fatal.push(error),
      retention: { milliseconds: -1, snapshots: 1 },
    });
    this.acknowledged = this.store.sequence;
  }

  /** Makes changes at once: the first is written alone, and the others together. */
  async change(count: number): Promise<void> {
    const { store } = this;
    const changes = Array.from({ length: count }, () =>
      store.change(origin, (draft, { sequence }) => numbered(sequence)(draft)),
    );
    await Promise.all(changes.map((change) => this.#expect(change)));
  }

  async changeInBulk(): Promise<void> {
    const number = this.store.sequence + 1;
    this.bulks.add(number);
    await this.#expect(changeInBulk(this.store));
    if (this.acknowledged < number && this.uncertain === 0) this.bulks.delete(number);
  }

  /** Asserts that a change is acknowledged, or refused without telling a player about files. */
  async #expect(change: Promise<number | undefined>): Promise<void> {
    const number = await change.catch(async (error: unknown) => {
      const { message } = await assertRefused(
        Promise.reject(error),
        /Nothing was changed|may have been saved/,
      );
      assert.doesNotMatch(message, /injected|journal-/);
      if (message.includes("may have been saved")) this.uncertain += 1;
    });
    this.acknowledged = Math.max(this.acknowledged, number ?? 0);
  }

  /** Asserts that each call was made after the one before it, and that none is under way. */
  assertIdle(): void {
    assert.equal(this.#underWay, undefined, "a call is still under way");
    assert.deepEqual(this.#overlaps, []);
  }

  /** Asserts that the acknowledged changes are in a folder, and no others but the uncertain ones. */
  async assertLeftIn(folder: string): Promise<void> {
    const store = await openNotebook(folder);
    assertKept(store, this.acknowledged, this.acknowledged + this.uncertain, 3, this.bulks);
    await store.close();
  }

  async #rule(call: Call): Promise<Outcome> {
    const name = `${call.operation} ${basename(call.path)}`;
    if (this.#underWay !== undefined) this.#overlaps.push(`${name} during ${this.#underWay}`);
    this.#underWay = name;
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    this.#underWay = undefined;
    const number = this.calls.push(call) - 1 - this.#at;
    if (number < 0 || this.#fails === undefined || call.operation === "close") return undefined;
    return failures[this.#fails]?.(call, number);
  }
}

/** Tries each failure at each call of something. @param prepare returns a folder of its own for each trial */
async function tryAll(
  durable: number,
  prepare: (name: string) => Promise<string>,
  run: (trial: Trial, fail: () => void, when: string) => Promise<void>,
): Promise<void> {
  const whole = new Trial(await prepare("whole"), durable);
  await run(whole, () => whole.fail(undefined, 0), "without a failure");
  assert.ok(whole.calls.length > 0);
  const points = whole.calls.flatMap(({ operation, path }, at) =>
    Object.keys(failures)
      .filter((fails) => operation !== "close" && (operation === "write" || !fails.startsWith("no space")))
      .map((fails) => ({ at, fails, call: `${operation} ${path}` })),
  );
  for (const { at, fails, call } of sample(points)) {
    const when = `${fails} at call ${at}, ${call.replace(whole.folder, "")}`;
    const trial = new Trial(await prepare(`${at} ${fails}`), durable);
    await run(trial, () => trial.fail(fails, at), when).catch((error: Error) => {
      throw new Error(`${when}: ${error.message}`, { cause: error });
    });
  }
}

/** What a store is asked while its disk fails. */
const works: Readonly<Record<string, (trial: Trial) => Promise<unknown>>> = {
  "three changes": (trial) => trial.change(3),
  "a bulk change": (trial) => trial.changeInBulk(),
  "a snapshot": (trial) => trial.store.snapshot(),
  "the snapshot of a stop": (trial) => trial.store.close({ snapshot: true }),
};

describe("a disk that fails at any call", () => {
  for (const [what, work] of Object.entries(works)) {
    for (const durable of durableFlags) {
      it(`during ${what}, with ${howDurable(durable)}, loses no acknowledged change and keeps no refused one`, async (t) => {
        const base = await temporaryFolder(t);
        const template = await ninth(join(base, "template"));
        const prepare = async (name: string) => {
          await cp(template, join(base, name), { recursive: true });
          return join(base, name);
        };
        await tryAll(durable, prepare, async (trial, fail, when) => {
          await trial.open();
          await trial.change(1);
          fail();
          await work(trial).catch((error: unknown) => assertRefused(Promise.reject(error)));
          trial.assertIdle();
          const { length } = trial.calls;
          await cp(trial.folder, `${trial.folder}-copy`, { recursive: true });
          await trial.assertLeftIn(`${trial.folder}-copy`);
          trial.fail(undefined, 0);
          if (trial.fatal.length > 0) await assertStopped(trial, when);
          else if (what !== "the snapshot of a stop")
            await assertGoesOn(trial, !when.startsWith("I/O errors from then on"));
          await trial.store.close();
          assert.deepEqual(openFiles(trial.folder), []);
          await trial.assertLeftIn(trial.folder);
          trial.calls.length = length;
        });
      });
    }
  }

  /** Asserts that nothing is done any more, and that the next start is told to write everything again. */
  async function assertStopped(trial: Trial, when: string): Promise<void> {
    assert.doesNotMatch(when, /^no space (?:after|from).* write /, "a full disk is no reason to stop");
    assert.equal(trial.fatal.length, 1);
    assert.match(String(trial.fatal[0]?.message), /sync|cut back|could not be removed/);
    await assertRefused(
      trial.change(1).then(() => trial.store.snapshot()),
      "Nothing was changed",
    );
    assert.deepEqual(trial.calls, []);
    const hasMark = (await namesIn(trial.folder, /^unsynced$/)).length > 0;
    assert.ok(hasMark || when.startsWith("I/O errors from then on"), "there is a mark");
  }

  async function assertGoesOn(trial: Trial, canRemove: boolean): Promise<void> {
    assert.deepEqual(await namesIn(trial.folder, /^unsynced$/), []);
    if (canRemove) assert.deepEqual(await namesIn(trial.folder, /\.tmp$/), []);
    await trial.change(2);
    // What a failed snapshot has begun is gone again, or the journal goes on in it.
    const newest = (await namesIn(trial.folder, /^journal-/)).at(-1);
    assert.ok(String(newest) <= segment(trial.acknowledged), `${newest}`);
    assert.equal(await trial.store.snapshot(), trial.acknowledged);
    assert.deepEqual(await namesIn(trial.folder, /^snapshot-/), [
      ...(await namesIn(trial.folder, /^snapshot-/)).slice(0, -1),
      snapshot(trial.acknowledged),
    ]);
    await trial.change(1);
  }
});

describe("a disk that fails at any call of a start that finds", () => {
  for (const [what, { prepare, last }] of Object.entries(starts)) {
    it(`${what} has that start refused or complete, and the next one finish it`, async (t) => {
      const base = await temporaryFolder(t);
      const template = join(base, "template");
      const assertFinished = await prepare(template);
      const copy = async (name: string) => {
        if (what !== "no folder") await cp(template, join(base, name), { recursive: true });
        return join(base, name);
      };
      const [durable = 0] = durableFlags;
      await tryAll(durable, copy, async (trial, fail) => {
        fail();
        const isOpen = await trial.open().then(
          () => true,
          (error: unknown) => assertRefused(Promise.reject(error), trial.folder).then(() => false),
        );
        trial.assertIdle();
        const { length } = trial.calls;
        if (isOpen) {
          await trial.store.close();
        }
        assert.deepEqual(openFiles(trial.folder), []);
        const store = await openNotebook(trial.folder);
        assertKept(store, last, last);
        await assertFinished(trial.folder);
        await fill(store, last + 2);
        await store.close();
        const again = await openNotebook(trial.folder);
        assertKept(again, last + 2, last + 2);
        await again.close();
        trial.calls.length = length;
      });
    });
  }
});

describe("a disk", () => {
  async function storeOn(t: TestContext, rule: (call: Call) => Outcome, durable?: number) {
    const disk = { rule };
    const folder = await temporaryFolder(t);
    const store = await openNotebook(folder, { files: ruledFiles((call) => disk.rule(call), durable) });
    t.after(() => store.close().catch(() => {}));
    return { disk, folder, store };
  }

  it("that takes only a few bytes of each write gets everything", async (t) => {
    const { folder, store } = await storeOn(t, ({ operation, length }) =>
      operation === "write" ? { bytes: Math.min(7, length) } : undefined,
    );
    await fill(store, 12);
    await store.snapshot();
    await fill(store, 15);
    await store.close();
    const again = await openNotebook(folder);
    assertKept(again, 15, 15);
    await again.close();
  });

  for (const durable of durableFlags) {
    for (const code of ["no bytes", "EDQUOT", "EFBIG", ...(durable === 0 ? ["EIO"] : [])]) {
      it(`that takes ${code}, with ${howDurable(durable)}, refuses all changes until it recovers`, async (t) => {
        const { disk, folder, store } = await storeOn(t, () => undefined, durable);
        await fill(store, 5);
        disk.rule = ({ operation }) => {
          if (operation !== "write") return undefined;
          return code === "no bytes" ? { bytes: 0 } : systemError(code);
        };
        const reading = store.change(origin, (draft) => draft.notes.size);
        for (const refused of [put(store, "a"), put(store, "b")])
          await assertRefused(refused, "Nothing was changed");
        assert.equal(await reading, store.data.notes.size);
        disk.rule = () => undefined;
        await fill(store, 8);
        await store.close();
        const again = await openNotebook(folder);
        assertKept(again, 8, 8);
        await again.close();
      });
    }
  }
});
