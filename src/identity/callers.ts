/** Callers: from a token to whoever it stands for, as the engine asks about them (contract, section 2). */
import type { Caller } from "../engine/caller.ts";
import { Failure } from "../errors.ts";
import type { Player } from "../model.ts";
import type { Data } from "../store/data.ts";
import { fold } from "../text.ts";
import { isInGroup, toUUID } from "./players.ts";
import { requireToken } from "./tokens.ts";

/** The holder of a public token: belongs to nobody, and can call what is open. */
export function publicCaller(tokenId: string): Caller {
  return {
    id: null,
    scope: `token:${tokenId}`,
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

/** A player, as the data is at the moment of each question. */
export function playerCaller(data: Data, player: Player): Caller {
  const { uuid, name } = player;
  return {
    id: uuid,
    scope: uuid,
    identified: true,
    administrator: player.administrator,
    unrestricted: false,
    isCalled: (reference) => toUUID(reference) === uuid || fold(reference) === fold(name),
    rankIn(kind, of) {
      if (kind === "group") return isInGroup(data, of, player) ? 0 : undefined;
      return data.memberships.get(`${of}/${uuid}`)?.rank;
    },
  };
}

/** Whom a token stands for. @throws Failure `TOKEN_UNKNOWN`, `TOKEN_REVOKED`, `TOKEN_EXPIRED` */
export function callerOf(data: Data, token: string, now: number): Caller {
  const { id, uuid } = requireToken(data, token, now);
  if (uuid === null) return publicCaller(id);
  const player = data.players.get(uuid);
  if (player !== undefined) return playerCaller(data, player);
  throw new Failure("TOKEN_UNKNOWN", "The player of this addon token is not registered any more.");
}
