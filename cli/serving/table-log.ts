/** Logs a route table that was put in force, and whom it affects. */
import type { OperationSummary } from "../../src/explain/summary.ts";
import type { TableChange } from "../../src/table-in-force/changes.ts";
import type { ReloadCause } from "../../src/table-in-force/route-table.ts";
import type { Log } from "./log.ts";

/** The most operations that the message names; the fields contain all of them. */
const maxOperations = 5;

const causes: Readonly<Record<ReloadCause, string>> = {
  start: "has changed since the service last ran",
  watch: "was reloaded because its file has changed",
  signal: "was reloaded on SIGHUP",
  reload: "was reloaded by `routes reload`",
  rollback: "was reloaded by `routes rollback`",
};

/** Logs a change of the table, as a warning if it takes something away. */
export function logTable(log: Log, { cause, revision, before, summary }: TableChange): void {
  const { words, takesAway, counts, registered, firstLosing, operations } = summary;
  const { gain, lose, ...routes } = counts;
  const table = { cause, revision, before, routes, registered, gain, lose, firstLosing, operations };
  const sentences = [
    `The route table ${causes[cause]}: revision ${revision} is in force, it was ${before}.`,
    words,
    ...namesOf(firstLosing, lose),
    ...operationsOf(operations),
  ];
  log.event(takesAway ? "warn" : "info", { table }, sentences.join(" "));
}

function namesOf(names: readonly string[], count: number): string[] {
  if (names.length === 0) return [];
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  return [`Losing: ${names.join(", ")}${more}.`];
}

function operationsOf(operations: readonly OperationSummary[]): string[] {
  if (operations.length === 0) return [];
  const named = operations.slice(0, maxOperations).map(operationWords);
  const more = operations.length > maxOperations ? `; and ${operations.length - maxOperations} more` : "";
  return [`By operation: ${named.join("; ")}${more}.`];
}

function operationWords({ path, gain, lose, publicGains, publicLoses }: OperationSummary): string {
  const sides = [
    lose > 0 ? `${lose} lose` : [],
    publicLoses ? "public tokens lose" : [],
    gain > 0 ? `${gain} gain` : [],
    publicGains ? "public tokens gain" : [],
  ];
  return `${path} (${sides.flat().join(", ")})`;
}
