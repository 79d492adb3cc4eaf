/** What an operation requires of its parameters, and whether the type that a table gives one meets that. */
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { allOf } from "../domain/text.ts";
import { type BaseType, expectation, type ParameterType } from "./base-types.ts";
import type { Vocabulary } from "./caller.ts";
import type { DerivedParameter, Operation } from "./operation.ts";
import type { Parameter } from "./parameters.ts";
import type { ParameterValue } from "./restriction/restriction.ts";
import { isWorded } from "./yaml/wording.ts";

/** What an operation requires of a parameter: its schema as JSON Schema, with its metadata. */
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
  /** The parameter of a route that does not declare it. */
  readonly derived?: DerivedParameter;
}

/** By schema, since handlers share schemas, and tables are checked often. */
const requirements = new WeakMap<v.GenericSchema, Requirement>();

/** Returns what an operation requires of a parameter; undefined if it has none of this name. */
export function requirementOf(operation: Operation | undefined, name: string): Requirement | undefined {
  const entries = operation?.input.entries ?? {};
  if (!Object.hasOwn(entries, name)) return undefined;
  const schema = entries[name] as v.GenericSchema;
  const known = requirements.get(schema) ?? (toJsonSchema(schema, { errorMode: "ignore" }) as Requirement);
  requirements.set(schema, known);
  return known;
}

/** Returns what the operation requires instead of the parameter's type, or undefined if the type meets it. */
export function mismatchOf({ name, type }: Parameter, required: Requirement): string | undefined {
  const kind = required.base ?? required.type;
  const got = type.base === "text" || type.base === "enum" ? "string" : type.base;
  if (kind !== got) return `"${name}" to be of type ${kind === "string" ? "text" : kind}, not ${type.name}`;
  if (required.enum !== undefined) {
    const values = required.enum.map(String);
    if (type.values?.every((value) => values.includes(value))) return undefined;
    return `"${name}" to be an enum of ${allOf(values)}, or of some of them`;
  }
  // A minimum above the operation's maximum would refuse every request.
  for (const [least, most] of [
    ["minimum", "maximum"],
    ["minLength", "maxLength"],
  ] as const) {
    for (const key of [most, least]) {
      const got = type[key];
      if (got === undefined) continue;
      if (got > (required[most] ?? Infinity))
        return `the ${key} of "${name}" to be at most ${required[most]}, not ${got}`;
      if (got < (required[least] ?? -Infinity))
        return `the ${key} of "${name}" to be at least ${required[least]}, not ${got}`;
    }
  }
  return undefined;
}

/**
 * Returns a type with the bounds of the operation where it has none of its own, so that a request beyond them is refused
 * in the words of the type.
 */
export function bounded(type: ParameterType, required: Requirement): ParameterType {
  if (type.base !== "text" && type.base !== "integer") return type;
  const keys =
    type.base === "text" ? (["minLength", "maxLength"] as const) : (["minimum", "maximum"] as const);
  const missing = keys.filter((key) => type[key] === undefined && required[key] !== undefined);
  return { ...type, ...Object.fromEntries(missing.map((key) => [key, required[key]])) };
}

/** Returns why an operation refuses a value of a parameter, or undefined if it accepts it. */
export function refusalOf(
  type: ParameterType,
  schema: v.GenericSchema,
  value: ParameterValue,
  vocabulary: Vocabulary,
): string | undefined {
  const [issue] = v.safeParse(schema, value).issues ?? [];
  if (issue === undefined || isWorded(issue)) return issue?.message;
  return `expected ${expectation(type, vocabulary)}`;
}
