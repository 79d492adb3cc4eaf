/** What the bench hands to a peer: the same records and headers that the service has, in a JSON file. */
import { readFileSync } from "node:fs";

/** The records as peers keep them. Tokens come as their hashes. */
export interface PeerState {
  readonly players: readonly { uuid: string; name: string; administrator: boolean }[];
  readonly statistics: readonly Statistic[];
  readonly memberships: readonly { uuid: string; organisation: string; rank: number }[];
  readonly tokens: readonly {
    hash: string;
    uuid: string | null;
    issuedAt: number;
    addonVersion: string | null;
    expiresAt: number | null;
    revokedAt: number | null;
  }[];
  readonly groups: readonly string[];
  readonly groupMembers: readonly { group: string; uuid: string }[];
  readonly wantedReasons: readonly { reason: string; points: number }[];
  /** Headers that every read, and every change, is answered with; those that differ by answer are not among them. */
  readonly readHeaders: Readonly<Record<string, string>>;
  readonly changeHeaders: Readonly<Record<string, string>>;
}

/** The five counters of a player. */
export interface Statistic {
  readonly uuid: string;
  readonly deaths: number;
  readonly kills: number;
  readonly playTime: number;
  readonly revives: number;
  readonly services: number;
}

export type Counter = Exclude<keyof Statistic, "uuid">;

/** Reads the file that the bench has written. */
export function readState(file: string): PeerState {
  return JSON.parse(readFileSync(file, "utf8"));
}
