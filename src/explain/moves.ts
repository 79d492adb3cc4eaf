/** Which operations players gain and lose when they change and the table stays, as by new ranks. */
import type { Player } from "../domain/model.ts";
import { nobody, toCaller, type Vocabulary } from "../table/caller.ts";
import type { Table } from "../table/table.ts";
import { namedBy, type PlayerTraits, traitsKey } from "./cohorts.ts";
import { affected, type Contender, textsIn } from "./comparison.ts";

/** A player before and after a change; a new one was nobody. */
export interface Move {
  readonly player: Player;
  readonly before: PlayerTraits | undefined;
  readonly after: PlayerTraits;
}

/**
 * Returns the operations that players gain and lose, by name, with the values of decisive parameters in words where they make
 * a difference. In slices of the event loop: each change of traits is decided once.
 */
export async function operationsMoved(table: Table, vocabulary: Vocabulary, moves: readonly Move[]) {
  const tables = { before: table, after: table };
  const isNamed = namedBy(textsIn(tables));
  const groups = new Map<string, Contender & { readonly players: string[] }>();
  for (const { player, before, after } of moves) {
    const [former, present] = [before && traitsKey(before), traitsKey(after)];
    if (former === present) continue;
    const { name, uuid } = player;
    const key = JSON.stringify([isNamed(player) ? uuid : null, former, present]);
    const known = groups.get(key);
    const was = before === undefined ? nobody : toCaller({ ...before, name, uuid });
    const is = toCaller({ ...after, name, uuid });
    if (known === undefined) groups.set(key, { name, before: was, after: is, players: [name] });
    else known.players.push(name);
  }
  const all = [...groups.values()];
  const namesOf = (indices: readonly number[]) => indices.flatMap((index) => all[index]?.players ?? []);
  const moved = [];
  for (const route of table.routes) {
    const same = { before: route, after: route };
    for (const { when, gains, loses } of await affected(tables, same, all, vocabulary))
      moved.push({ path: route.path, when, gains: namesOf(gains.cohorts), loses: namesOf(loses.cohorts) });
  }
  return moved;
}
