/** All rows, in the order of the goals. */
import type { Settings } from "../settings.ts";
import { additionRows } from "./additions.ts";
import { commandRows } from "./commands.ts";
import { growthRows } from "./growth.ts";
import { historyRows } from "./history.ts";
import { memoryRow } from "./memory.ts";
import { readRows } from "./reads.ts";
import type { Row } from "./row.ts";
import { snapshotRow } from "./snapshot.ts";
import { startRow } from "./start.ts";

/** The rows that the settings ask for. */
export function rowsFor(settings: Settings): readonly Row[] {
  const rows = [
    ...readRows,
    ...additionRows,
    ...growthRows(settings),
    snapshotRow(settings),
    startRow(settings),
    memoryRow(settings),
    ...historyRows(settings),
    ...commandRows,
  ];
  return rows.filter(({ what }) => isWanted(settings, what));
}

/** Whether a name has one of the texts in it that were asked for. */
export function isWanted({ only }: Settings, what: string): boolean {
  const name = what.toLowerCase();
  return only.length === 0 || only.some((text) => name.includes(text.toLowerCase()));
}
