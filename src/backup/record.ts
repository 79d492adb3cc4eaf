/** Checks a single record against the model: its collection, its schema, its key. */
import * as v from "valibot";
import { type CollectionDefinition, type Model, model } from "../domain/model.ts";

const definitions: Model = model;

/** Returns the definition of a collection, or undefined where the model has none of that name. */
export function definitionOf(collection: string): CollectionDefinition | undefined {
  return Object.hasOwn(definitions, collection) ? definitions[collection] : undefined;
}

/** Returns the fault of a record, or undefined. @param key the key under which it is stored */
export function recordFault(collection: string, record: unknown, key?: string): string | undefined {
  const definition = definitionOf(collection);
  if (definition === undefined) return `there is no collection "${collection}"`;
  const parsed = v.safeParse(definition.schema, record);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const place = v.getDotPath(issue);
    return `a record of ${collection}${place === null ? "" : `, ${place}`}: ${issue.message}`;
  }
  const own = definition.key(record);
  if (key === undefined || own === key) return undefined;
  return `a record of ${collection} is stored under the key "${key}", but its own is "${own}"`;
}
