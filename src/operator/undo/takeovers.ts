/** Records of a name alone that become those of the player who gets the name: by a registration, a renaming or a roster. */
import { textOf } from "../../domain/label.ts";
import { definitionOf, type Player } from "../../domain/model.ts";
import { fold } from "../../domain/text.ts";
import { placeOf, type RecordChange } from "../../store/change.ts";

/** A registered player. */
export type Person = Pick<Player, "name" | "uuid">;

/** Whether a record is of a name that was not registered when it was made. */
export const isAlone = (record: unknown): boolean => Reflect.get(Object(record), "uuid") === null;

/** Returns the key of a record as that of another person; undefined for a record that is of nobody. */
export function keyAs(
  collection: string,
  record: unknown,
  person: { readonly uuid: string | null },
): string | undefined {
  const definition = definitionOf(collection);
  return definition?.refersTo.subject && definition.key({ ...Object(record), ...person });
}

/**
 * Returns the records that players took over with a name in a change, then those that they gave back: the player, the change
 * of the record of the name alone, where it is as a record of the player (in the same place, if its key does not have the
 * player), and the side of the change on which it is theirs.
 */
export function takeoversIn(changes: readonly RecordChange[]) {
  return (["after", "before"] as const).flatMap((bound) => {
    const free = bound === "after" ? "before" : "after";
    const players = new Map<string, Person>();
    for (const { collection, key, [bound]: player, [free]: other } of changes) {
      if (collection !== "players") continue;
      const [name, otherName] = [textOf(player, "name"), textOf(other, "name")];
      if (name !== undefined && fold(name) !== fold(otherName ?? ""))
        players.set(fold(name), { name, uuid: key });
    }
    if (players.size === 0) return [];
    return changes.flatMap((alone) => {
      const { collection, [bound]: record, [free]: former } = alone;
      const name = isAlone(former) && !isAlone(record) ? textOf(former, "name") : undefined;
      const player = name === undefined ? undefined : players.get(fold(name));
      const key = player && keyAs(collection, former, player);
      return player && key ? [{ player, alone, own: placeOf({ collection, key }), bound }] : [];
    });
  });
}
