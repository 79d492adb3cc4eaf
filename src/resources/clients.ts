/**
 * The addon's clients: a client is a player with a valid token, and is active with a request in the last 3 days. They are
 * counted when they are asked for. With many, that is done at most once a second, in short slices of the event loop: any
 * request may change a client, and counting 100,000 takes hundreds of milliseconds.
 */
import { Slices } from "../domain/slices.ts";
import { ReadyBody } from "../engine/body.ts";
import { type Activity, activeMilliseconds } from "../identity/activity.ts";
import { isLive, liveTokenOf } from "../identity/tokens.ts";
import type { DurableData } from "../store/data.ts";

/** Up to this number of tokens, clients are counted at once, in 1 to 2 ms. */
export const mostAtOnce = 1000;

/** With more, the milliseconds from the start of one count to the next. */
const countInterval = 1000;

/** A client in the answer of `/mgmt/users`. */
export interface Client {
  readonly uuid: string;
  readonly active: boolean;
  readonly version: string | null;
  readonly current: boolean;
}

export interface ClientCount {
  readonly total: number;
  readonly active: number;
  /** The number of clients with each version. */
  readonly users: ReadonlyMap<string, number>;
  /** All of them as JSON, ordered by UUID. */
  readonly list: ReadyBody;
  /** In milliseconds since 1970. */
  readonly started: number;
}

/** The clients of the durable data. */
export class Clients {
  readonly #data: Pick<DurableData, "tokens" | "versions">;
  readonly #activity: Activity;
  #latest: ClientCount | undefined;
  #counting: Promise<ClientCount> | undefined;

  constructor(data: Pick<DurableData, "tokens" | "versions">, activity: Activity) {
    this.#data = data;
    this.#activity = activity;
  }

  /**
   * Returns the clients at an instant. With more than {@link mostAtOnce} tokens the count is up to one second old, or two
   * during the next one. Requests that find none of that age wait for the same count.
   */
  async at(now: number): Promise<ClientCount> {
    if (this.#data.tokens.size <= mostAtOnce) return this.#count(now);
    const latest = this.#latest;
    const age =
      latest === undefined || now < latest.started ? Number.POSITIVE_INFINITY : now - latest.started;
    if (latest !== undefined && age < countInterval) return latest;
    this.#counting ??= this.#count(now, new Slices()).finally(() => {
      this.#counting = undefined;
    });
    if (latest === undefined || age >= 2 * countInterval) return this.#counting;
    // Nobody waits for this count. After a failure the next request starts another.
    this.#counting.catch(() => {});
    return latest;
  }

  /** Returns whether a client has a version. It reads all of them, if need be. */
  isUsed(version: string, now: number): boolean {
    for (const token of this.#data.tokens.values()) {
      if (token.uuid === null || this.#activity.versionOf(token.uuid, now) !== version) continue;
      if (liveTokenOf(this.#data, token.uuid, now) === token) return true;
    }
    return false;
  }

  /** Counts the clients, at once or in slices, between which the data may change. */
  async #count(now: number, slices?: Slices): Promise<ClientCount> {
    // Before the first slice too: the request that starts the count is still being answered.
    await slices?.next();
    // By the first two digits, since sorting all at once would take too long.
    const groups = Array.from({ length: 256 }, () => new Map<string, Client>());
    let index = 0;
    for (const token of this.#data.tokens.values()) {
      index += 1;
      if (index % 64 === 0 && slices?.isOver) await slices.next();
      if (token.uuid === null || !isLive(token, now)) continue;
      if (liveTokenOf(this.#data, token.uuid, now) !== token) continue;
      const lastSeen = this.#activity.of(token.uuid)?.lastSeen ?? Number.NEGATIVE_INFINITY;
      const active = now - lastSeen < activeMilliseconds;
      const version = this.#activity.versionOf(token.uuid, now);
      const current = version !== null && this.#data.versions.get(version)?.current === true;
      const client = { uuid: token.uuid, active, version, current };
      groups[Number.parseInt(token.uuid.slice(0, 2), 16)]?.set(token.uuid, client);
    }
    let total = 0;
    let active = 0;
    const users = new Map<string, number>();
    const pieces: Buffer[] = [];
    for (const group of groups) {
      if (slices?.isOver) await slices.next();
      const clients = Array.from(group.values()).sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
      total += clients.length;
      for (const client of clients) {
        active += Number(client.active);
        if (client.version !== null) users.set(client.version, (users.get(client.version) ?? 0) + 1);
      }
      const begin = pieces.length === 0 ? "[" : ",";
      if (clients.length > 0) pieces.push(Buffer.from(begin + JSON.stringify(clients).slice(1, -1)));
    }
    pieces.push(Buffer.from(pieces.length === 0 ? "[]" : "]"));
    if (slices?.isOver) await slices.next();
    const body = new ReadyBody(Buffer.concat(pieces), { cached: true });
    // The same list has the same bytes, and is compressed once, however many clients read it slowly.
    const list = body.etag === this.#latest?.list.etag ? this.#latest.list : body;
    this.#latest = { total, active, users, list, started: now };
    return this.#latest;
  }
}
