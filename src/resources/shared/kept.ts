/** Answers that are kept: as ready bytes, until what they are made of is another one. */
import { ReadyBody } from "../../engine/body.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import type { Handler, Kept, Sources } from "./define.ts";

/** More inputs than any operation of few values has: beyond it the kept answers are dropped, so that they stay few. */
const most = 64;

interface KeptAnswer {
  readonly body: ReadyBody;
  readonly version: number;
  /** It holds from here on, and before `until`; both in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** The answers of one handler, by its input. */
export class KeptAnswers {
  readonly #kept: Kept;
  readonly #sources: Sources;
  readonly #answers = new Map<string, KeptAnswer>();

  constructor(kept: Kept, sources: Sources) {
    this.#kept = kept;
    this.#sources = sources;
  }

  /** The answer to an input, kept or made. @throws what the handler throws; nothing of that is kept */
  get(input: Input, now: number): ReadyBody {
    const key = keyOf(input);
    const version = this.#version();
    const known = this.#answers.get(key);
    if (known !== undefined && known.version === version && known.from <= now && now < known.until) {
      return known.body;
    }
    const value = this.#kept.read(this.#sources, input as never, now);
    const body = new ReadyBody(value, { cached: true });
    const until = this.#kept.until?.(this.#sources, now) ?? Number.POSITIVE_INFINITY;
    if (known === undefined && this.#answers.size >= most) this.#answers.clear();
    this.#answers.set(key, { body, version, from: now, until });
    return body;
  }

  /** Versions only grow, so that their sum tells whether one of them is another one. */
  #version(): number {
    let sum = 0;
    for (const name of this.#kept.of) sum += this.#sources[name].version;
    return sum;
  }
}

/** The kept answers of all handlers that have some, by the handler's name. */
export function keepAnswers(
  handlers: ReadonlyMap<string, Handler>,
  sources: Sources,
): ReadonlyMap<string, KeptAnswers> {
  const answers = new Map<string, KeptAnswers>();
  for (const [name, handler] of handlers) {
    if (handler.effect === "read" && handler.kept !== undefined) {
      answers.set(name, new KeptAnswers(handler.kept, sources));
    }
  }
  return answers;
}

function keyOf(input: Input): string {
  let key = "";
  for (const name in input) key += `${JSON.stringify(input[name])} `;
  return key;
}
