/**
 * Players as they were shown last, as ready bytes. Records are replaced and never edited: as long as a player's are the
 * same ones, and nothing that was said of all players has changed, the player is shown the same.
 */

import type { Player, Statistic, Token } from "../../domain/model.ts";
import type { ReadyBody } from "../../engine/body.ts";

/** How many are kept at most: those who are looked at again and again, in little memory. */
const most = 2000;

/** What a body was made of. */
export interface Shown {
  readonly body: ReadyBody;
  readonly player: Player;
  readonly statistic: Statistic | undefined;
  readonly token: Token | undefined;
  readonly version: string | null;
  /** The versions of all else, added up. */
  readonly others: number;
  readonly excludedGroup: string | undefined;
  /** It holds from here on, and before `until`; both in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** See the head of this file. */
export class ShownPlayers {
  readonly #shown = new Map<string, Shown>();

  get(uuid: string): Shown | undefined {
    return this.#shown.get(uuid);
  }

  set(uuid: string, shown: Shown): void {
    // The one that has been kept for longest makes room.
    const isNew = !this.#shown.has(uuid);
    if (isNew && this.#shown.size >= most) this.#shown.delete(this.#shown.keys().next().value ?? "");
    this.#shown.set(uuid, shown);
  }
}
