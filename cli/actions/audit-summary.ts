/** Implements `audit --summary`: how many changes were made each day, by operation. */
import { type AuditQuery, readEntries, readNames } from "../../src/audit/read.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import type { Context } from "../context.ts";
import { type Columns, formatInstant } from "../terminal/output.ts";
import { withProgress } from "./data/progress.ts";

interface Day {
  /** In UTC, such as `2026-11-24`. */
  readonly day: string;
  readonly operation: string;
  readonly changes: number;
  /** The first and the last of them, in milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

const columns: Columns<Day> = {
  DAY: ({ day }) => day,
  OPERATION: ({ operation }) => operation,
  CHANGES: ({ changes }) => String(changes),
  FROM: ({ first }) => formatInstant(first).slice(11, 19),
  TO: ({ last }) => formatInstant(last).slice(11, 19),
};

/**
 * Lists the days, the latest first; of a day, the operation with the most changes first.
 * @param requireToken refuses an unknown token of the query
 */
export async function showSummary(
  context: Context,
  query: AuditQuery,
  requireToken: () => Promise<void>,
): Promise<void> {
  const { output } = context;
  const { days, warnings } = await withProgress(context, "Reading the journal", () =>
    countDays(context.workspace().folder, query),
  );
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  if (days.size === 0) await requireToken();
  const ordered = [...days.values()].sort(
    (a, b) => -a.day.localeCompare(b.day) || b.changes - a.changes || a.operation.localeCompare(b.operation),
  );
  output.list(ordered, columns, "No change in the journal matches.");
}

/** Counts the changes that match a query. */
async function countDays(folder: string, query: AuditQuery) {
  const { names, warnings } = await readNames(nodeFiles, folder);
  const days = new Map<string, Day>();
  for await (const { instant, operation } of readEntries(nodeFiles, folder, query, names)) {
    const day = formatInstant(instant).slice(0, 10);
    const key = `${day} ${operation}`;
    const { changes = 0, first = instant } = days.get(key) ?? {};
    days.set(key, { day, operation, changes: changes + 1, first, last: instant });
  }
  return { days, warnings };
}
