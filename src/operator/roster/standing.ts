/** What players are and belong to, and a roster of them. */
import { latestEnd } from "../../domain/instant.ts";
import { byName } from "../../domain/text.ts";
import { namesOf, type Standing, type Standings, standingsOf } from "../../identity/memberships.ts";
import type { Data } from "../../store/data.ts";

/** The columns, in the order of an export. */
export const rosterColumns = ["name", "uuid", "organisations", "groups", "administrator"] as const;

/** Returns a membership as a cell has it: `GROVE:4`, `POLICE:2@2026-12-01T00:00Z`, or in a group, without a rank, `VIP`. */
export function toWord(name: string, { rank, until }: Standing): string {
  return `${name}${rank === 0 ? "" : `:${rank}`}${endWord(until)}`;
}

/** Returns an end as a cell has it; nothing without one. Of a later end than a cell can have, that is the latest. */
export function endWord(until: number | undefined): string {
  if (until === undefined) return "";
  return `@${new Date(Math.min(until, latestEnd)).toISOString().replace(/(?::00)?\.000Z$/, "Z")}`;
}

/** Returns all players as rows, with memberships in the seed's order. */
export function rosterOf(data: Data, now: number): string[][] {
  const organisations = [...namesOf(data, "faction"), ...namesOf(data, "service")];
  const names = namesOf(data, "group");
  const cell = (known: readonly string[], standings: Standings) => {
    const words = known.map((name) => {
      const standing = standings.get(name);
      return standing === undefined ? "" : toWord(name, standing);
    });
    return words.filter((word) => word !== "").join(" ");
  };
  return byName(data.players.values()).map(({ name, uuid, administrator }) => {
    const { ranks, groups } = standingsOf(data, uuid, now);
    return [name, uuid, cell(organisations, ranks), cell(names, groups), administrator ? "yes" : ""];
  });
}
