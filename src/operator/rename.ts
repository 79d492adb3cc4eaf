/** Renaming a player, with all records that contain the name. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { labelOf } from "../domain/label.ts";
import type { Player } from "../domain/model.ts";
import { allOf, fold } from "../domain/text.ts";
import { requirePlayer } from "../identity/players.ts";
import { bindRecords, collectionsOf, recordsOfName } from "../identity/references.ts";
import type { Data } from "../store/data.ts";
import { defineChange } from "./define.ts";
import { newPlayerName, playerReference } from "./input.ts";
import { formerNote } from "./players.ts";

export const rename = defineChange({
  input: v.strictObject({ player: playerReference, name: newPlayerName }),
  change(draft, { player, name }, { now }) {
    const found = requirePlayer(draft, player);
    const { uuid } = found;
    if (found.name === name) return { info: `The player ${uuid} is already called ${name}.`, name, uuid };
    const other = draft.players.find("name", fold(name)).find((player) => player.uuid !== uuid);
    if (other !== undefined) {
      throw new Failure("CONFLICT", `The name ${other.name} is taken by the player ${other.uuid}.`, {
        hint: "Choose another name, or rename that player first.",
      });
    }
    const note = takeoverNote(boundTo(draft, { name, uuid }));
    const renamed: Player = { ...found, name };
    draft.players.put(renamed);
    bindRecords(draft, renamed);
    const former = formerNote(draft, renamed, now);
    return { info: `Renamed ${found.name} to ${name}${former && `; ${former}`}.${note}`, name, uuid };
  },
});

/** Returns a note on records that become those of a player, or of several; "" for none. @param records in words */
export function takeoverNote(records: readonly string[], who = "The player takes"): string {
  return records.length === 0 ? "" : ` ${who} over ${allOf(records)}.`;
}

/** Returns the records of an unregistered name, in words. */
export function boundTo(data: Data, { name, uuid }: Pick<Player, "name" | "uuid">): string[] {
  return collectionsOf(data).flatMap((collection) =>
    recordsOfName(collection, name).map((record) => {
      const { noun, key, rows } = collection;
      const [present, bound] = [key(record), key({ ...record, name, uuid })];
      const isTwin = bound !== present && rows.get(bound) !== undefined;
      const words = `the ${noun} ${labelOf(record, present, (player) => player)}`;
      return isTwin ? `${words} (one of two, of which one stays)` : words;
    }),
  );
}
