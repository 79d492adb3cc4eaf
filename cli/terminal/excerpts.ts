/**
 * How faults and warnings of a route table are shown: where each is, what it is, and the line of the file with a mark
 * under the place.
 */
import stringWidth from "string-width";
import { withoutTokens } from "../../src/identity/tokens.ts";
import type { Fault } from "../../src/table/document.ts";

/** Puts a text in a style, where there are any. */
export type Paint = (format: "bold" | "dim" | "red" | "green" | "yellow", text: string) => string;

/** What is needed to show them. */
export interface Presentation {
  readonly file: string;
  /** The file's text, as it was when it was checked. */
  readonly text: string;
  readonly paint: Paint;
  /** How wide the terminal is, in columns; undefined where there is none. */
  readonly columns: number | undefined;
  /** Warnings are said to be such; faults need no word. */
  readonly kind: "fault" | "warning";
}

/** Lines longer than this are shown in part where nobody says how wide the terminal is. */
const widest = 160;

/** Shows all of them, one below the other. Those at one place share the line of the file. */
export function presentFaults(faults: readonly Fault[], presentation: Presentation): string {
  const { file, text, paint, kind } = presentation;
  const lines = text.split(/\r?\n/);
  const shown: string[] = [];
  for (const [index, { line, column, message }] of faults.entries()) {
    const word = kind === "warning" ? `${paint("yellow", "warning:")} ` : "";
    // Somebody may have put a token where it does not belong, and both message and line repeat it.
    const words = withSuggestion(withoutTokens(message), paint);
    shown.push(`${paint("bold", `${file}:${line}:${column}:`)} ${word}${words}`);
    const next = faults[index + 1];
    if (next?.line === line && next.column === column) continue;
    shown.push(...excerpt(lines[line - 1] ?? "", line, column, presentation));
  }
  return shown.join("\n");
}

/** The line of the file, and a line with the mark; nothing for an empty line, which has no place to mark. */
function excerpt(line: string, number: number, column: number, presentation: Presentation): string[] {
  if (line.trim() === "") return [];
  const { paint, columns, kind } = presentation;
  const gutter = `${number}`.padStart(4);
  const room = Math.max((columns ?? widest) - gutter.length - 4, 20);
  const { before, after } = cut(line, column - 1, room);
  const bar = paint("dim", "|");
  const mark = paint(kind === "warning" ? "yellow" : "red", "^");
  return [
    `${paint("dim", gutter)} ${bar} ${withoutTokens(visible(before + after))}`,
    `${" ".repeat(gutter.length)} ${bar} ${blanks(withoutTokens(visible(before)))}${mark}`,
  ];
}

/** The part of a line around a place that there is room for. */
function cut(line: string, at: number, room: number): { before: string; after: string } {
  const [before, after] = [line.slice(0, at), line.slice(at)];
  if (widthOf(line) <= room) return { before, after };
  const half = Math.floor(room / 2);
  const lead = widthOf(before) <= half ? before : `…${lastOf(before, half - 1)}`;
  const rest = room - widthOf(lead);
  return { before: lead, after: widthOf(after) <= rest ? after : `${firstOf(after, rest - 1)}…` };
}

/** As much of a text's beginning as fits. */
function firstOf(text: string, room: number): string {
  let fitting = "";
  for (const character of text) {
    if (widthOf(fitting + character) > room) break;
    fitting += character;
  }
  return fitting;
}

/** As much of a text's end as fits. */
function lastOf(text: string, room: number): string {
  let fitting = "";
  for (const character of Array.from(text).reverse()) {
    if (widthOf(character + fitting) > room) break;
    fitting = character + fitting;
  }
  return fitting;
}

const tabWidth = 8;

/** In columns of a terminal; a tab is counted as its widest. */
function widthOf(text: string): number {
  return stringWidth(text.replaceAll("\t", " ".repeat(tabWidth)));
}

/** As wide as the text: tabs stay, so that they end where those above end. */
function blanks(text: string): string {
  return text
    .split("\t")
    .map((piece) => " ".repeat(stringWidth(piece)))
    .join("\t");
}

/** Without characters that would steer the terminal, or have no width that it and we agree on. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, (character) =>
    character === "\t" || character === "\u200d" ? character : "\ufffd",
  );
}

/** The message, with the name that was most likely meant in green. */
function withSuggestion(message: string, paint: Paint): string {
  return visible(message).replace(
    /Did you mean "(.+?)"\?/,
    (_, name: string) => `Did you mean "${paint("green", name)}"?`,
  );
}

/** `no faults`, `a fault`, `2 faults`. */
export function countOf(number: number, what: "fault" | "warning"): string {
  if (number === 0) return `no ${what}s`;
  return number === 1 ? `a ${what}` : `${number} ${what}s`;
}
