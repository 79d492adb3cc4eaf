/** What players are and belong to, and a roster of them. */
import { countsAt } from "../../domain/model.ts";
import { byName } from "../../domain/text.ts";
import { namesOf } from "../../identity/memberships.ts";
import type { Data } from "../../store/data.ts";

/** The columns, in the order of an export. */
export const rosterColumns = ["name", "uuid", "organisations", "groups", "administrator"] as const;

/** A membership: `GROVE:4`, `POLICE:2@2026-12-01T00:00Z`, or in a group, without a rank, `VIP`. */
export interface Standing {
  /** 0 in a group. */
  readonly rank: number;
  /** When it ends by itself, in milliseconds since 1970. */
  readonly until: number | undefined;
}
export type Standings = ReadonlyMap<string, Standing>;

/** Returns a membership as a cell has it. */
export function toWord(name: string, { rank, until }: Standing): string {
  return `${name}${rank === 0 ? "" : `:${rank}`}${endWord(until)}`;
}

/** Returns an end as a cell has it; nothing without one. */
export function endWord(until: number | undefined): string {
  return until === undefined ? "" : `@${new Date(until).toISOString().replace(/(?::00)?\.000Z$/, "Z")}`;
}

/** Returns what a player belongs to now. A membership that has ended counts no more, and is about to be removed. */
export function standingsOf(data: Data, uuid: string, now: number): { ranks: Standings; groups: Standings } {
  const memberships = data.memberships.find("player", uuid).filter((one) => countsAt(one, now));
  const groups = data.groupMembers.find("subject", uuid).filter((one) => countsAt(one, now));
  return {
    ranks: new Map(memberships.map(({ organisation, rank, until }) => [organisation, { rank, until }])),
    groups: new Map(groups.map(({ group, until }) => [group, { rank: 0, until }])),
  };
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
