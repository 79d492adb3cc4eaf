/** The tables that a bench prints, in Markdown. */
import type { Orientation } from "../rows/orientation.ts";
import type { Goal, Measured, Row } from "../rows/row.ts";
import { median } from "../run/compare.ts";
import { quantity, ratioText, type Unit } from "./quantity.ts";

/** Whether a goal was held; what can not be said is said in words. */
export type Verdict = "yes" | "no" | "not measured" | "not judged" | "failed";

/** A row with what came of it. */
export interface Result {
  readonly row: Row;
  readonly verdict: Verdict;
  /** What there is to say beside the figures. */
  readonly note?: string;
  readonly measured?: Measured;
}

/** The verdict on a row that was measured. */
export function judge({ goal }: Row, { ours, ratios, objection }: Measured): Verdict {
  if (objection !== undefined) return "no";
  const value = ratios === undefined ? ours : median(ratios);
  return (goal.bound === "at least" ? value >= goal.value : value <= goal.value) ? "yes" : "no";
}

/** The table of the goals. */
export function goalTable(results: readonly Result[]): string {
  const rows = results.map(({ row, verdict, note, measured }) => {
    const { ours, other, ratios } = measured ?? {};
    const words = verdict === "failed" ? "standard error tells why" : note;
    const held = words === undefined ? verdict : `${verdict}: ${words}`;
    return [
      row.what,
      ours === undefined ? "–" : quantity(ours, row.unit),
      other === undefined ? "–" : quantity(other, row.unit),
      ratios === undefined ? "–" : ratioText(median(ratios)),
      ratios === undefined || !ratios.every(Number.isFinite)
        ? "–"
        : `${ratioText(Math.min(...ratios))} to ${ratioText(Math.max(...ratios))}`,
      goalText(row.goal, row.unit),
      held,
    ];
  });
  return table(["what", "ours", "the other", "ratio", "spread", "goal", "held"], rows);
}

/** The table for orientation. */
export function orientationTable(orientation: readonly Orientation[]): string {
  const rows = orientation.map(({ name, perSecond, ratio }) => [
    name,
    quantity(perSecond, "a second"),
    ratioText(ratio),
  ]);
  return table(["for orientation: a list of 50 entries", "requests", "to bare node:http"], rows);
}

function goalText({ bound, value }: Goal, unit: Unit): string {
  return `${bound === "at least" ? "≥" : "≤"} ${unit === "bytes" ? quantity(value, unit) : value}`;
}

/** A table in Markdown; columns are as wide as what is in them, so that it can be read as it is, too. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [heading, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")),
  );
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}
