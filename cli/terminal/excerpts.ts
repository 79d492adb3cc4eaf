/** Formats the faults and warnings of a file: position, message, and the line of the file with a mark below it. */
import stringWidth from "string-width";
import { escapeInvisible } from "../../src/domain/escape.ts";
import { withoutTokens } from "../../src/identity/tokens.ts";
import type { Fault } from "../../src/table/yaml/fault.ts";
import { shortened } from "./layout.ts";

/** Styles a text if the output has styles. */
export type Paint = (format: "bold" | "dim" | "red" | "green" | "yellow", text: string) => string;

export interface FormatOptions {
  readonly file: string;
  /** The text that was checked. */
  readonly text: string;
  readonly paint: Paint;
  /** The width of the terminal; undefined without a terminal. */
  readonly columns: number | undefined;
  /** Warnings are labelled. */
  readonly kind: "fault" | "warning";
}

/** The width if there is no terminal; longer lines are shortened. */
const defaultWidth = 160;

/** Formats faults, one below the other. Those at the same position share an excerpt. */
export function formatFaults(faults: readonly Fault[], options: FormatOptions): string {
  const { file, text, paint, kind } = options;
  const lines = text.split(/\r?\n/);
  const shown: string[] = [];
  for (const [index, { line, column, message }] of faults.entries()) {
    const word = kind === "warning" ? `${paint("yellow", "warning:")} ` : "";
    // The file may contain a token by mistake, which both message and line repeat.
    const words = withSuggestion(withoutTokens(message), paint);
    shown.push(`${paint("bold", `${file}:${line}:${column}:`)} ${word}${words}`);
    const next = faults[index + 1];
    if (next?.line === line && next.column === column) continue;
    shown.push(...excerpt(lines[line - 1] ?? "", line, column, options));
  }
  return shown.join("\n");
}

/** Returns the line of the file and a line with the mark, or nothing for an empty line. */
function excerpt(line: string, number: number, column: number, options: FormatOptions): string[] {
  if (line.trim() === "") return [];
  const { paint, columns, kind } = options;
  const gutter = `${number}`.padStart(4);
  const room = Math.max((columns ?? defaultWidth) - gutter.length - 4, 20);
  const { before, after } = cut(line, column - 1, room);
  const bar = paint("dim", "|");
  const mark = paint(kind === "warning" ? "yellow" : "red", "^");
  return [
    `${paint("dim", gutter)} ${bar} ${withoutTokens(visible(before + after))}`,
    `${" ".repeat(gutter.length)} ${bar} ${blanks(withoutTokens(visible(before)))}${mark}`,
  ];
}

/** Returns the part of a line around a position that fits. */
function cut(line: string, at: number, room: number): { before: string; after: string } {
  // A file of one line can have megabytes, and hundreds of faults.
  const most = 8 * room;
  const [before, after] = [line.slice(Math.max(0, at - most), at), line.slice(at, at + most)];
  if (widthOf(before + after) <= room) return { before, after };
  const half = Math.floor(room / 2);
  const lead = reversed(shortened(reversed(before), half));
  return { before: lead, after: shortened(after, room - widthOf(lead)) };
}

function reversed(text: string): string {
  return Array.from(text).reverse().join("");
}

const tabWidth = 8;

/** Returns the width in columns; a tab counts as its maximum. */
function widthOf(text: string): number {
  return stringWidth(text.replaceAll("\t", " ".repeat(tabWidth)));
}

/** Returns blanks of the same width. Tabs remain, so that they align with those above. */
function blanks(text: string): string {
  return text
    .split("\t")
    .map((piece) => " ".repeat(stringWidth(piece)))
    .join("\t");
}

/** Returns a text as it is shown, with its tabs. */
function visible(text: string): string {
  return text.split("\t").map(escapeInvisible).join("\t");
}

function withSuggestion(message: string, paint: Paint): string {
  return visible(message).replace(
    /Did you mean "(.+?)"\?/,
    (_, name: string) => `Did you mean "${paint("green", name)}"?`,
  );
}
