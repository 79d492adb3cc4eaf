/** The names of all players, to search. */
import { DerivedCache } from "../domain/derived-cache.ts";
import { fold } from "../domain/text.ts";
import type { DurableData } from "../store/data.ts";

const mostFound = 10;

/**
 * Any visitor can search: all names are one text, folded once for each change of a player. In
 * 100,000 names that takes 1 ms, and looking at each name took 10 ms.
 */
export class PlayerNames {
  readonly #players: DurableData["players"];
  /** The folded names, each between line feeds, which no name has. */
  readonly #texts = new DerivedCache<string>(1);

  constructor(players: DurableData["players"]) {
    this.#players = players;
  }

  /** Returns names that begin with a text, then names that contain it. */
  like(sought: string): string[] {
    const wanted = fold(sought);
    if (wanted === "" || wanted.includes("\n")) return [];
    const { version } = this.#players;
    const names = () => Array.from(this.#players.values(), ({ name }) => name);
    const text = this.#texts.get("names", [version], () => fold(["", ...names(), ""].join("\n")));
    const found = new Set<string>();
    for (const part of [`\n${wanted}`, wanted]) {
      let at = text.indexOf(part);
      for (; at !== -1 && found.size < mostFound; at = text.indexOf(part, at + 1)) {
        const end = text.indexOf("\n", at + 1);
        const folded = text.slice(text.lastIndexOf("\n", at) + 1, end);
        for (const { name } of this.#players.find("name", folded)) found.add(name);
      }
    }
    return [...found];
  }
}
