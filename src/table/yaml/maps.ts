/** Schemas of maps in a YAML file. Valibot's own accept a list as well, with its indices as keys. */
import * as v from "valibot";
import { isMap, unknownName } from "./wording.ts";

/** Returns the schema of a map whose content has a schema of its own. @param expected the map, for messages */
export function mapOf<I, O>(content: v.GenericSchema<I, O>, expected = "a map") {
  return v.pipe(v.custom<I>(isMap, expected), content);
}

/** Returns the schema of a map with certain keys. It reports the first unknown one. @param expected the map, for messages */
export function mapWith<E extends v.ObjectEntries>(entries: E, expected?: string) {
  const keys = Object.keys(entries);
  const content = v.strictObject(entries, ({ path }) => unknownName("key", String(path?.at(-1)?.key), keys));
  return mapOf(content, expected);
}
