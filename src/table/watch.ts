/**
 * What the table has watched: how often an hour an operation is called with a value at most by honest callers. The
 * engine only checks the form; whoever reads the journal compares.
 */
import { toJsonSchema } from "@valibot/to-json-schema";
import { didYouMean, oneOf } from "../domain/text.ts";
import type { Path, Report } from "./document.ts";
import type { Operations } from "./operation.ts";

/** One limit: at most `limit` calls an hour of an operation with this value of a parameter. */
export interface Watch {
  /** The operation's name, such as `statistic.add`. */
  readonly operation: string;
  readonly parameter: string;
  readonly value: string;
  readonly limit: number;
}

/**
 * Takes the table's `watch` apart: operations, their parameters, values of those, limits. Whatever is at fault is
 * reported where it stands, and left out.
 */
export function toWatch(content: unknown, operations: Operations, report: Report): Watch[] {
  if (content === undefined) return [];
  const watched: Watch[] = [];
  const example = "statistic.add: { type: { KILL: 120 } }";
  for (const [operation, parameters] of entriesOf(content, ["watch"], `operations, such as ${example},`)) {
    const at = ["watch", operation];
    const known = operations.get(operation);
    if (known?.effect !== "change") {
      const changes = [...operations].flatMap(([name, { effect }]) => (effect === "change" ? name : []));
      const words =
        known === undefined
          ? `there is no handler "${operation}"`
          : `${operation} only reads: a handler that changes data was expected`;
      report(
        at,
        `${words}.${didYouMean(operation, changes) || ` Known are ${oneOf(changes, "and")}.`}`,
        "key",
      );
      continue;
    }
    for (const [parameter, values] of entriesOf(parameters, at, `parameters of ${operation}`)) {
      const choices = choicesOf(operation, parameter, [...at, parameter]);
      if (choices === undefined) continue;
      const path = [...at, parameter];
      for (const [value, limit] of entriesOf(values, path, `values of "${parameter}"`)) {
        if (!choices.includes(value)) {
          const words = `"${parameter}" of ${operation} is never "${value}"; known are ${oneOf(choices, "and")}.`;
          report([...path, value], words + didYouMean(value, choices), "key");
        } else if (typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 1) {
          watched.push({ operation, parameter, value, limit });
        } else {
          report([...path, value], `a whole number of 1 or more was expected, ${cameWords(limit)} came`);
        }
      }
    }
  }
  return watched;

  function entriesOf(value: unknown, path: Path, what: string): [string, unknown][] {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const entries = Object.entries(value);
      if (entries.length > 0) return entries;
    }
    report(path, `a map of ${what} was expected, ${cameWords(value)} came`);
    return [];
  }

  /** The values that a parameter can have, or undefined where it is none, or is not an enum. */
  function choicesOf(operation: string, parameter: string, path: Path): string[] | undefined {
    const entries = operations.get(operation)?.input.entries ?? {};
    const schema = Object.hasOwn(entries, parameter) ? entries[parameter] : undefined;
    if (schema === undefined) {
      const names = Object.keys(entries);
      const known =
        didYouMean(parameter, names) || (names.length > 0 ? ` It takes ${oneOf(names, "and")}.` : "");
      report(path, `${operation} takes no parameter "${parameter}".${known}`, "key");
      return undefined;
    }
    const choices = toJsonSchema(schema, { errorMode: "ignore" }).enum?.map(String);
    if (choices === undefined) {
      report(path, `"${parameter}" of ${operation} has no fixed values: only an enum can be watched`, "key");
    }
    return choices;
  }
}

function cameWords(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && !Number.isFinite(value)) return "no number";
  if (typeof value !== "object") return JSON.stringify(value);
  return Object.keys(value).length === 0 ? "an empty one" : "a map";
}
