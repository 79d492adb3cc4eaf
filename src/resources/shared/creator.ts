/** Who added an entry: as it is stored, and as it is answered (contract, section 0). */
import * as v from "valibot";
import type { Creator, HouseBanReason } from "../../domain/model.ts";
import type { Data } from "../../store/data.ts";
import type { Caller } from "../../table/caller.ts";
import { anyUUID, field } from "./values.ts";

/** The name in answers where no player added the entry, and for entries from before creators were stored. */
const nobody = "operator";

/** The creator in answers: strings, never null, because a client shows them without a check. */
export const creatorFields = {
  creatorName: field(v.string(), `The name of the player who added it; \`${nobody}\` where none did.`, "Ada"),
  creatorUUID: field(
    v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{32})?$/)),
    "The game UUID of the player who added it; empty where none did.",
    anyUUID,
  ),
};

/** Returns the creator to store for an entry that a caller adds. */
export function creatorOf(data: Data, { id }: Caller): Creator {
  const player = id === null ? undefined : data.players.get(id);
  return { creatorName: player?.name ?? null, creatorUUID: player?.uuid ?? null };
}

/** A creator as it is stored; entries from before creators were stored have none. */
type StoredCreator = Pick<HouseBanReason, keyof Creator>;

/** Returns the creator to answer for a stored entry. */
export function shownCreator({ creatorName, creatorUUID }: StoredCreator) {
  return { creatorName: creatorName ?? nobody, creatorUUID: creatorUUID ?? "" };
}
