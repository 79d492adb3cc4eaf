/** Entries of the shipped lists, as they are stored. */
import { type Entry, entryKey } from "../src/domain/entry.ts";

export function wantedReason(reason: string, points = 1): Entry {
  return { list: "wantedreason", key: ["reason"], values: { reason, points } };
}

/** @param creator who added it: absent in records from before version 0.2 */
export function houseBanReason(
  reason: string,
  days = 1,
  creator: Pick<Entry, "creatorName" | "creatorUUID"> = {},
): Entry {
  return { list: "housebanreason", key: ["reason"], values: { reason, days }, ...creator };
}

export function naviPoint(name: string, x = 0, y = 0, z = 0, article = "das"): Entry {
  return { list: "navipoint", key: ["name"], values: { name, x, y, z, article } };
}

export function blacklistReason(factionString: string, reason: string, price = 1, kills = 1): Entry {
  return {
    list: "blacklistreason",
    key: ["factionString", "reason"],
    values: { factionString, reason, price, kills },
    names: { factionString: "faction" },
  };
}

/** Returns the key of a wanted reason. */
export const wantedKey = (reason: string) => entryKey(wantedReason(reason));

/** Returns a wanted reason as it is written into files. */
export const wantedJSON = (reason: string, points = 1) => JSON.stringify(wantedReason(reason, points));

/** Returns the points of wanted reasons, by reason. */
export function pointsOf(entries: Iterable<Entry>): Record<string, number> {
  const points = Array.from(entries, ({ values }) => [String(values.reason), Number(values.points)] as const);
  return Object.fromEntries(points.sort());
}
