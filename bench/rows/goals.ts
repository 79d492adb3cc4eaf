/** All rows with goals, in their order, and their table. */
import { print, say } from "../report/output.ts";
import { median, quantity, ratioText } from "../report/quantity.ts";
import { table } from "../report/table.ts";
import { BenchFailure, messageOf, NotMeasured } from "../run/failure.ts";
import { isWanted, settings } from "../settings.ts";
import { additionRows } from "./additions.ts";
import { commandRows } from "./commands.ts";
import { growthRows } from "./growth.ts";
import { historyRows } from "./history.ts";
import { memoryRow } from "./memory.ts";
import { measureOrientation, orientationName, orientationTable } from "./orientation.ts";
import { readRows } from "./reads.ts";
import type { Measured, Row } from "./row.ts";
import { sharedRows } from "./shared.ts";
import { snapshotRow } from "./snapshot.ts";
import { startRow } from "./start.ts";
import { streamRows } from "./stream.ts";

const rows: readonly Row[] = [
  ...readRows,
  ...additionRows,
  ...growthRows,
  ...streamRows,
  snapshotRow,
  startRow,
  memoryRow,
  ...historyRows,
  ...commandRows,
  ...sharedRows,
];

/** The names that `--only` searches. */
export const rowNames: readonly string[] = [...rows.map(({ what }) => what), orientationName];

/** Whether a row held its goal. */
type Verdict = "yes" | "no" | "not measured" | "not judged" | "failed";

/** A row and its result. */
interface Result {
  readonly row: Row;
  readonly verdict: Verdict;
  /** The reason for the verdict, if the figures do not show it. */
  readonly note?: string;
  readonly measured?: Measured;
}

/** Measures the wanted rows and prints their tables. @returns the results, and whether the bench worked */
export async function measureGoals(): Promise<{ worked: boolean; results: object }> {
  const wanted = rows.filter(({ what }) => isWanted(what));
  if (!rowNames.some(isWanted)) {
    throw new BenchFailure(`No row has ${settings.only.join(" or ")} in its name; --help lists them.`);
  }
  const results: Result[] = [];
  for (const [index, row] of wanted.entries()) {
    say(`${index + 1} of ${wanted.length}: ${row.what}`);
    results.push(await measureRow(row));
  }
  let worked = results.every(({ verdict }) => verdict !== "failed");
  if (results.length > 0) print(goalTable(results));
  const orientation = isWanted(orientationName) ? await orientate() : [];
  if (orientation === undefined) worked = false;
  return {
    worked,
    results: {
      rows: results.map(({ row: { what, goal, unit }, ...rest }) => ({ what, goal, unit, ...rest })),
      orientation,
    },
  };
}

async function measureRow(row: Row): Promise<Result> {
  try {
    const measured = await row.run();
    return { row, measured, ...judge(row, measured) };
  } catch (error) {
    const note = messageOf(error);
    if (error instanceof NotMeasured) return { row, verdict: "not measured", note };
    sayFailure(error);
    return { row, verdict: "failed", note };
  }
}

/** Measures and prints the table for orientation. @returns undefined if that failed */
async function orientate() {
  say(orientationName);
  try {
    const orientation = await measureOrientation();
    print(`\n${orientationTable(orientation)}`);
    return orientation;
  } catch (error) {
    sayFailure(error);
    return error instanceof NotMeasured ? [] : undefined;
  }
}

function sayFailure(error: unknown): void {
  const isExpected = error instanceof BenchFailure || error instanceof NotMeasured;
  say(`  failed: ${isExpected || !(error instanceof Error) ? messageOf(error) : error.stack}`);
}

function judge({ goal }: Row, { ours, ratios, objection }: Measured): Pick<Result, "verdict" | "note"> {
  if (settings.short) return { verdict: "not judged" };
  if (objection !== undefined) return { verdict: "no", note: objection };
  const value = ratios === undefined ? ours : median(ratios);
  if (Number.isNaN(value)) return { verdict: "not measured", note: "the system does not report this figure" };
  const isHeld = goal.bound === "at least" ? value >= goal.value : value <= goal.value;
  return { verdict: isHeld ? "yes" : "no" };
}

function goalTable(results: readonly Result[]): string {
  const lines = results.map(({ row: { what, goal, unit }, verdict, note, measured }) => {
    const { ours = Number.NaN, other = Number.NaN, ratios = [] } = measured ?? {};
    const words = verdict === "failed" ? "see standard error" : note;
    const bound = goal.bound === "at least" ? "≥" : "≤";
    return [
      what,
      quantity(ours, unit),
      quantity(other, unit),
      ratioText(median(ratios)),
      ratios.length > 0 && ratios.every(Number.isFinite)
        ? `${ratioText(Math.min(...ratios))} to ${ratioText(Math.max(...ratios))}`
        : "–",
      `${bound} ${unit === "bytes" ? quantity(goal.value, unit) : goal.value}`,
      words === undefined ? verdict : `${verdict}: ${words}`,
    ];
  });
  return table(["what", "ours", "the other", "ratio", "spread", "goal", "held"], lines);
}
