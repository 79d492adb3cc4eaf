/**
 * Activity: when each client was last seen, its addon version, and how often something happened: requests, and on each
 * day additions to statistics. It is held in memory, and saved every minute and at shutdown instead of with each request.
 */
import { dayMilliseconds } from "../domain/instant.ts";
import type { ActivityRecord } from "../domain/model.ts";
import type { DataStore, DurableData } from "../store/data.ts";
import { liveTokenOf } from "./tokens.ts";
import { versionForm } from "./versions.ts";

/** A client is active if it sent a request in the last 3 days. */
export const activeMilliseconds = 3 * dayMilliseconds;

const requestCounter = "requests";
/** The number of clients that one change saves. */
const batchSize = 500;
/** The days that are kept. They are those of UTC. */
const keptDays = 90;

/** The activity of all clients: what the data has, and what is not saved yet. */
export class Activity {
  readonly #data: DurableData;
  readonly #unsaved = new Map<string, ActivityRecord>();
  /** What was counted since it was saved, by counter. */
  readonly #unsavedCounts = new Map<string, number>();
  /** Settles when the last save has ended. */
  #saving: Promise<void> | undefined;

  constructor(data: DurableData) {
    this.#data = data;
  }

  /** The number of all authenticated requests ever. */
  get requests(): number {
    return this.#count(requestCounter);
  }

  /** Returns what {@link addOn} counted on each day that is kept, today last. A day is its beginning. */
  totalsOf(counter: string, now: number) {
    return lastDays(now).map((day) => ({ day, value: this.#count(dayCounter(day, counter)) }));
  }

  /** Returns when a player's client was last seen, and the version that counted then: reported, or that of a token. */
  of(uuid: string): ActivityRecord | undefined {
    return this.#unsaved.get(uuid) ?? this.#data.activity.get(uuid);
  }

  /** Returns a client's latest addon version: from its requests, or from the issue of a token that is valid. */
  versionOf(uuid: string, now: number): string | null {
    const seen = this.of(uuid);
    const token = liveTokenOf(this.#data, uuid, now, ({ addonVersion }) => addonVersion !== null);
    if (token === undefined) return seen?.version ?? null;
    return seen?.version == null || token.issuedAt > seen.lastSeen ? token.addonVersion : seen.version;
  }

  /** Counts an authenticated request. `version` comes unchecked from the client's `User-Agent`. */
  note(uuid: string | null, version: string | undefined, now: number): void {
    this.#add(requestCounter, 1);
    if (uuid === null) return;
    const reported = version !== undefined && versionForm.test(version) ? version : undefined;
    this.#unsaved.set(uuid, { uuid, lastSeen: now, version: reported ?? this.versionOf(uuid, now) });
  }

  /** Counts one more of something on the day of an instant. */
  addOn(instant: number, counter: string): void {
    this.#add(dayCounter(instant, counter), 1);
  }

  #count(name: string): number {
    return (this.#data.counters.get(name)?.value ?? 0) + (this.#unsavedCounts.get(name) ?? 0);
  }

  #add(name: string, more: number): void {
    const sum = (this.#unsavedCounts.get(name) ?? 0) + more;
    if (sum === 0) this.#unsavedCounts.delete(name);
    else this.#unsavedCounts.set(name, sum);
  }

  /** Saves the activity since the last save; what fails is saved next time. */
  save(store: DataStore): Promise<void> {
    // Of two at once, each would save what the other does.
    const saved = this.#saving?.then(() => this.#save(store)) ?? this.#save(store);
    this.#saving = saved.catch(() => {});
    return saved;
  }

  /** Saves the clients in batches, so that no request waits until all those of a busy minute are written. */
  async #save(store: DataStore): Promise<void> {
    const records = [...this.#unsaved.values()];
    // A save that failed after its first batch has counted the requests, but not saved all clients.
    if (this.#unsavedCounts.size === 0 && records.length === 0) return;
    for (let index = 0; index === 0 || index < records.length; index += batchSize) {
      const counts = [...this.#unsavedCounts];
      const batch = records.slice(index, index + batchSize);
      await store.change({ who: "system", operation: "activity.save" }, (draft, { now }) => {
        for (const record of batch) {
          // Another machine may have seen the client later; in the future, a wrong clock has.
          const saved = draft.activity.get(record.uuid)?.lastSeen ?? 0;
          const isLatest = saved <= record.lastSeen || saved > now;
          if (draft.players.has(record.uuid) && isLatest) draft.activity.put(record);
        }
        for (const [name, more] of counts)
          draft.counters.put({ name, value: (draft.counters.get(name)?.value ?? 0) + more });
        const names = Array.from(draft.counters.values(), ({ name }) => name).filter(isOfDay);
        // The latest with any: a clock that is wrong for a moment forgets one, and what it has counted takes no place of others.
        const isPast = (name: string) => name <= dayCounter(now, "~");
        const days = [...new Set(names.filter(isPast).map((name) => name.split("/", 1)[0]))].sort();
        for (const name of names) if (name < (days.at(-keptDays) ?? "")) draft.counters.delete(name);
      });
      for (const [name, more] of counts) this.#add(name, -more);
      for (const record of batch)
        if (this.#unsaved.get(record.uuid) === record) this.#unsaved.delete(record.uuid);
    }
  }
}

/** Returns the name of the counter of a day, such as `2026-11-25/kills`. */
function dayCounter(instant: number, counter: string): string {
  return `${new Date(instant).toISOString().slice(0, 10)}/${counter}`;
}

/** Returns the days that are kept, today last. A day is its beginning, in milliseconds since 1970. */
function lastDays(now: number): number[] {
  const today = now - (now % dayMilliseconds);
  return Array.from({ length: keptDays }, (_, index) => today - (keptDays - 1 - index) * dayMilliseconds);
}

function isOfDay(name: string): boolean {
  return /^\d{4}-\d\d-\d\d\//.test(name);
}
