/**
 * The limiter: a token bucket for each caller and limit. It is synchronous, and belongs to the service rather than to a
 * table, so that the buckets survive a reload.
 */
import { LRUCache } from "lru-cache";
import { networkOf } from "../domain/address.ts";
import { type Caller, publicTokenOf } from "../table/caller.ts";
import type { Limit } from "../table/limits.ts";
import type { Operation } from "../table/operation.ts";
import type { IncomingRequest } from "./request.ts";

export interface Refusal {
  readonly limit: Limit;
  /** After how many seconds a request is allowed again: whole, at least 1. */
  readonly seconds: number;
  /** Whether this limit refused the caller's last request as well. */
  readonly isRepeated: boolean;
}

interface Bucket {
  /** How many requests were left at {@link at}. */
  left: number;
  /** In milliseconds. */
  at: number;
  /** Whether its last request was refused. */
  isRefusing: boolean;
}

/**
 * The maximum number of buckets of each kind: of reads, changes, limits of routes, and networks. A
 * bucket that is evicted is full again, so that many networks could only loosen limits. The kinds are apart, so that
 * nobody without a valid token can evict the bucket of a caller.
 */
export const mostBuckets = 25_000;

/** The limit of all changes with one public token, as a multiple of that of one network. */
const networksTogether = 10;

/** Sums of fractions differ from whole numbers by less than this. */
const tolerance = 1e-6;

/** Parsing an address takes longer than finding the route of a request. */
const networks = new LRUCache<string, string>({ max: 10_000, memoMethod: networkOf });

/** The sender of a request. Its address is read only if it counts. */
type Client = Pick<IncomingRequest, "address">;

type Buckets = LRUCache<string, Bucket>;

export class Limiter {
  // Reads and changes are apart from the limits of routes, since composing a key took longer than all else.
  readonly #reads = newBuckets();
  readonly #changes = newBuckets();
  readonly #routes = newBuckets();
  readonly #networks = newBuckets();
  readonly #now: () => number;

  /** @param now returns milliseconds, of any clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts a request with a valid token. Returns its refusal, if it exceeds the limit. A public token has it for each
   * network; its changes count together as well, so that no number of networks grows the journal without end.
   */
  ofCaller(limit: Limit, caller: Caller, client: Client, effect: Operation["effect"]): Refusal | undefined {
    const { name } = limit;
    const token = caller.token ?? caller.id ?? "";
    const isPublic = publicTokenOf(caller) !== undefined;
    const key = isPublic ? `${token} ${networkOfClient(client)}` : token;
    const together = isPublic && effect === "change" ? token : undefined;
    if (name === "reads") return this.#take(this.#reads, key, limit);
    if (name === "changes") return this.#take(this.#changes, key, limit, together);
    return this.#take(this.#routes, `${name} ${key}`, limit, together && `${name} ${together}`);
  }

  /** As {@link ofCaller}, for a request whose token is invalid or does not matter. */
  ofNetwork(limit: Limit, client: Client): Refusal | undefined {
    return this.#take(this.#networks, `${limit.name} ${networkOfClient(client)}`, limit);
  }

  /** @param together the key of the bucket of all networks; a request counts in both buckets or in neither */
  #take(buckets: Buckets, key: string, limit: Limit, together?: string): Refusal | undefined {
    const { burst, perSecond } = limit;
    const now = this.#now();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { left: burst, at: now, isRefusing: false };
      buckets.set(key, bucket);
    } else {
      // The clock may have been set back.
      const refill = (Math.max(0, now - bucket.at) * perSecond) / 1000;
      bucket.left = Math.min(burst, bucket.left + refill);
      bucket.at = now;
    }
    const isRepeated = bucket.isRefusing;
    bucket.isRefusing = bucket.left < 1 - tolerance;
    if (bucket.isRefusing) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.left) / perSecond - tolerance));
      return { limit, seconds, isRepeated };
    }
    const refusal = together === undefined ? undefined : this.#take(buckets, together, ofAllNetworks(limit));
    if (refusal === undefined) bucket.left = Math.max(0, bucket.left - 1);
    return refusal;
  }
}

function ofAllNetworks({ name, burst, perSecond, words }: Limit): Limit {
  return {
    name,
    burst: burst * networksTogether,
    perSecond: perSecond * networksTogether,
    words: `ten times ${words}, from all networks together`,
  };
}

function newBuckets(): Buckets {
  // With `max` it would allocate room for all at each start, which takes 5 ms.
  return new LRUCache({ maxSize: mostBuckets, sizeCalculation: () => 1 });
}

function networkOfClient({ address = "" }: Client): string {
  return networks.memo(address);
}
