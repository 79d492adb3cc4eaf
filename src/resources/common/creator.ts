/** Who added an entry, as stored and as answered. */
import * as v from "valibot";
import type { Creator } from "../../domain/model.ts";
import type { Data } from "../../store/data.ts";
import type { Caller } from "../../table/caller.ts";
import { anyUUID, field } from "./values.ts";

/** The creator's name in answers where no player is stored. */
const nobody = "operator";

/** The creator in answers: strings, never null, because a client does not check for null. */
export const creatorFields = {
  creatorName: field(
    v.string(),
    `The name of the player who added it; \`${nobody}\` if no player did.`,
    "Ada",
  ),
  creatorUUID: field(
    v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{32})?$/)),
    "The game UUID of the player who added it; empty if no player did.",
    anyUUID,
  ),
};

/** Returns the creator to store for an entry that a caller adds, whether or not answers show it; undefined if no player does. */
export function creatorOf(data: Data, { id }: Caller): Creator | undefined {
  const player = id === null ? undefined : data.players.get(id);
  return player && { creatorName: player.name, creatorUUID: player.uuid };
}

export function creatorInAnswer({
  creatorName,
  creatorUUID,
}: { [K in keyof Creator]?: Creator[K] | undefined }) {
  return { creatorName: creatorName ?? nobody, creatorUUID: creatorUUID ?? "" };
}
