/** What an operation requires of its parameters, and whether the type that a table gives one meets that. */
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { oneOf } from "../domain/text.ts";
import type { Operation } from "./operation.ts";
import type { BaseType, Parameter } from "./parameters.ts";

/** What an operation requires of a parameter: its schema as JSON Schema, and the metadata that JSON Schema lacks. */
export interface Requirement {
  /** The built-in type, if JSON has none for it: a faction is a text there, an instant a number. */
  readonly base?: BaseType;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Whether the text names an entry; see `Parameter.isReference`. */
  readonly reference?: boolean;
  /** Whether the text names a player, by name or by UUID. */
  readonly player?: boolean;
  /** Whether decimals are rounded down; see `ParameterType.roundsDown`. */
  readonly roundsDown?: boolean;
}

/** Returns what the metadata of an operation requires of a parameter. */
export function requirementOf(operation: Operation | undefined, name: string): Requirement | undefined {
  const schema = operation?.input.entries[name];
  return schema === undefined ? undefined : v.getMetadata(schema);
}

/** Returns what the operation requires instead of the parameter's type, or undefined if the type meets it. */
export function mismatchOf({ name, type }: Parameter, schema: v.GenericSchema): string | undefined {
  const required = {
    ...toJsonSchema(schema, { errorMode: "ignore" }),
    ...v.getMetadata(schema),
  } as Requirement;
  const kind = required.base ?? required.type;
  const got = type.base === "text" || type.base === "enum" ? "string" : type.base;
  if (kind !== got) return `"${name}" to be of type ${kind === "string" ? "text" : kind}, not ${type.name}`;
  if (required.enum !== undefined) {
    const values = required.enum.map(String);
    if (type.values?.every((value) => values.includes(value))) return undefined;
    return `"${name}" to be an enum of ${oneOf(values, "and")}, or of some of them`;
  }
  const above = (["maximum", "maxLength"] as const).find(
    (key) => (type[key] ?? -Infinity) > (required[key] ?? Infinity),
  );
  if (above !== undefined)
    return `the ${above} of "${name}" to be at most ${required[above]}, not ${type[above]}`;
  const below = (["minimum", "minLength"] as const).find(
    (key) => (type[key] ?? Infinity) < (required[key] ?? -Infinity),
  );
  if (below !== undefined)
    return `the ${below} of "${name}" to be at least ${required[below]}, not ${type[below]}`;
  return undefined;
}
