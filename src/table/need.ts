/** What an operation needs of its parameters, and whether what a table gives it goes together with that. */
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { oneOf } from "../domain/text.ts";
import type { Operation } from "./operation.ts";
import type { BaseType, Parameter } from "./parameters.ts";

/** What an operation says of a value that it needs: its schema as JSON Schema, and what its metadata adds to that. */
export interface Need {
  /** The built-in type, where JSON has none for it: a faction is a text there, an instant a number. */
  readonly base?: BaseType;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Whether the text refers to an entry; see `Parameter.isReference`. */
  readonly reference?: boolean;
  /** Whether the text names a player, which a name does and a UUID as well. */
  readonly player?: boolean;
  /** Whether decimals are rounded down; see `ParameterType.roundsDown`. */
  readonly roundsDown?: boolean;
}

/** What an operation's metadata says of a parameter. */
export function needOf(operation: Operation | undefined, name: string): Need | undefined {
  const schema = operation?.input.entries[name];
  return schema === undefined ? undefined : v.getMetadata(schema);
}

const outputOf: Readonly<Record<BaseType, string>> = {
  text: "string",
  integer: "integer",
  boolean: "boolean",
  enum: "string",
  instant: "instant",
  group: "group",
  faction: "faction",
  service: "service",
};

/** What the operation needs in place of the parameter's type, or undefined where they go together. */
export function mismatchOf({ name, type }: Parameter, schema: v.GenericSchema): string | undefined {
  const need = { ...toJsonSchema(schema, { errorMode: "ignore" }), ...v.getMetadata(schema) } as Need;
  const kind = need.base ?? need.type;
  const came = outputOf[type.base];
  if (kind !== came) return `"${name}" to be of type ${kind === "string" ? "text" : kind}, not ${type.name}`;
  if (need.enum !== undefined) {
    const needed = need.enum.map(String);
    if (type.values?.every((value) => needed.includes(value))) return undefined;
    return `"${name}" to be an enum of ${oneOf(needed, "and")} or fewer of them`;
  }
  const beyond = (["maximum", "maxLength"] as const).find(
    (key) => (type[key] ?? -Infinity) > (need[key] ?? Infinity),
  );
  if (beyond !== undefined)
    return `the ${beyond} of "${name}" to be at most ${need[beyond]}, not ${type[beyond]}`;
  const below = (["minimum", "minLength"] as const).find(
    (key) => (type[key] ?? Infinity) < (need[key] ?? -Infinity),
  );
  if (below !== undefined)
    return `the ${below} of "${name}" to be at least ${need[below]}, not ${type[below]}`;
  return undefined;
}
