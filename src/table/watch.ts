/**
 * The limits of a table's `watch`: how many calls an hour an honest player makes of an operation with a value at most.
 * `addon-cli audit statistics` compares them with the journal.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { Operations } from "./operation.ts";
import type { Path, Report } from "./yaml/fault.ts";
import { mapOf } from "./yaml/maps.ts";
import { unknownName } from "./yaml/wording.ts";

/** One limit: at most `limit` calls an hour of an operation with this value of a parameter. */
export interface Watch {
  /** The operation's name, such as `statistic.add`. */
  readonly operation: string;
  readonly parameter: string;
  readonly value: string;
  readonly limit: number;
}

const calls = "a whole number of 1 or more";
const mapToAtLeastOne = <I, O>(content: v.GenericSchema<I, O>, expected: string) =>
  v.pipe(mapOf(v.record(v.string(), content), expected), v.minEntries(1, expected));

/** The form of `watch`: limits, by operation, parameter and value. */
export const watchSchema = mapToAtLeastOne(
  v.pipe(
    mapToAtLeastOne(
      v.pipe(
        mapToAtLeastOne(
          v.pipe(v.number(calls), v.safeInteger(calls), v.minValue(1, calls)),
          "a map of values of the parameter",
        ),
        v.description("Values of the parameter, each with the most calls an hour of an honest player."),
      ),
      "a map of parameters of the operation",
    ),
    v.description("A parameter of the operation, of type enum."),
  ),
  "a map of operations, such as statistic.add: { type: { KILL: 120 } }",
);

/** Returns the limits of a table's `watch`. Reports faults, and omits what has one. */
export function toWatch(
  declared: v.InferOutput<typeof watchSchema>,
  operations: Operations,
  report: Report,
): Watch[] {
  const watched: Watch[] = [];
  const changes = [...operations].flatMap(([name, { effect }]) => (effect === "change" ? name : []));
  for (const [operation, parameters] of Object.entries(declared)) {
    const at = ["watch", operation];
    const known = operations.get(operation);
    if (known?.effect !== "change") {
      const message =
        known === undefined
          ? unknownName("handler", operation, changes)
          : `expected a handler that changes data, got ${operation}, which only reads`;
      report(at, message, "key");
      continue;
    }
    for (const [parameter, values] of Object.entries(parameters)) {
      const path = [...at, parameter];
      const choices = choicesOf(operation, parameter, path);
      if (choices === undefined) continue;
      for (const [value, limit] of Object.entries(values)) {
        if (choices.includes(value)) watched.push({ operation, parameter, value, limit });
        else report([...path, value], unknownName("value", value, choices, { of: `"${parameter}"` }), "key");
      }
    }
  }
  return watched;

  /** Returns the values that a parameter can have, or undefined if it does not exist or is no enum. */
  function choicesOf(operation: string, parameter: string, path: Path): string[] | undefined {
    const entries = operations.get(operation)?.input.entries ?? {};
    const schema = Object.hasOwn(entries, parameter) ? entries[parameter] : undefined;
    if (schema === undefined) {
      report(path, unknownName("parameter", parameter, Object.keys(entries), { of: operation }), "key");
      return undefined;
    }
    const choices = toJsonSchema(schema, { errorMode: "ignore" }).enum?.map(String);
    if (choices === undefined) {
      report(path, `expected a parameter of type enum, got "${parameter}" of ${operation}`, "key");
    }
    return choices;
  }
}
