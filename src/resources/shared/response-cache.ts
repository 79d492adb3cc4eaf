/** The response cache: answers as bytes that are ready to send, each until one of its sources changes. */
import { LRUCache } from "lru-cache";
import { ReadyBody } from "../../engine/body.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import type { Cacheable, Handler, Sources } from "./define.ts";

/** The number of inputs whose answers one handler caches: none has more in ordinary use. */
const capacity = 64;

interface CachedAnswer {
  readonly body: ReadyBody;
  readonly version: number;
  /** The answer is valid from this instant, and before `until`; both in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** The cached answers of one handler, by its input. */
export class CachedAnswers {
  readonly #handler: Cacheable;
  readonly #sources: Sources;
  readonly #answers = new LRUCache<string, CachedAnswer>({ max: capacity });

  constructor(handler: Cacheable, sources: Sources) {
    this.#handler = handler;
    this.#sources = sources;
  }

  /** Returns the answer to an input. @throws what the handler throws, which is not cached */
  get(input: Input, now: number): ReadyBody {
    const key = JSON.stringify(input);
    const version = this.#version();
    const cached = this.#answers.get(key);
    if (cached !== undefined && cached.version === version && cached.from <= now && now < cached.until) {
      return cached.body;
    }
    const body = new ReadyBody(this.#handler.read(this.#sources, input, now), { cached: true });
    const until = this.#handler.validUntil?.(this.#sources, now) ?? Number.POSITIVE_INFINITY;
    this.#answers.set(key, { body, version, from: now, until });
    return body;
  }

  /** Versions only grow, so that their sum changes with each of them. */
  #version(): number {
    let sum = 0;
    for (const name of this.#handler.dependsOn) sum += this.#sources[name].version;
    return sum;
  }
}

/** Returns an empty cache for each handler whose answers may be cached, by the handler's name. */
export function createResponseCache(
  handlers: ReadonlyMap<string, Handler>,
  sources: Sources,
): ReadonlyMap<string, CachedAnswers> {
  return new Map(
    Array.from(handlers).flatMap(([name, handler]) =>
      handler.effect === "read" && handler.cacheable !== undefined
        ? [[name, new CachedAnswers(handler.cacheable, sources)] as const]
        : [],
    ),
  );
}
