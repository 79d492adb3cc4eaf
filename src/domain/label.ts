/** How records are called in sentences: `entry track/Monza`, `token b3c69208 of Ada`. The nouns are in the model. */
import { entryLabel, isEntry } from "./entry.ts";

/** Returns the name of a record for people: its name, its reason or its player, and its group or organisation. */
export function labelOf(record: unknown, key: string, nameOf: (uuid: string) => string): string {
  if (isEntry(record)) return entryLabel(record);
  const uuid = textOf(record, "uuid");
  const name =
    textOf(record, "name") ?? textOf(record, "reason") ?? (uuid === undefined ? key : nameOf(uuid));
  const place = textOf(record, "organisation") ?? textOf(record, "group") ?? textOf(record, "faction");
  const id = textOf(record, "id");
  if (id !== undefined) return uuid === undefined ? id : `${id} of ${name}`;
  return place === undefined ? name : `${name} (${place})`;
}

/** Returns a field of a record if it is a text. */
export function textOf(record: unknown, field: string): string | undefined {
  if (typeof record !== "object" || record === null) return undefined;
  const value: unknown = Reflect.get(record, field);
  return typeof value === "string" ? value : undefined;
}
