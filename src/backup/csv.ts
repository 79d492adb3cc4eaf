/**
 * Tables of rows, with the places of all their faults: CSV as spreadsheets write it, a line of columns before the rows, or JSON,
 * a list of objects.
 */
import Papa from "papaparse";
import { LineCounter } from "yaml";
import { Failure } from "../domain/errors.ts";
import { escapeUnits } from "../domain/escape.ts";
import { counted, escapeFormulas, numbered, unescapeFormulas } from "../domain/text.ts";
import { suggest } from "./record.ts";

/** A file that edits the data. */
export interface EditFile {
  /** Its name, for its faults. */
  readonly file: string;
  readonly text: string;
  /** Whether what it lacks is to be removed. */
  readonly remove: boolean;
}

/** A cell without the blanks around it, and where it begins in the text. */
export interface Cell {
  readonly text: string;
  readonly at: number;
}

/** A row by its columns. */
export type Row = ReadonlyMap<string, Cell>;

/** Returns rows as CSV with commas, without formulas; a negative number is none. */
export function formatCSV(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const written = (text: string) => (/^-\d+$/.test(text) ? text : escapeFormulas(text));
  return Papa.unparse(
    [columns, ...rows].map((row) => row.map(written)),
    { newline: "\n" },
  );
}

/** Returns a value as the text that its cell has when it is read again. */
export function toCell(value: unknown): string {
  return String(value ?? "")
    .replace(/\r\n?/g, "\n")
    .trim();
}

/** A value of an object with its name, and what follows it. */
const pair = (() => {
  const text = /"[^"\\\n]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\n]*)*"/.source;
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.source;
  return new RegExp(`\\s*(${text})\\s*:\\s*(${text}|${number}|true|false|null)\\s*([,}])`, "dy");
})();

/** Returns a text or another value of JSON as a cell has it. Other programs do not escape all control characters. */
function parsed(json: string): string {
  return toCell(JSON.parse(json.replace(/\p{Cc}/gu, escapeUnits)));
}

/** The most faults that are listed: a file of something else can have millions. */
const mostFaults = 500;

