/** The response cache: answers as bytes that are ready to send, each until something changes on which it depends. */
import { LRUCache } from "lru-cache";
import { ReadyBody } from "../../engine/body.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import type { Cacheable, Context, Handler, ReadHandler, Sources } from "./define.ts";

interface CachedAnswer {
  readonly body: ReadyBody;
  readonly dependencies: readonly unknown[];
  /** The answer is valid from this instant, and before `until`; both in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** The cached answers of one handler, by its input. */
export class CachedAnswers {
  readonly #handler: ReadHandler;
  readonly #cacheable: Cacheable;
  readonly #sources: Sources;
  readonly #answers: LRUCache<string, CachedAnswer>;

  constructor(handler: ReadHandler, cacheable: Cacheable, sources: Sources) {
    this.#handler = handler;
    this.#cacheable = cacheable;
    this.#sources = sources;
    this.#answers = new LRUCache({ max: cacheable.capacity });
  }

  /** Returns the answer to an input. @throws what the handler throws, which is not cached */
  get(input: Input, context: Context): ReadyBody {
    const { now } = context;
    const key = JSON.stringify(input);
    const dependencies = this.#cacheable.dependencies(this.#sources, input, context);
    const cached = this.#answers.get(key);
    if (cached !== undefined && cached.from <= now && now < cached.until) {
      if (cached.dependencies.every((dependency, index) => dependency === dependencies[index]))
        return cached.body;
    }
    const body = new ReadyBody(this.#handler.read(this.#sources, input, context), {
      cached: this.#cacheable.isCompressed === true,
    });
    const until = this.#cacheable.validUntil?.(this.#sources, now) ?? Number.POSITIVE_INFINITY;
    this.#answers.set(key, { body, dependencies, from: now, until });
    return body;
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
        ? [[name, new CachedAnswers(handler, handler.cacheable, sources)] as const]
        : [],
    ),
  );
}
