/**
 * Clients of the addon: a client is a player with a token that can be used, and is active with a request in the last
 * 3 days (contract, section 3, `/mgmt`). Looking at all of them takes long where there are many, so what was found
 * is kept until a token, a version's marking, or what the activity says of a client is another one.
 */
import type { DurableData } from "../store/data.ts";
import { type Activity, activeMilliseconds } from "./activity.ts";
import { liveTokensByPlayer } from "./tokens.ts";

/** A client, as `/mgmt/users` shows it. */
export interface Client {
  readonly uuid: string;
  readonly active: boolean;
  readonly version: string | null;
  readonly current: boolean;
}

/** All clients at a moment. */
export interface ClientsAt {
  /** In no particular order. */
  readonly list: readonly Client[];
  readonly active: number;
  /** How many clients have a version. */
  readonly users: ReadonlyMap<string, number>;
}

interface Found extends ClientsAt {
  readonly version: number;
  /** It holds from here on, and before `until`; both in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** See the head of this file. */
export class Clients {
  readonly #data: Pick<DurableData, "tokens" | "versions">;
  readonly #activity: Activity;
  #found: Found | undefined;

  constructor(data: Pick<DurableData, "tokens" | "versions">, activity: Activity) {
    this.#data = data;
    this.#activity = activity;
  }

  /** The clients as they are now; the same object as long as they are the same. */
  at(now: number): ClientsAt {
    const { tokens, versions } = this.#data;
    // Versions only grow, so that their sum tells whether one of them is another one.
    const version = tokens.version + versions.version + this.#activity.version;
    const found = this.#found;
    if (found !== undefined && found.version === version && found.from <= now && now < found.until)
      return found;
    this.#found = this.#find(version, now);
    return this.#found;
  }

  #find(version: number, now: number): Found {
    const { tokens, versions } = this.#data;
    const list: Client[] = [];
    const users = new Map<string, number>();
    let active = 0;
    let until = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of tokens.values()) {
      if (expiresAt !== null && expiresAt > now) until = Math.min(until, expiresAt);
    }
    for (const [uuid, token] of liveTokensByPlayer(this.#data, now)) {
      const lastSeen = this.#activity.of(uuid)?.lastSeen ?? Number.NEGATIVE_INFINITY;
      const isActive = now - lastSeen < activeMilliseconds;
      if (isActive) {
        active += 1;
        until = Math.min(until, lastSeen + activeMilliseconds);
      }
      const told = this.#activity.versionOf(uuid, token);
      if (told !== null) users.set(told, (users.get(told) ?? 0) + 1);
      const current = told !== null && versions.get(told)?.current === true;
      list.push({ uuid, active: isActive, version: told, current });
    }
    return { list, active, users, version, from: now, until };
  }
}