/** A file that was read. */
export class Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly #file: string;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #faults: { readonly at: number; readonly message: string }[] = [];

  /** @param required the columns that must be there */
  constructor({ file, text, remove }: EditFile, known: readonly string[], required: readonly string[]) {
    this.#file = file;
    this.#text = text.replace(/\r\n?/g, "\n");
    this.#lines.addNewLine(0);
    for (const { index } of this.#text.matchAll(/\n/g)) this.#lines.addNewLine(index + 1);
    const isJSON = /^\s*[[{]/.test(text);
    const { head, rows } = isJSON ? this.#parseJSON() : this.#parseCSV();
    this.rows = rows;
    this.columns = head.map((cell) => cell.text);
    const seen = new Set<string>();
    const repeated = head.filter(({ text }) => seen.size === seen.add(text).size);
    // A file that lost its line feeds can have any number.
    for (const { text, at } of head.slice(0, mostFaults))
      if (!known.includes(text)) this.fault(at, `unknown column "${text}"${suggest(text, known)}`);
    for (const { text, at } of repeated) this.fault(at, `the column "${text}" is there twice`);
    // A list of no objects has no columns either.
    const missing = required.filter(
      (column) => !(isJSON && rows.length === 0) && !this.columns.includes(column),
    );
    for (const column of missing) this.fault(0, `expected a column "${column}"`);
    // An export that failed must not remove everything.
    if (remove && rows.length === 0) this.fault(0, "expected rows: without any, --remove would remove all");
    // Without them, each row has the same fault.
    if (repeated.length > 0 || missing.length > 0) this.requireSound();
  }

  /** Notes what is wrong at a place of the text. */
  fault(at: number, message: string): void {
    this.#faults.push({ at, message });
  }

  lineOf(at: number): number {
    return this.#lines.linePos(at).line;
  }

  /** @throws Failure `PARAMETER_INVALID` with every fault */
  requireSound(): void {
    if (this.#faults.length > 0) throw this.#failure();
  }

  #failure(): Failure {
    const { length } = this.#faults;
    const sorted = this.#faults.toSorted((a, b) => a.at - b.at);
    const faults = sorted.slice(0, mostFaults).map(({ at, message }) => {
      const { line, col: column } = this.#lines.linePos(at);
      return { line, column, message };
    });
    const last = faults.at(-1);
    if (last !== undefined && length > mostFaults)
      faults.push({ ...last, message: `there are ${length - mostFaults} more faults` });
    const lines = faults.map(({ line, column, message }) => `${this.#file}:${line}:${column}: ${message}`);
    const count = numbered(length, "fault");
    return new Failure("PARAMETER_INVALID", `${this.#file} has ${count}:\n${lines.join("\n")}`, {
      faultyFile: { file: this.#file, text: this.#text, faults },
    });
  }

  /** Reads a list of flat objects, by hand: JSON.parse does not tell where the values are. */
  #parseJSON(): { head: Cell[]; rows: Row[] } {
    const head = new Map<string, Cell>();
    const rows: Row[] = [];
    let next = 0;
    const take = (token: RegExp) => {
      token.lastIndex = next;
      const found = token.exec(this.#text);
      if (found !== null) next = token.lastIndex;
      return found;
    };
    const expect = (token: RegExp) => {
      const found = take(token);
      if (found !== null) return found;
      const at = next + this.#text.slice(next).search(/\S|$/);
      this.fault(at, "expected JSON: a list of objects with texts, numbers, true, false and null");
      throw this.#failure();
    };
    take(/\s*\[/y);
    let opening = /\s*\{/y;
    while (take(/\s*\]\s*$/y) === null) {
      expect(opening);
      opening = /\s*,\s*\{/y;
      const row = new Map<string, Cell>();
      let separator: string | undefined;
      do {
        const { 1: name = "", 2: value = "", 3: following, indices } = expect(pair);
        const key = parsed(name);
        const at = indices?.[2]?.[0] ?? 0;
        if (row.has(key)) this.fault(at, `"${key}" is in the object twice`);
        // A number that is an id can have more digits than JavaScript keeps.
        row.set(key, { text: /^-?[1-9]\d*$/.test(value) ? value : parsed(value), at });
        if (!head.has(key)) head.set(key, { text: key, at: indices?.[1]?.[0] ?? 0 });
        separator = following;
      } while (separator === ",");
      rows.push(row);
    }
    return { head: [...head.values()], rows };
  }

  #parseCSV(): { head: Cell[]; rows: Row[] } {
    const delimiter = /^.*?([,;\t])/.exec(this.#text)?.[1] ?? ",";
    const lines: Cell[][] = [];
    let next = 0;
    Papa.parse<string[]>(this.#text, {
      ...{ delimiter, newline: "\n" },
      step: ({ data, errors: [error], meta }, parser) => {
        lines.push(this.#cellsOf(data, next));
        next = meta.cursor;
        if (error === undefined) return;
        const message = "expected the quote that ends a cell; one within a cell is written twice";
        this.fault(error.index ?? 0, message);
        // From there on, quotes and what is between them are mixed up.
        parser.abort();
      },
    });
    this.requireSound();
    const [first = [], ...others] = lines;
    // Spreadsheets write columns that were once filled, and leave out empty cells at the end of some rows.
    const head = first.slice(0, first.findLastIndex(({ text }) => text !== "") + 1);
    const filled = others.filter((cells) => cells.some(({ text }) => text !== ""));
    if (head.length === 0 && filled.length > 0) {
      this.fault(0, "expected the columns in the first line, got nothing");
      throw this.#failure();
    }
    const rows = filled.map((cells) => {
      const [{ at } = { at: 0 }] = cells;
      const [more] = cells.slice(head.length).filter(({ text }) => text !== "");
      if (more !== undefined)
        this.fault(more.at, `expected ${counted(head.length, "cell")}, got ${cells.length}`);
      return new Map(head.map(({ text: column }, index) => [column, cells[index] ?? { text: "", at }]));
    });
    return { head, rows };
  }

  /** @param next where the row begins */
  #cellsOf(row: readonly string[], next: number): Cell[] {
    let begin = next;
    return row.map((value) => {
      const quote = Number(this.#text[begin] === '"');
      const text = unescapeFormulas(value);
      const [first = ""] = value.split(";", 1);
      const apostrophe = first.length - unescapeFormulas(first).length;
      const at = begin + quote + apostrophe + (text.length - text.trimStart().length);
      begin += quote === 1 ? value.replaceAll('"', '""').length + 3 : value.length + 1;
      return { text: text.trim(), at };
    });
  }
}
