/**
 * Tables for a terminal. They fit its width without breaking a word: cells are wrapped at spaces, and where the longest
 * words of a row do not fit side by side, each row becomes a block of lines, as `psql` does it.
 */
import stringWidth from "string-width";

/** What stands between two columns. */
const gap = "  ";
/** Two columns of text that are narrower are hard to read: headings and values then stand one below the other. */
const narrowest = 10;

/** A table without frames. @param columns the width of the terminal; undefined for any width */
export function layOutTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
  emphasize: (heading: string) => string,
): string {
  const natural = headings.map((_, index) => widest([headings, ...rows].map((row) => row[index] ?? "")));
  const asTable = (widths: readonly number[], body: readonly (readonly string[])[]) =>
    [toLines(headings, widths, emphasize), ...body.map((row) => toLines(row, widths))].flat().join("\n");
  if (columns === undefined || widthOf(natural) <= columns) return asTable(natural, rows);
  const shorter = rows.map((row) => row.map(shortenInstants));
  const least = headings.map((heading, index) =>
    widest([heading, ...shorter.map((row) => row[index] ?? "")].flatMap(wordsOf)),
  );
  if (widthOf(least) > columns) return asBlocks(headings, shorter, columns, emphasize);
  const wanted = headings.map((_, index) => widest([headings, ...shorter].map((row) => row[index] ?? "")));
  const widths = fitted(wanted, least, columns);
  // Wrapped at spaces, a cell can be narrower than the room that it has.
  const used = widths.map((width, index) =>
    widest([headings, ...shorter].flatMap((row) => wrap(row[index] ?? "", width))),
  );
  return asTable(used, shorter);
}

/** Labels with their values, one below the other. @param columns the width of the terminal; undefined for any width */
export function layOutPairs(
  pairs: readonly (readonly [label: string, value: string])[],
  columns: number | undefined,
  emphasize: (label: string) => string = (label) => label,
): string {
  const labels = widest(pairs.map(([label]) => label));
  const room = columns === undefined ? undefined : columns - labels - gap.length;
  const lines = pairs.flatMap(([label, value]) => {
    if (room !== undefined && room < narrowest) return [emphasize(label), ...wrap(value, columns)];
    return wrap(value, room).map((line, index) => {
      const head = padded(index === 0 ? label : "", labels, emphasize);
      return `${head}${gap}${line}`.trimEnd();
    });
  });
  return lines.join("\n");
}

function asBlocks(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  emphasize: (heading: string) => string,
): string {
  const block = (row: readonly string[]) =>
    layOutPairs(
      headings.map((heading, index) => [heading, row[index] ?? ""] as const),
      columns,
      emphasize,
    );
  return rows.map(block).join("\n\n");
}

/** The lines of a row: as many as its longest cell has. */
function toLines(
  row: readonly string[],
  widths: readonly number[],
  emphasize: (text: string) => string = (text) => text,
): string[] {
  const cells = widths.map((width, index) => wrap(row[index] ?? "", width));
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, index) => padded(cells[index]?.[line] ?? "", width, emphasize))
      .join(gap)
      .trimEnd(),
  );
}

/** Takes from the widest columns until all fit. */
function fitted(wanted: readonly number[], least: readonly number[], columns: number): number[] {
  const widths = [...wanted];
  while (widthOf(widths) > columns) {
    const spare = widths.map((width, index) => (width > (least[index] ?? 0) ? width : 0));
    const index = spare.indexOf(Math.max(...spare));
    widths[index] = (widths[index] ?? 0) - 1;
  }
  return widths;
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthIn(text)), 0);
}

/** The width of a text in columns of a terminal. Most texts are ASCII, and long lists have many of them. */
function widthIn(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

function wordsOf(text: string): string[] {
  return text.split(" ");
}

/** Wraps a text at its spaces; a word that is wider stays whole. */
function wrap(text: string, width: number | undefined): string[] {
  if (width === undefined || widthIn(text) <= width) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of wordsOf(text)) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && widthIn(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line ?? ""];
}

/** An empty text is not emphasized: the escape sequences would keep a line from being trimmed. */
function padded(text: string, width: number, emphasize: (text: string) => string): string {
  const padding = " ".repeat(Math.max(0, width - widthIn(text)));
  return `${text === "" ? "" : emphasize(text)}${padding}`;
}

/** Instants to the minute, with a space where they can be wrapped: `2026-11-21 18:30Z`. */
function shortenInstants(text: string): string {
  return text.replace(/\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z/g, "$1 $2Z");
}
