/**
 * The addon's clients: a client is a player with a valid token, and is active with a request in the last 3 days
 * (contract, section 3, `/mgmt`). Counts are updated with each change. Counting 100,000 clients takes hundreds of
 * milliseconds, which any request could cause by reporting another version.
 */
import TinyQueue from "tinyqueue";
import type { DurableData } from "../store/data.ts";
import { type Activity, activeMilliseconds } from "./activity.ts";
import { liveTokenOf } from "./tokens.ts";

/** A client in the answer of `/mgmt/users`. */
export interface Client {
  readonly uuid: string;
  readonly active: boolean;
  readonly version: string | null;
  readonly current: boolean;
}

/** The number of clients. */
export interface ClientCounts {
  readonly total: number;
  readonly active: number;
  /** The number of clients with each version. */
  readonly users: ReadonlyMap<string, number>;
}

interface CountedClient {
  active: boolean;
  version: string | null;
  /** The instant of its next update in the queue; infinity for none. Its other entries in the queue are obsolete. */
  queued: number;
}

/** The update of a client that changes with time: its token expires, or its last request is too long ago. */
interface Due {
  /** Milliseconds since 1970, never later than the change. Requests postpone the change, not the update. */
  readonly at: number;
  readonly uuid: string;
}

/** The clients of the durable data. */
export class Clients {
  readonly #data: Pick<DurableData, "tokens" | "versions" | "activity">;
  readonly #activity: Activity;
  /** By UUID. */
  readonly #clients = new Map<string, CountedClient>();
  /** The UUIDs of the clients, sorted. */
  #sorted: string[] = [];
  #active = 0;
  readonly #users = new Map<string, number>();
  #queue = newQueue([]);
  /** The instant for which the counts are right; undefined before the first count. */
  #now: number | undefined;
  #changes = 0;

  constructor(data: Pick<DurableData, "tokens" | "versions" | "activity">, activity: Activity) {
    this.#data = data;
    this.#activity = activity;
    data.tokens.watch((_id, before, after) => {
      if (before !== undefined) this.#update(before.uuid);
      if (after !== undefined && after.uuid !== before?.uuid) this.#update(after.uuid);
    });
    data.activity.watch((uuid) => this.#update(uuid));
    activity.watch((uuid) => this.#update(uuid));
  }

  /** Grows with every change of the list; call {@link at} first. */
  get version(): number {
    // Both only grow, so that their sum changes with each of them.
    return this.#changes + this.#data.versions.version;
  }

  /** Returns the number of clients at an instant, in milliseconds since 1970. */
  at(now: number): ClientCounts {
    if (this.#now === undefined || now < this.#now) this.#recount(now);
    this.#now = now;
    for (let due = this.#queue.peek(); due !== undefined && due.at <= now; due = this.#queue.peek()) {
      this.#queue.pop();
      const client = this.#clients.get(due.uuid);
      if (client?.queued !== due.at) continue;
      client.queued = Number.POSITIVE_INFINITY;
      this.#update(due.uuid);
    }
    return { total: this.#clients.size, active: this.#active, users: this.#users };
  }

  /** Returns up to `count` clients in the order of their UUIDs, from the first one after `after`; see {@link at}. */
  list(count = Number.POSITIVE_INFINITY, after = ""): Client[] {
    const { versions } = this.#data;
    const start = this.#indexOf(after) + Number(this.#clients.has(after));
    return this.#sorted.slice(start, start + count).flatMap((uuid) => {
      const client = this.#clients.get(uuid);
      if (client === undefined) return [];
      const { active, version } = client;
      return { uuid, active, version, current: version !== null && versions.get(version)?.current === true };
    });
  }

  /** Counts all clients: the first time, and when the clock was set back, which may make some active again. */
  #recount(now: number): void {
    this.#clients.clear();
    this.#sorted = [];
    this.#active = 0;
    this.#users.clear();
    this.#queue = newQueue([]);
    this.#now = now;
    this.#changes += 1;
    const uuids: string[] = [];
    for (const { uuid } of this.#data.tokens.values()) {
      if (uuid !== null) uuids.push(uuid);
    }
    // Sorted, so that each is added at the end. Updating a player with several tokens again changes nothing.
    for (const uuid of uuids.sort()) this.#update(uuid);
  }

  /** Updates the counts for a player. */
  #update(uuid: string | null): void {
    const now = this.#now;
    if (now === undefined || uuid === null) return;
    const before = this.#clients.get(uuid);
    const token = liveTokenOf(this.#data, uuid, now);
    if (token === undefined) {
      if (before !== undefined) this.#remove(uuid, before);
      return;
    }
    const lastSeen = this.#activity.of(uuid)?.lastSeen ?? Number.NEGATIVE_INFINITY;
    const active = now - lastSeen < activeMilliseconds;
    const version = this.#activity.versionOf(uuid, token);
    const client = before ?? this.#add(uuid);
    if (client.active !== active) {
      client.active = active;
      this.#active += active ? 1 : -1;
      this.#changes += 1;
    }
    if (client.version !== version) {
      this.#use(client.version, -1);
      this.#use(version, 1);
      client.version = version;
      this.#changes += 1;
    }
    const due = Math.min(active ? lastSeen + activeMilliseconds : Infinity, token.expiresAt ?? Infinity);
    if (due < client.queued) this.#enqueue(uuid, client, due);
  }

  #add(uuid: string): CountedClient {
    const client = { active: false, version: null, queued: Number.POSITIVE_INFINITY };
    this.#clients.set(uuid, client);
    if ((this.#sorted.at(-1) ?? "") < uuid) this.#sorted.push(uuid);
    else this.#sorted.splice(this.#indexOf(uuid), 0, uuid);
    this.#changes += 1;
    return client;
  }

  #remove(uuid: string, { active, version }: CountedClient): void {
    this.#clients.delete(uuid);
    this.#sorted.splice(this.#indexOf(uuid), 1);
    if (active) this.#active -= 1;
    this.#use(version, -1);
    this.#changes += 1;
  }

  #use(version: string | null, difference: number): void {
    if (version === null) return;
    const users = (this.#users.get(version) ?? 0) + difference;
    if (users === 0) this.#users.delete(version);
    else this.#users.set(version, users);
  }

  #enqueue(uuid: string, client: CountedClient, at: number): void {
    client.queued = at;
    this.#queue.push({ at, uuid });
    // Obsolete entries stay until their instant, which may be years away: drop them before they pile up.
    if (this.#queue.length > 2 * this.#clients.size + 1000) {
      const live = Array.from(this.#clients, ([each, { queued }]) => ({ at: queued, uuid: each }));
      this.#queue = newQueue(live.filter((due) => due.at < Number.POSITIVE_INFINITY));
    }
  }

  /** Returns the index of a UUID in the sorted list, or where it would be inserted. */
  #indexOf(uuid: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? "") < uuid) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function newQueue(dues: Due[]): TinyQueue<Due> {
  return new TinyQueue(dues, (a, b) => a.at - b.at);
}
