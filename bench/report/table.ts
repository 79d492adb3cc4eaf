/** Returns a table in Markdown. Its columns are aligned, so that it can be read as text, too. */
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
