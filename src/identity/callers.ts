/** Callers: the engine's view of the operator, of players, and of the holders of public tokens. */
import { Failure } from "../domain/errors.ts";
import { groupMemberKey, type Player, type Token } from "../domain/model.ts";
import { fold } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import type { Data } from "../store/data.ts";
import { type Caller, nobody } from "../table/caller.ts";
import { isInGroup, rankOf } from "./memberships.ts";
import { requireLive, unknownToken } from "./tokens.ts";

/** The token that a caller presented. */
type PresentedToken = Pick<Token, "id" | "readOnly">;

/** Returns the holder of a public token, who is nobody in particular. */
export function publicCaller({ id, readOnly }: PresentedToken): Caller {
  return { ...nobody, token: id, readOnly };
}

/** The operator at the command line, to whom no restriction applies. */
export const operatorCaller: Caller = {
  id: "operator",
  administrator: true,
  unrestricted: true,
  isCalled: () => true,
  rankIn: () => undefined,
};

/**
 * Returns a player as a caller. Memberships are looked up at each question.
 * @param now the clock by which they end
 * @param token the token that the player presented, if any
 */
export function playerCaller(data: Data, player: Player, now: () => number, token?: PresentedToken): Caller {
  const { uuid, name, administrator } = player;
  return {
    id: uuid,
    token: token?.id,
    readOnly: token?.readOnly,
    administrator,
    unrestricted: false,
    isCalled: (reference) => toUUID(reference) === uuid || fold(reference) === fold(name),
    rankIn(kind, of) {
      if (kind === "group") return isInGroup(data, of, player, now()) ? 0 : undefined;
      return rankOf(data, of, uuid, now());
    },
    termsIn: (group) => data.groupMembers.get(groupMemberKey(group, player)),
  };
}

/**
 * Returns a request's caller by the current data: since authentication, the token may have been revoked or the player
 * removed.
 * @throws Failure `TOKEN_UNKNOWN`, `TOKEN_REVOKED`, `TOKEN_EXPIRED`; `UNKNOWN_PLAYER` where the operator acts as a player
 * who was removed
 */
export function currentCaller(data: Data, caller: Caller, now: number): Caller {
  if (caller.unrestricted) return caller;
  if (caller.token !== undefined) {
    const token = data.tokens.get(caller.token);
    if (token === undefined) throw unknownToken();
    requireLive(token, now);
    return callerOf(data, token, () => now);
  }
  const player = caller.id === null ? undefined : data.players.get(caller.id);
  if (player !== undefined) return playerCaller(data, player, () => now);
  throw new Failure("UNKNOWN_PLAYER", "The player is no longer registered.");
}

/** Returns the caller of a token. @throws Failure `TOKEN_UNKNOWN` if its player is no longer registered */
export function callerOf(data: Data, token: Token, now: () => number): Caller {
  if (token.uuid === null) return publicCaller(token);
  const player = data.players.get(token.uuid);
  if (player !== undefined) return playerCaller(data, player, now, token);
  throw new Failure("TOKEN_UNKNOWN", "The player of this addon token is no longer registered.");
}
