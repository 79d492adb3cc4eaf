/**
 * Tables for a terminal. They fit its width without breaking words: cells wrap at spaces, and if the longest words of a row
 * do not fit side by side, each row becomes a block of lines, as in `psql`.
 */
import stringWidth from "string-width";

const gap = "  ";
/** The least width of a readable column; below it, headings and values stand one below the other. */
const minWidth = 10;

/** Formats a table without frames. @param columns the width of the terminal; undefined for any width */
export function formatTable(
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
    widest([heading, ...shorter.map((row) => row[index] ?? "")].flatMap((text) => text.split(" "))),
  );
  if (widthOf(least) > columns) {
    const pairsOf = (row: readonly string[]) =>
      headings.map((heading, index) => [heading, row[index] ?? ""] as const);
    return shorter.map((row) => formatPairs(pairsOf(row), columns, emphasize)).join("\n\n");
  }
  const wanted = headings.map((_, index) => widest([headings, ...shorter].map((row) => row[index] ?? "")));
  const widths = fitted(wanted, least, columns);
  // Wrapped cells can be narrower than their columns.
  const used = widths.map((width, index) =>
    widest([headings, ...shorter].flatMap((row) => wrap(row[index] ?? "", width))),
  );
  return asTable(used, shorter);
}

/** Formats labels with their values, one below the other. @param columns the width of the terminal */
export function formatPairs(
  pairs: readonly (readonly [label: string, value: string])[],
  columns: number,
  emphasize: (label: string) => string = (label) => label,
): string {
  const labels = widest(pairs.map(([label]) => label));
  const room = columns - labels - gap.length;
  const lines = pairs.flatMap(([label, value]) => {
    if (room < minWidth) return [emphasize(label), ...wrap(value, columns)];
    return wrap(value, room).map((line, index) => {
      const head = padded(index === 0 ? label : "", labels, emphasize);
      return `${head}${gap}${line}`.trimEnd();
    });
  });
  return lines.join("\n");
}

/** Returns the lines of a row, as many as its longest cell has. */
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

/** Narrows the widest columns until all fit. */
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

/** Returns the width of a text in columns. Long lists have many texts, most of them ASCII. */
function widthIn(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** Returns as much of a text as fits, with an ellipsis where something is left out. */
export function shortened(text: string, columns: number): string {
  if (widthIn(text) <= columns) return text;
  let short = "";
  for (const character of text) {
    if (widthIn(short + character) >= columns) break;
    short += character;
  }
  return `${short}…`;
}

/**
 * Wraps the lines of a text that are wider than the terminal. A line goes on below its second column, if it has two that
 * are apart by several spaces, or else below its indentation.
 */
export function wrapLines(text: string, columns: number): string {
  const lines = text.split("\n").flatMap((line) => {
    if (widthIn(line) <= columns) return [line];
    const [indented = "", indentation = ""] = /^( *)(?:\S.*? {2,})?/.exec(line) ?? [];
    const isRoomy = (head: string) => columns - widthIn(head) >= 2 * minWidth;
    const head = [indented, indentation].find(isRoomy) ?? gap;
    const rest = isRoomy(indentation) ? line.slice(head.length) : line.trimStart();
    const hanging = " ".repeat(widthIn(head));
    return wrap(rest, columns - hanging.length).map(
      (part, index) => `${index === 0 ? head : hanging}${part}`,
    );
  });
  return lines.join("\n");
}

/** Wraps a text at its spaces; wider words remain whole. */
function wrap(text: string, width: number): string[] {
  if (widthIn(text) <= width) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && widthIn(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line ?? ""];
}

/** Pads a text. An empty text is not emphasized, since escape sequences would prevent the trimming of the line. */
function padded(text: string, width: number, emphasize: (text: string) => string): string {
  const padding = " ".repeat(Math.max(0, width - widthIn(text)));
  return `${text === "" ? "" : emphasize(text)}${padding}`;
}

/** Shortens instants to the minute, with a space at which they can wrap: `2026-11-21 18:30Z`. */
function shortenInstants(text: string): string {
  return text.replace(/\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z/g, "$1 $2Z");
}
