/** The names of all players, to search. */
import { fold } from "../domain/text.ts";
import type { DurableData } from "../store/data.ts";

/** The most names that a search finds. */
const mostFound = 10;

/** See the head of this file. Folding the names takes longer than searching them: it is done once for each change of a player. */
export class PlayerNames {
  readonly #players: DurableData["players"];
  #version: number | undefined;
  #known: readonly { readonly name: string; readonly folded: string }[] = [];

  constructor(players: DurableData["players"]) {
    this.#players = players;
  }

  /** Returns names that begin with a text, then names that contain it. */
  like(text: string): string[] {
    const wanted = fold(text.trim());
    if (wanted === "") return [];
    if (this.#version !== this.#players.version)
      this.#known = Array.from(this.#players.values(), ({ name }) => ({ name, folded: fold(name) }));
    this.#version = this.#players.version;
    const [begun, others]: [string[], string[]] = [[], []];
    for (const { name, folded } of this.#known) {
      if (folded.startsWith(wanted)) begun.push(name);
      else if (others.length < mostFound && folded.includes(wanted)) others.push(name);
      if (begun.length === mostFound) break;
    }
    return [...begun, ...others].slice(0, mostFound);
  }
}
