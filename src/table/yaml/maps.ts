/** Schemas of maps in a YAML file. Valibot's own accept a list as well, with its indices as keys. */
import * as v from "valibot";
import { isMap, unknownName } from "./wording.ts";

/** Returns the schema of a map with any keys, whose values have a schema of their own. */
export function mapOf<I, O>(values: v.GenericSchema<I, O>) {
  return v.pipe(v.custom<Record<string, I>>(isMap, "a map"), v.record(v.string(), values));
}

/** Returns the schema of a map with certain keys. It reports the first unknown one. @param expected the map, for messages */
export function mapWith<E extends v.ObjectEntries>(entries: E, expected = "a map") {
  const keys = Object.keys(entries);
  const content = v.strictObject(entries, ({ path }) => unknownName("key", String(path?.at(-1)?.key), keys));
  return v.pipe(v.custom<v.InferInput<typeof content>>(isMap, expected), content);
}
