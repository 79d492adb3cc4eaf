/** Checks a single record against the model: its collection, its schema, its key. */
import * as v from "valibot";
import { formerSchema } from "../domain/former.ts";
import { definitionOf } from "../domain/model.ts";
import { nearest } from "../domain/text.ts";
import { isObject } from "../store/journal/record-lines.ts";

/** Returns the fault of a record, or undefined. @param key the key under which it is stored */
export function recordFault(collection: string, record: unknown, key?: string): string | undefined {
  const definition = definitionOf(collection);
  const schema = definition?.schema ?? formerSchema(collection);
  if (schema === undefined) return `there is no collection "${collection}"`;
  const parsed = v.safeParse(schema, record);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const place = v.getDotPath(issue);
    return `a record of ${collection}${place === null ? "" : `, ${place}`}: ${issue.message}`;
  }
  const own = definition?.key(record);
  if (key === undefined || own === undefined || own === key) return undefined;
  return `a record of ${collection} is stored under the key "${key}", but its own is "${own}"`;
}

/**
 * Returns the fault of a record that has a key which its schema does not know, or undefined. The records of a backup may
 * have one, from another version; those of an import are written by people and other programs.
 */
export function unknownKeyIn(collection: string, record: unknown): string | undefined {
  const schema = definitionOf(collection)?.schema ?? formerSchema(collection);
  if (schema === undefined) return undefined;
  const entries = "entries" in schema && isObject(schema.entries) ? Object.keys(schema.entries) : [];
  return unknownKey(record, v.safeParse(schema, record).output, entries);
}

/** @param known the keys of the schema; those of the parsed value if that is unknown */
function unknownKey(
  value: unknown,
  parsed: unknown,
  known?: readonly string[],
  path = "",
): string | undefined {
  if (!isObject(value) || !isObject(parsed)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!Object.hasOwn(parsed, key)) {
      return `unknown key "${path}${key}"${suggest(key, known ?? Object.keys(parsed))}`;
    }
    const found = unknownKey(inner, parsed[key], undefined, `${path}${key}.`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns `; did you mean "x"?`, or an empty text if no name is near. */
export function suggest(typed: string, known: readonly string[]): string {
  const name = nearest(typed, known);
  return name === undefined ? "" : `; did you mean "${name}"?`;
}
