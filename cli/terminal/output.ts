/** How commands show what they have: tables on a terminal, plain lines in a pipe, one JSON document with `--json`. */
import { styleText } from "node:util";
import { Failure } from "../../src/domain/errors.ts";
import { withoutTokens } from "../../src/identity/tokens.ts";
import { remedyFor } from "../../src/store/folder/refusals.ts";
import type { Fault } from "../../src/table/yaml/fault.ts";
import { TableFaults } from "../../src/table-in-force/route-table.ts";
import type { Paint } from "./excerpts.ts";
import type { IO, Sink } from "./io.ts";

/** A column of a list: its heading, and what it shows of a row. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (row: T) => string;
}

/** An error that was said already, such as the failed answer of `call`: only its exit code is left to give. */
export class Reported extends Error {
  override readonly name = "Reported";
}

export class Output {
  readonly #io: IO;
  readonly #json: () => boolean;

  /** @param json whether `--json` was given: asked when something is shown, since it is parsed only then */
  constructor(io: IO, json: () => boolean) {
    this.#io = io;
    this.#json = json;
  }

  /** Whether results are JSON documents. */
  get wantsJSON(): boolean {
    return this.#json();
  }

  /** Shows a result: the document with `--json`, else the text. What it repeats of a file may have a token in it. */
  result(document: unknown, text: string): void {
    this.#io.stdout.write(withoutTokens(this.#toText(document, text)));
  }

  /**
   * Shows a result with a new token in it: the one time that a token is shown.
   * @throws Failure where it cannot be written, or its reader is gone: nobody has seen the token then
   */
  issued(document: unknown, text: string): Promise<void> {
    return this.#io.deliver(this.#toText(document, text));
  }

  #toText(document: unknown, text: string): string {
    return `${this.#json() ? JSON.stringify(document) : harmless(text)}\n`;
  }

  /** Shows a list: `empty` is said to a person where there is nothing in it. */
  async list<T>(rows: readonly T[], columns: readonly Column<T>[], empty: string): Promise<void> {
    const { stdout } = this.#io;
    if (this.#json()) {
      stdout.write(`${JSON.stringify(rows)}\n`);
    } else if (rows.length === 0) {
      this.remark(empty);
    } else if (stdout.isTTY === true) {
      stdout.write(`${await this.#table(rows, columns)}\n`);
    } else {
      for (const row of rows) stdout.write(`${cellsOf(row, columns).join("\t")}\n`);
    }
  }

  /** Says something to a person that is no part of the result. What was typed, or a path, may have a token in it. */
  remark(text: string): void {
    this.#io.stderr.write(`${harmless(withoutTokens(text))}\n`);
  }

  /** Text for a person, in a style where colours are wanted. */
  style(
    format: "bold" | "dim" | "red" | "green" | "yellow",
    text: string,
    sink: Sink = this.#io.stdout,
  ): string {
    return sink.isTTY === true && !this.#io.env.NO_COLOR
      ? styleText(format, text, { validateStream: false })
      : text;
  }

  /** Shows faults or warnings of a file, each with its line. */
  async faults(
    faults: readonly Fault[],
    file: string,
    text: string,
    kind: "fault" | "warning",
  ): Promise<void> {
    if (faults.length === 0) return;
    const { presentFaults } = await import("./excerpts.ts");
    const { stderr } = this.#io;
    // A terminal that does not tell its width says 0.
    const columns = stderr.isTTY === true ? stderr.columns || undefined : undefined;
    const paint: Paint = (format, each) => this.style(format, each, stderr);
    this.remark(presentFaults(faults, { file, text, paint, columns, kind }));
  }

  /** Says why a command failed. */
  async failure(error: unknown): Promise<void> {
    if (error instanceof Reported) return;
    const { code, message, hint, parameter } = toProblem(error);
    if (this.#json()) {
      const faults = error instanceof TableFaults ? { file: error.file, faults: error.faults } : {};
      const problem = JSON.stringify({ code, info: message, parameter, hint, ...faults });
      // Somebody may have typed a token where a name belongs, and the message repeats what was typed.
      const document = `${withoutTokens(problem)}\n`;
      try {
        this.#io.stdout.write(document);
      } catch {
        // It may be standard output itself that failed.
        this.#io.stderr.write(document);
      }
      return;
    }
    const { stderr } = this.#io;
    const label = this.style("red", "error:", stderr);
    if (error instanceof TableFaults) {
      const { countOf } = await import("./excerpts.ts");
      this.remark(`${label} ${error.file} has ${countOf(error.faults.length, "fault")}:`);
      await this.faults(error.faults, error.file, error.text, "fault");
      return;
    }
    this.remark(`${label} ${message}`);
    if (hint !== undefined) this.remark(hint);
  }

  /** Labels with their values, wrapped to the terminal where there is one. */
  async pairs(document: unknown, pairs: readonly (readonly [label: string, value: string])[]): Promise<void> {
    const cells = pairs.map(([label, value]) => [label, harmless(value)] as const);
    const width = Math.max(...cells.map(([label]) => label.length));
    // What measures texts is loaded only for a terminal.
    const text =
      this.#columns === undefined
        ? cells.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join("\n")
        : (await import("./layout.ts")).layOutPairs(cells, this.#columns);
    this.result(document, text);
  }

  async #table<T>(rows: readonly T[], columns: readonly Column<T>[]): Promise<string> {
    const { layOutTable } = await import("./layout.ts");
    const headings = columns.map(({ heading }) => heading);
    const cells = rows.map((row) => cellsOf(row, columns));
    return layOutTable(headings, cells, this.#columns, (heading) => this.style("bold", heading));
  }

  /** The width of the terminal; undefined where there is none, or it does not tell. */
  get #columns(): number | undefined {
    const { isTTY, columns } = this.#io.stdout;
    return isTTY === true ? columns || undefined : undefined;
  }
}

function cellsOf<T>(row: T, columns: readonly Column<T>[]): string[] {
  return columns.map(({ cell }) => harmless(cell(row)).replace(/[\n\t]/g, " "));
}

/**
 * Escapes control characters and those that turn the direction of text, as JSON writes them: names and labels of older
 * data or of an import could otherwise act on the terminal. Line breaks, tabs and the colours of {@link Output.style} stay.
 */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character: string, place: number) => {
    if (character === "\n" || character === "\t") return character;
    if (character === "\u001b" && /^\[(?:1|2|22|31|32|33|39)m/.test(text.slice(place + 1, place + 5)))
      return character;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** An instant for a person: ISO 8601, or a dash. */
export function toDate(instant: number | null): string {
  return instant === null ? "-" : new Date(instant).toISOString();
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly parameter?: string | undefined;
}

function toProblem(error: unknown): Problem {
  if (error instanceof Failure) {
    const { code, message, parameter, hint, operatorHint } = error;
    return { code, message, parameter, hint: operatorHint ?? hint };
  }
  if (error instanceof TableFaults) return { code: "TABLE_FAULTS", message: error.message };
  const { code = "INTERNAL", message = String(error) } = error as NodeJS.ErrnoException;
  return { code, message, hint: remedyFor(error) };
}
