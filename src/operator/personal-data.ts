/** All records about one person, registered or not, for requests about stored personal data. */
import * as v from "valibot";
import type { AnyRecord } from "../domain/collection.ts";
import { toUUID } from "../domain/uuid.ts";
import { findPlayer, formerPlayers } from "../identity/players.ts";
import {
  type AnyCollection,
  collectionsOf,
  creatorsIn,
  recordsOfName,
  recordsOfPlayer,
} from "../identity/references.ts";
import { defineRead } from "./define.ts";
import { playerReference } from "./input.ts";

export const personalData = defineRead({
  input: v.strictObject({
    player: playerReference,
    /** Another name whose records count, such as an exclusion of it. */
    formerName: v.optional(playerReference),
  }),
  /** Returns the person, and the records by collection. */
  read(data, input, { activity }) {
    const player = findPlayer(data, input.player);
    const former = player === undefined ? formerPlayers(data, input.player) : [];
    const stated = toUUID(input.player) ?? null;
    const { name, uuid } = player ?? former[0] ?? { name: input.player, uuid: stated };
    const uuids = [...new Set([uuid, ...former.map((player) => player.uuid)])].filter((id) => id !== null);
    const records: Record<string, readonly AnyRecord[]> = {};
    for (const collection of collectionsOf(data)) {
      if (!isPersonal(collection)) continue;
      const found = [
        ...[name, input.formerName ?? name].flatMap((name) => recordsOfName(collection, name)),
        ...uuids.flatMap((id) => recordsOfPlayer(collection, id)),
        // Also those of others that this person entered.
        ...enteredBy(collection, uuids),
      ];
      records[collection.name] = [...new Set(found)].map(withoutHash);
    }
    records.players = uuids.flatMap((id) => data.players.get(id) ?? []);
    // Some of it is not saved yet.
    records.activity = uuids.flatMap((id) => activity.of(id) ?? []);
    return { name, uuids, records };
  },
});

function isPersonal({ name, refersTo: { player, subject, creator } }: AnyCollection): boolean {
  return name === "players" || player !== undefined || subject !== undefined || creator !== undefined;
}

function enteredBy(collection: AnyCollection, uuids: readonly string[]): readonly AnyRecord[] {
  if (collection.refersTo.creator === undefined) return [];
  const isTheirs = ({ creatorUUID }: AnyRecord) => uuids.some((uuid) => uuid === creatorUUID);
  return Array.from(collection.rows.values()).filter((record) =>
    creatorsIn(collection, record).some(isTheirs),
  );
}

/** The hash of a token is of no use to the person, and must not leave the service. */
function withoutHash({ hash: _, ...record }: AnyRecord): AnyRecord {
  return record;
}
