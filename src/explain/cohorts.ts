/**
 * Cohorts: players with the same administrator flag, memberships and groups, for whom every restriction decides alike.
 * A question about 100,000 players so takes a few hundred decisions.
 */
import type { Player } from "../domain/model.ts";
import { Slices } from "../domain/slices.ts";
import { byName, fold } from "../domain/text.ts";
import { toUUID } from "../domain/uuid.ts";
import { standingsOf } from "../identity/memberships.ts";
import type { Data } from "../store/data.ts";
import { type Caller, type Traits, toCaller } from "../table/caller.ts";

export type Person = Pick<Player, "name" | "uuid">;

/** What a player is and belongs to, whoever it is. */
export type PlayerTraits = Pick<Traits, "administrator" | "ranks" | "groups">;

/** Returns what is the same for the same traits. */
export function traitsKey({ administrator, ranks, groups }: PlayerTraits): string {
  const ranked = Array.from(ranks, ([name, { rank }]) => `${name}:${rank}`);
  return JSON.stringify([administrator, ranked.sort(), [...groups.keys()].sort()]);
}

/** Players for whom every restriction decides alike. */
export interface Cohort {
  /** The name of the player who represents the others. */
  readonly name: string;
  readonly caller: Caller;
  /** In no particular order; at least one. */
  readonly players: readonly Person[];
}

/**
 * Groups all registered players, in slices of the event loop. Changes made meanwhile may or may not count.
 * @param texts that a decision compares with names and UUIDs: each player whom one of them names is a cohort of one
 */
export async function cohortsOf(data: Data, texts: readonly string[], now: number): Promise<Cohort[]> {
  const isNamed = namedBy(texts);
  const cohorts = new Map<string, Cohort & { readonly players: Person[] }>();
  const slices = new Slices();
  for (const player of [...data.players.values()]) {
    if (slices.isOver) await slices.next();
    const { name, uuid, administrator } = player;
    const traits = { administrator, ...standingsOf(data, uuid, now) };
    const key = `${isNamed(player) ? uuid : ""} ${traitsKey(traits)}`;
    const cohort = cohorts.get(key);
    if (cohort !== undefined) cohort.players.push({ name, uuid });
    else cohorts.set(key, { name, caller: toCaller({ ...traits, name, uuid }), players: [{ name, uuid }] });
  }
  return [...cohorts.values()];
}

/** Returns a function that returns whether one of some texts names a player, by name or by UUID. */
export function namedBy(texts: readonly string[]): (player: Person) => boolean {
  const named = new Set(texts.flatMap((text) => [fold(text), toUUID(text) ?? []].flat()));
  return ({ name, uuid }) => named.has(fold(name)) || named.has(uuid);
}

/** Returns the players of some cohorts in the order of their names, each with the index of the cohort. */
export function playersOf(cohorts: readonly (readonly Person[])[]) {
  return byName(
    cohorts.flatMap((players, cohort) => players.map((person) => ({ name: person.name, person, cohort }))),
  );
}
