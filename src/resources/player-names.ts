/** The names of all players, to search. */
import { fold } from "../domain/text.ts";
import type { DurableData } from "../store/data.ts";

/** The most names that a search finds. */
const mostFound = 10;

/** See the head of this file. Folding the names takes longer than searching them: it is done once for each change of a player. */
export class PlayerNames {
  readonly #players: DurableData["players"];
  #version: number | undefined;
  #known: readonly { readonly name: string; readonly text: string }[] = [];

  constructor(players: DurableData["players"]) {
    this.#players = players;
  }

  /** Returns names that begin with a text, then names that contain it. */
  like(text: string): string[] {
    const wanted = fold(text.trim());
    if (wanted === "") return [];
    if (this.#version !== this.#players.version)
      this.#known = Array.from(this.#players.values(), ({ name }) => ({ name, text: fold(name) }));
    this.#version = this.#players.version;
    const found = this.#known.filter((known) => known.text.includes(wanted));
    const rank = (known: { readonly text: string }) => Number(!known.text.startsWith(wanted));
    return found
      .sort((a, b) => rank(a) - rank(b) || (a.text < b.text ? -1 : 1))
      .slice(0, mostFound)
      .map(({ name }) => name);
  }
}
