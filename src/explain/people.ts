/** The people whom access is about: every registered player, and the holders of public tokens, who are one. */

import { compareTexts } from "../domain/text.ts";
import { playerCaller, publicCaller } from "../identity/callers.ts";
import type { Data } from "../store/data.ts";
import type { Caller } from "../table/caller.ts";

/** A player, as lists name one. */
export interface Person {
  readonly name: string;
  readonly uuid: string;
}

/** A person, and what the engine asks of one. */
export interface Somebody extends Person {
  readonly caller: Caller;
}

/** Everyone, by name. */
export interface People {
  readonly players: readonly Somebody[];
  readonly public: Caller;
}

/** Everyone in the data. What they may is asked of the data as it is at the moment of each question. */
export function peopleOf(data: Data): People {
  const players = Array.from(data.players.values(), (player) => {
    return { name: player.name, uuid: player.uuid, caller: playerCaller(data, player) };
  });
  return { players: players.sort((a, b) => compareTexts(a.name, b.name)), public: publicCaller({ id: "-" }) };
}

/** The name and the UUID alone. */
export function toPerson({ name, uuid }: Person): Person {
  return { name, uuid };
}
