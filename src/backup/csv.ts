/**
 * Tables of rows, with the places of all their faults: CSV as spreadsheets write it, a line of columns before the rows, or JSON,
 * a list of objects.
 */
import Papa from "papaparse";
import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import { Failure, type Position } from "../domain/errors.ts";
import { suggest } from "./record.ts";

/** A cell without the blanks around it, and where it begins in the text. */
export interface Cell {
  readonly text: string;
  readonly at: number;
}

/** A row by its columns. */
export type Row = ReadonlyMap<string, Cell>;

/** What a spreadsheet would take for a formula gets an apostrophe, and so does what then looks like that. */
const formula = /^'*[=+\-@]/;
const escaped = /^'+[=+\-@]/;

/** Returns rows as CSV with commas. */
export function formatCSV(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const data = [columns, ...rows].map((row) => [...row]);
  return Papa.unparse(data, { escapeFormulae: formula, newline: "\n" });
}

/** A file that was read. */
export class Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly #file: string;
  readonly #text: string;
  /** Where the lines begin. */
  readonly #lines: readonly number[];
  readonly #faults: { readonly at: number; readonly message: string }[] = [];

  /** @param required the columns that must be there */
  constructor(file: string, text: string, known: readonly string[], required: readonly string[]) {
    this.#file = file;
    this.#text = text.replace(/\r\n?/g, "\n");
    this.#lines = [0, ...Array.from(this.#text.matchAll(/\n/g), ({ index }) => index + 1)];
    const { head, rows } = /^\s*\[/.test(text) ? this.#parseJSON() : this.#parseCSV();
    this.rows = rows;
    this.columns = head.map((cell) => cell.text);
    for (const { text, at } of head)
      if (!known.includes(text)) this.fault(at, `unknown column "${text}"${suggest(text, known)}`);
    const repeated = head.filter(({ text }, index) => this.columns.indexOf(text) < index);
    for (const { text, at } of repeated) this.fault(at, `the column "${text}" is there twice`);
    const missing = required.filter((column) => !this.columns.includes(column));
    for (const column of missing) this.fault(0, `expected a column "${column}"`);
    // Without them, each row has the same fault.
    if (repeated.length > 0 || missing.length > 0) this.requireSound();
  }

  /** Notes what is wrong at a place of the text. */
  fault(at: number, message: string): void {
    this.#faults.push({ at, message });
  }

  lineOf(at: number): number {
    return this.#lines.findLastIndex((begin) => begin <= at) + 1;
  }

  /** @throws Failure `PARAMETER_INVALID` with every fault */
  requireSound(): void {
    if (this.#faults.length === 0) return;
    const faults = this.#faults
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, message }) => ({ ...this.#place(at), message }));
    const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
    const lines = faults.map(({ line, column, message }) => `${this.#file}:${line}:${column}: ${message}`);
    throw new Failure("PARAMETER_INVALID", `${this.#file} has ${count}:\n${lines.join("\n")}`, {
      faultyFile: { file: this.#file, text: this.#text, faults },
    });
  }

  #place(at: number): Position {
    const line = this.lineOf(at);
    return { line, column: at - (this.#lines[line - 1] ?? 0) + 1 };
  }

  /** Reads JSON, by the parser of YAML: it has the places, and every JSON is YAML. */
  #parseJSON(): { head: Cell[]; rows: Row[] } {
    const { contents, errors } = parseDocument(this.#text, { uniqueKeys: false });
    for (const { pos, message } of errors) this.fault(pos[0], `it is not JSON: ${message.split("\n", 1)[0]}`);
    this.requireSound();
    const all: readonly unknown[] = isSeq(contents) ? contents.items : [];
    const objects = all.filter((item) => isMap(item));
    const head = new Map<string, Cell>();
    const rows = objects.map(({ items, range }) => {
      const cells = items.map(({ key, value }) => {
        const [text, at] = isScalar(key) ? [String(key.value), key.range?.[0] ?? 0] : ["", range?.[0] ?? 0];
        if (!head.has(text)) head.set(text, { text, at });
        const place = isScalar(value) ? (value.range?.[0] ?? at) : at;
        if (!isScalar(value)) this.fault(at, `expected a text, a number, true, false or null as "${text}"`);
        return [text, { text: isScalar(value) ? String(value.value ?? "") : "", at: place }] as const;
      });
      return new Map(cells);
    });
    return { head: [...head.values()], rows };
  }

  #parseCSV(): { head: Cell[]; rows: Row[] } {
    const delimiter = /^.*?([,;\t])/.exec(this.#text)?.[1] ?? ",";
    const { data, errors } = Papa.parse<string[]>(this.#text, { delimiter, newline: "\n" });
    const [error] = errors;
    if (error !== undefined) {
      this.fault(error.index ?? 0, "expected the quote that ends a cell; one within a cell is written twice");
      // From there on, quotes and what is between them are mixed up.
      this.requireSound();
    }
    let next = 0;
    const [head = [], ...others] = data.map((row) =>
      row.map((value) => {
        const quote = Number(this.#text[next] === '"');
        const text = value.replace(escaped, (found) => found.slice(1));
        const begin = next + quote + (value.length - text.length) + (text.length - text.trimStart().length);
        next += quote === 1 ? value.replaceAll('"', '""').length + 3 : value.length + 1;
        return { text: text.trim(), at: begin };
      }),
    );
    const filled = others.filter((cells) => cells.some(({ text }) => text !== ""));
    const rows = filled.map((cells) => {
      const isWhole =
        cells.length >= head.length && cells.slice(head.length).every(({ text }) => text === "");
      if (!isWhole) this.fault(cells[0]?.at ?? 0, `expected ${head.length} cells, got ${cells.length}`);
      return new Map(cells.slice(0, head.length).map((cell, index) => [head[index]?.text ?? "", cell]));
    });
    return { head, rows };
  }
}
