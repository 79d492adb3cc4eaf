/** The response cache: answers as bytes that are ready to send, each until something changes on which it depends. */
import { LRUCache } from "lru-cache";
import { fold } from "../../domain/text.ts";
import { maxCached, ReadyBody } from "../../engine/body.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import type { Cacheable, Context, ReadHandler, Sources } from "./define.ts";

interface CachedAnswer {
  readonly body: ReadyBody;
  readonly dependencies: readonly unknown[];
  /** The answer is valid from this instant, and before `until`; both in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** Returns the answer to an input, which may be cached. @throws what the handler throws, which is not cached */
export type CachedRead = (input: Input, context: Context) => ReadyBody;

/** As how many bytes an answer counts, at least: so that 4,096 answers are cached, at most. */
const minCached = maxCached / 4096;

/** The answers of the operations of one table. */
export class ResponseCache {
  readonly #answers = new LRUCache<string, CachedAnswer>({
    maxSize: maxCached,
    sizeCalculation: ({ body }) => Math.max(body.size, minCached),
  });

  /** Returns a read whose answers are cached, by the operation's name and the input. */
  cachedRead(
    name: string,
    handler: ReadHandler,
    { isCompressed, formOf, dependencies: dependenciesOf, validUntil }: Cacheable,
    sources: Sources,
  ): CachedRead {
    return (input, context) => {
      const { now } = context;
      const key = `${name} ${keyOf(input, formOf)}`;
      const dependencies = dependenciesOf(sources, input, context);
      const cached = this.#answers.get(key);
      if (cached !== undefined && cached.from <= now && now < cached.until) {
        if (cached.dependencies.every((dependency, index) => dependency === dependencies[index]))
          return cached.body;
      }
      const body = new ReadyBody(handler.read(sources, input, context), { cached: isCompressed === true });
      const until = validUntil?.(sources, now) ?? Number.POSITIVE_INFINITY;
      this.#answers.set(key, { body, dependencies, from: now, until });
      return body;
    };
  }
}

/** Returns the key of an input, of which all spellings have the same answer. @param formOf see {@link Cacheable} */
export function keyOf(input: Input, formOf: Cacheable["formOf"] = () => fold): string {
  let key = "";
  for (const name in input) {
    const value = input[name];
    key += `${name}:${JSON.stringify(typeof value === "string" ? formOf(name)(value) : value)},`;
  }
  return key;
}
