/** Holds changes before they reach the store's writer, so that a test decides which of them share a batch. */
import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Service } from "../src/service.ts";

/** Replaces `store.change` until {@link HeldChanges.release}. */
export class HeldChanges {
  readonly #service: Service;
  readonly #held: (() => void)[] = [];
  readonly #restore: () => void;

  constructor(t: TestContext, service: Service) {
    this.#service = service;
    const { store } = service;
    const change = store.change.bind(store);
    const { mock } = t.mock.method(store, "change", (...[origin, decide]: Parameters<typeof change>) => {
      return new Promise((resolve, reject) => {
        this.#held.push(() => change(origin, decide).then(resolve, reject));
      });
    });
    this.#restore = () => mock.restore();
  }

  /** Submits a change, and waits until it is held. Its outcome is the second element. */
  async submit<T>(ask: () => Promise<T>): Promise<{ outcome: Promise<T> }> {
    const { length } = this.#held;
    const outcome = ask();
    let isOver = false;
    outcome.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    while (this.#held.length === length && !isOver) await setImmediate();
    if (isOver) throw new Error("the request was answered without a change", { cause: await outcome });
    return { outcome };
  }

  /** Lets the writer decide all held changes in one batch, in the order in which they were submitted. */
  async release(): Promise<void> {
    this.#restore();
    // The writer starts with the first change alone; the others wait for it and are the next batch.
    const first = this.#service.store.change({ who: "system", operation: "test" }, (draft) => {
      draft.counters.put({ name: "test", value: 1 });
    });
    for (const begin of this.#held) begin();
    await first;
  }
}
