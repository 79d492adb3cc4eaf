/** Everyone whose access is asked for: the registered players, and the holders of public tokens, who count as one. */

import { compareTexts } from "../domain/text.ts";
import { playerCaller, publicCaller } from "../identity/callers.ts";
import type { Data } from "../store/data.ts";
import type { Caller } from "../table/caller.ts";

/** A player in a list. */
export interface Person {
  readonly name: string;
  readonly uuid: string;
}

/** A player as a caller. */
export interface Somebody extends Person {
  readonly caller: Caller;
}

/** Everyone, players in the order of their names. */
export interface People {
  readonly players: readonly Somebody[];
  readonly public: Caller;
}

/** Returns everyone. Each answer of a caller is from the data at that moment. */
export function peopleOf(data: Data): People {
  const players = Array.from(data.players.values(), (player) => {
    return { name: player.name, uuid: player.uuid, caller: playerCaller(data, player) };
  });
  return { players: players.sort((a, b) => compareTexts(a.name, b.name)), public: publicCaller({ id: "-" }) };
}

/** Returns the name and the UUID alone. */
export function toPerson({ name, uuid }: Person): Person {
  return { name, uuid };
}
