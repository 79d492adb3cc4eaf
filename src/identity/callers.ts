/** Callers: from a token to whoever it stands for, as the engine asks about them (contract, section 2). */

import { Failure } from "../domain/errors.ts";
import type { Player, Token } from "../domain/model.ts";
import { fold } from "../domain/text.ts";
import type { Data, DurableData } from "../store/data.ts";
import type { Caller, MembershipKind } from "../table/caller.ts";
import { isInGroup, toUUID } from "./players.ts";
import { isLive, requireLive, requireToken, unknownToken } from "./tokens.ts";

/** What the caller's token says of the caller. */
type PresentedToken = Pick<Token, "id" | "readOnly">;

/** The holder of a public token: belongs to nobody, and can call what is open. */
export function publicCaller({ id, readOnly }: PresentedToken): Caller {
  return {
    id: null,
    scope: `token:${id}`,
    token: id,
    readOnly,
    identified: false,
    administrator: false,
    unrestricted: false,
    isCalled: () => false,
    rankIn: () => undefined,
  };
}

/** Whoever sits at the command line: no restriction applies. */
export const operatorCaller: Caller = {
  id: "operator",
  scope: "operator",
  identified: true,
  administrator: true,
  unrestricted: true,
  isCalled: () => true,
  rankIn: () => undefined,
};

/**
 * A player, as the data is at the moment of each question.
 * @param token the token that the player presented, where there is one
 */
export function playerCaller(data: Data, player: Player, token?: PresentedToken): Caller {
  return new PlayerCaller(data, player, token);
}

/**
 * The caller of a request as the data is now: a token may have been revoked, or a player removed, since the request
 * was authenticated.
 * @throws Failure `TOKEN_UNKNOWN`, `TOKEN_REVOKED`, `TOKEN_EXPIRED`; `UNKNOWN_PLAYER` for a removed player whom the
 * operator acts as
 */
export function currentCaller(data: Data, caller: Caller, now: number): Caller {
  if (caller.unrestricted) return caller;
  if (caller.token !== undefined) {
    const token = data.tokens.get(caller.token);
    if (token === undefined) throw unknownToken();
    requireLive(token, now);
    return callerOf(data, token);
  }
  const player = caller.id === null ? undefined : data.players.get(caller.id);
  if (player !== undefined) return playerCaller(data, player);
  throw new Failure("UNKNOWN_PLAYER", "The player is no longer registered.");
}

/** Whom a token stands for. @throws Failure `TOKEN_UNKNOWN` where its player is no longer registered */
function callerOf(data: Data, token: Token): Caller {
  if (token.uuid === null) return publicCaller(token);
  const player = data.players.get(token.uuid);
  if (player !== undefined) return playerCaller(data, player, token);
  throw new Failure("TOKEN_UNKNOWN", "The player of this addon token is no longer registered.");
}

class PlayerCaller implements Caller {
  readonly id: string;
  readonly scope: string;
  readonly token: string | undefined;
  readonly readOnly: boolean | undefined;
  readonly identified = true;
  readonly administrator: boolean;
  readonly unrestricted = false;
  readonly #data: Data;
  readonly #player: Player;

  constructor(data: Data, player: Player, token: PresentedToken | undefined) {
    this.id = player.uuid;
    this.scope = player.uuid;
    this.token = token?.id;
    this.readOnly = token?.readOnly;
    this.administrator = player.administrator;
    this.#data = data;
    this.#player = player;
  }

  isCalled(reference: string): boolean {
    const { uuid, name } = this.#player;
    return toUUID(reference) === uuid || fold(reference) === fold(name);
  }

  rankIn(kind: MembershipKind, of: string): number | undefined {
    if (kind === "group") return isInGroup(this.#data, of, this.#player) ? 0 : undefined;
    return this.#data.memberships.get(`${of}/${this.id}`)?.rank;
  }
}

/** How many callers are kept at most: enough for those who play, and little memory. */
const mostKept = 10_000;

interface KnownCaller {
  readonly caller: Caller;
  readonly token: Token;
  readonly player: Player | undefined;
  /** The version of the tokens and players at which the records were last seen to be the same. */
  version: number;
}

/**
 * Whom tokens stand for. A caller is kept until the records that say so are others: records are replaced and never
 * edited, so the same record says the same. What a caller may do is looked up at each question.
 */
export class Callers {
  readonly #data: DurableData;
  readonly #known = new Map<string, KnownCaller>();

  constructor(data: DurableData) {
    this.#data = data;
  }

  /** @throws Failure `TOKEN_UNKNOWN`, `TOKEN_REVOKED`, `TOKEN_EXPIRED` */
  of(text: string, now: number): Caller {
    const known = this.#known.get(text);
    if (known !== undefined) {
      if (this.#holds(known) && isLive(known.token, now)) return known.caller;
      this.#known.delete(text);
    }
    const token = requireToken(this.#data, text, now);
    const caller = callerOf(this.#data, token);
    const player = token.uuid === null ? undefined : this.#data.players.get(token.uuid);
    // The one that has been kept for longest makes room.
    if (this.#known.size >= mostKept) this.#known.delete(this.#known.keys().next().value ?? "");
    const version = this.#data.tokens.version + this.#data.players.version;
    this.#known.set(text, { caller, token, player, version });
    return caller;
  }

  #holds(known: KnownCaller): boolean {
    const { tokens, players } = this.#data;
    // Versions only grow, so that their sum tells whether one of them is another one.
    const version = tokens.version + players.version;
    if (known.version === version) return true;
    const { token, player } = known;
    if (tokens.get(token.id) !== token) return false;
    if (player !== undefined && players.get(player.uuid) !== player) return false;
    known.version = version;
    return true;
  }
}
