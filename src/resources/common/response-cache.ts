/** The response cache: answers as bytes that are ready to send, each until something changes on which it depends. */
import { DerivedCache } from "../../domain/derived-cache.ts";
import { fold } from "../../domain/text.ts";
import { maxCached, ReadyBody } from "../../engine/body.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import type { Cacheable, Context, ReadHandler, Sources } from "./define.ts";

/** Returns the answer to an input, which may be cached. @throws what the handler throws, which is not cached */
export type CachedRead = (input: Input, context: Context) => ReadyBody;

/** The answers of the operations of one table. */
export class ResponseCache extends DerivedCache<ReadyBody> {
  constructor() {
    super(4096, maxCached, ({ size }) => size);
  }

  /** Returns a read whose answers are cached, by the operation's name and the input. */
  cachedRead(
    name: string,
    handler: ReadHandler,
    { isCompressed, formOf, dependencies }: Cacheable,
    sources: Sources,
  ): CachedRead {
    return (input, context) => {
      const derive = () =>
        new ReadyBody(handler.read(sources, input, context), { cached: isCompressed === true });
      return this.get(`${name} ${keyOf(input, formOf)}`, dependencies(sources, input, context), derive);
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
