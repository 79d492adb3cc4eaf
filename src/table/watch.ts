/**
 * The limits of a table's `watch`: how many calls an hour an honest player makes of an operation with a value at most.
 * Only their form is checked here; `addon-cli audit statistics` compares them with the journal.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { Operations } from "./operation.ts";
import type { Path, Report } from "./yaml/fault.ts";
import { gotWords, isMap, unknownName } from "./yaml/wording.ts";

/** One limit: at most `limit` calls an hour of an operation with this value of a parameter. */
export interface Watch {
  /** The operation's name, such as `statistic.add`. */
  readonly operation: string;
  readonly parameter: string;
  readonly value: string;
  readonly limit: number;
}

/** Parses a table's `watch`: limits, by operation, parameter and value. Reports faults, and omits what has one. */
export function toWatch(content: unknown, operations: Operations, report: Report): Watch[] {
  if (content === undefined) return [];
  const watched: Watch[] = [];
  const changes = [...operations].flatMap(([name, { effect }]) => (effect === "change" ? name : []));
  const example = "statistic.add: { type: { KILL: 120 } }";
  for (const [operation, parameters] of entriesOf(content, ["watch"], `operations, such as ${example}`)) {
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
    for (const [parameter, values] of entriesOf(parameters, at, `parameters of ${operation}`)) {
      const path = [...at, parameter];
      const choices = choicesOf(operation, parameter, path);
      if (choices === undefined) continue;
      for (const [value, limit] of entriesOf(values, path, `values of "${parameter}"`)) {
        if (!choices.includes(value)) {
          report([...path, value], unknownName("value", value, choices, { of: `"${parameter}"` }), "key");
        } else if (typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 1) {
          watched.push({ operation, parameter, value, limit });
        } else {
          report([...path, value], `expected a whole number of 1 or more, got ${gotWords(limit)}`);
        }
      }
    }
  }
  return watched;

  function entriesOf(value: unknown, path: Path, what: string): [string, unknown][] {
    const entries = isMap(value) ? Object.entries(value) : [];
    if (entries.length === 0) report(path, `expected a map of ${what}, got ${gotWords(value)}`);
    return entries;
  }

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
