/**
 * Clients of the addon: a client is a player with a token that can be used, and is active with a request in the last
 * 3 days (contract, section 3, `/mgmt`). They are counted as they change, since looking at 100,000 of them takes hundreds of
 * milliseconds: anybody could have that done with each request, by telling another version each time.
 */
import TinyQueue from "tinyqueue";
import type { DurableData } from "../store/data.ts";
import { type Activity, activeMilliseconds } from "./activity.ts";
import { liveTokenOf } from "./tokens.ts";

/** A client, as `/mgmt/users` shows it. */
export interface Client {
  readonly uuid: string;
  readonly active: boolean;
  readonly version: string | null;
  readonly current: boolean;
}

/** The clients in numbers. */
export interface ClientCounts {
  readonly total: number;
  readonly active: number;
  /** How many clients have a version. */
  readonly users: ReadonlyMap<string, number>;
}

interface KnownClient {
  active: boolean;
  version: string | null;
  /** The instant at which it is looked at again; infinity for none. Other entries of the queue are out of date. */
  queued: number;
}

/** A client that changes by itself: its token expires, or its last request is too long ago. */
interface Due {
  /** Milliseconds since 1970. Never later than the change, but maybe earlier: each request puts it off. */
  readonly at: number;
  readonly uuid: string;
}

/** See the head of this file. */
export class Clients {
  readonly #data: Pick<DurableData, "tokens" | "versions" | "activity">;
  readonly #activity: Activity;
  /** By UUID. */
  readonly #known = new Map<string, KnownClient>();
  /** The UUIDs of the clients, sorted. */
  #sorted: string[] = [];
  #active = 0;
  readonly #users = new Map<string, number>();
  #queue = newQueue([]);
  /** The instant at which the clients are as they are known; undefined before they are counted. */
  #now: number | undefined;
  #changes = 0;

  constructor(data: Pick<DurableData, "tokens" | "versions" | "activity">, activity: Activity) {
    this.#data = data;
    this.#activity = activity;
    data.tokens.watch((_id, before, after) => {
      if (before !== undefined) this.#look(before.uuid);
      if (after !== undefined && after.uuid !== before?.uuid) this.#look(after.uuid);
    });
    data.activity.watch((uuid) => this.#look(uuid));
    activity.watch((uuid) => this.#look(uuid));
  }

  /** Another number whenever a client is added, removed or shown otherwise; ask {@link at} first. */
  get version(): number {
    // Both only grow, so that their sum tells whether one of them has changed.
    return this.#changes + this.#data.versions.version;
  }

  /** Returns the clients in numbers at an instant, in milliseconds since 1970. */
  at(now: number): ClientCounts {
    if (this.#now === undefined || now < this.#now) this.#countAnew(now);
    this.#now = now;
    for (let due = this.#queue.peek(); due !== undefined && due.at <= now; due = this.#queue.peek()) {
      this.#queue.pop();
      const client = this.#known.get(due.uuid);
      if (client?.queued !== due.at) continue;
      client.queued = Number.POSITIVE_INFINITY;
      this.#look(due.uuid);
    }
    return { total: this.#known.size, active: this.#active, users: this.#users };
  }

  /** Returns up to `count` clients in the order of their UUIDs, as of the last {@link at}; those behind `after`. */
  list(count = Number.POSITIVE_INFINITY, after = ""): Client[] {
    const { versions } = this.#data;
    const start = this.#placeOf(after) + Number(this.#known.has(after));
    return this.#sorted.slice(start, start + count).flatMap((uuid) => {
      const client = this.#known.get(uuid);
      if (client === undefined) return [];
      const { active, version } = client;
      return { uuid, active, version, current: version !== null && versions.get(version)?.current === true };
    });
  }

  /** Counts all: the first time, and where the clock was set back, which makes some active again. */
  #countAnew(now: number): void {
    this.#known.clear();
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
    // In this order each is added at the end. A player with several tokens is looked at again, which changes nothing.
    for (const uuid of uuids.sort()) this.#look(uuid);
  }

  /** Takes note of what a player is now, whatever has changed. */
  #look(uuid: string | null): void {
    const now = this.#now;
    if (now === undefined || uuid === null) return;
    const before = this.#known.get(uuid);
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
    if (due < client.queued) this.#queueUp(uuid, client, due);
  }

  #add(uuid: string): KnownClient {
    const client = { active: false, version: null, queued: Number.POSITIVE_INFINITY };
    this.#known.set(uuid, client);
    if ((this.#sorted.at(-1) ?? "") < uuid) this.#sorted.push(uuid);
    else this.#sorted.splice(this.#placeOf(uuid), 0, uuid);
    this.#changes += 1;
    return client;
  }

  #remove(uuid: string, { active, version }: KnownClient): void {
    this.#known.delete(uuid);
    this.#sorted.splice(this.#placeOf(uuid), 1);
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

  #queueUp(uuid: string, client: KnownClient, at: number): void {
    client.queued = at;
    this.#queue.push({ at, uuid });
    // What is out of date stays until its instant comes, which can be years: it must not become more and more.
    if (this.#queue.length > 2 * this.#known.size + 1000) {
      const live = Array.from(this.#known, ([each, { queued }]) => ({ at: queued, uuid: each }));
      this.#queue = newQueue(live.filter((due) => due.at < Number.POSITIVE_INFINITY));
    }
  }

  /** The place of a UUID among the sorted ones, or where it would be. */
  #placeOf(uuid: string): number {
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
