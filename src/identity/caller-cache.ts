/** The cache of callers: requests mostly come with the tokens of recent ones. */
import { LRUCache } from "lru-cache";
import type { Player, Token } from "../domain/model.ts";
import type { DurableData } from "../store/data.ts";
import type { Caller } from "../table/caller.ts";
import { callerOf } from "./callers.ts";
import { isLive, requireToken } from "./tokens.ts";

interface CachedCaller {
  readonly caller: Caller;
  readonly token: Token;
  readonly player: Player | undefined;
  /** The version of the tokens and players at which these records were last known to be current. */
  version: number;
}

/**
 * The callers of recent tokens. A cached caller is valid while the records of its token and player are the same objects:
 * records are replaced, never edited.
 */
export class CallerCache {
  readonly #data: DurableData;
  readonly #now: () => number;
  readonly #noteUse: (token: string) => Promise<void> | undefined;
  readonly #callers = new LRUCache<string, CachedCaller>({ max: 10_000 });

  /**
   * @param now the clock by which memberships end
   * @param noteUse called with the id of a token that is not cached, as no token is at its first use
   */
  constructor(
    data: DurableData,
    now: () => number,
    noteUse: (token: string) => Promise<void> | undefined = () => undefined,
  ) {
    this.#data = data;
    this.#now = now;
    this.#noteUse = noteUse;
  }

  /** Returns the caller of a token. @throws Failure `TOKEN_UNKNOWN`, `TOKEN_REVOKED`, `TOKEN_EXPIRED` */
  get(text: string, now: number): Caller {
    const cached = this.#callers.get(text);
    if (cached !== undefined) {
      if (this.#isCurrent(cached) && isLive(cached.token, now)) return cached.caller;
      this.#callers.delete(text);
    }
    const token = requireToken(this.#data, text, now);
    const caller = callerOf(this.#data, token, this.#now);
    const player = token.uuid === null ? undefined : this.#data.players.get(token.uuid);
    this.#callers.set(text, { caller, token, player, version: this.#version });
    // The next use is as good, if the disk is full.
    this.#noteUse(token.id)?.catch(() => this.#callers.delete(text));
    return caller;
  }

  /** Versions only grow, so that their sum changes with each of them. */
  get #version(): number {
    return this.#data.tokens.version + this.#data.players.version;
  }

  #isCurrent(cached: CachedCaller): boolean {
    const version = this.#version;
    if (cached.version === version) return true;
    const { token, player } = cached;
    if (this.#data.tokens.get(token.id) !== token) return false;
    if (player !== undefined && this.#data.players.get(player.uuid) !== player) return false;
    cached.version = version;
    return true;
  }
}
