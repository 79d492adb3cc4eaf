/** The line of the log about a route table that was put in force: whom it hits. */
import type { OperationSummary } from "../../src/explain/summary.ts";
import type { TableChange } from "../../src/table-in-force/changes.ts";
import type { ReloadCause } from "../../src/table-in-force/route-table.ts";
import type { Log } from "./log.ts";

/** How many operations the message names; the fields have all of them. */
const mostOperations = 5;

const happened: Readonly<Record<ReloadCause, string>> = {
  start: "has changed since the service last ran",
  watch: "was read again since the file has changed",
  signal: "was read again on SIGHUP",
  reload: "was read again on `routes reload`",
  rollback: "was read again on `routes rollback`",
};

/** Logs a change of the table: a warning where it takes access away. */
export function logTable(log: Log, { cause, revision, before, summary }: TableChange): void {
  const { words, takesAway, counts, registered, firstLosing, operations } = summary;
  const { gain, lose, ...routes } = counts;
  const table = { cause, revision, before, routes, registered, gain, lose, firstLosing, operations };
  const sentences = [
    `The route table ${happened[cause]}: revision ${revision} is in force, it was ${before}.`,
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
  const named = operations.slice(0, mostOperations).map(operationWords);
  const more = operations.length > mostOperations ? `; and ${operations.length - mostOperations} more` : "";
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
