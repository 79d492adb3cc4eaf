/** The output of commands: tables on a terminal, plain lines in a pipe, one JSON document with `--json`. */
import { stripVTControlCharacters, styleText } from "node:util";
import { Failure, type FaultyFile } from "../../src/domain/errors.ts";
import { escapeUnits } from "../../src/domain/escape.ts";
import { instantText } from "../../src/domain/instant.ts";
import { reasonOf } from "../../src/domain/system-error.ts";
import { numbered } from "../../src/domain/text.ts";
import { withoutTokens } from "../../src/identity/tokens.ts";
import { remedyFor } from "../../src/store/folder/refusals.ts";
import type { Paint } from "./excerpts.ts";
import type { IO, Sink } from "./io.ts";
import type * as Layout from "./layout.ts";

/** The cells of a list, by their headings. */
export type Columns<T> = Readonly<Record<string, (row: T) => string>>;

/** An error that has been reported, such as the failed answer of `call`: only its exit code remains. */
export class Reported extends Error {
  override readonly name = "Reported";
}

/** The most problems that a person is shown: the error of a program repeats in every record of an export. */
const mostProblems = 20;

export class Output {
  readonly #io: IO;
  readonly #json: () => boolean;
  #transient = "";
  /** Undefined without a terminal. */
  #layout: typeof Layout | undefined;

  /** @param json returns whether `--json` was given, once the options are parsed */
  constructor(io: IO, json: () => boolean) {
    this.#io = io;
    this.#json = json;
  }

  /** Whether results are JSON documents. */
  get wantsJSON(): boolean {
    return this.#json();
  }

  /** Loads what measures texts: for a terminal, whose lines are wrapped. */
  async prepare(): Promise<void> {
    this.#layout = await import("./layout.ts");
  }

  /** Returns a text with lines that fit the terminal; unchanged for a pipe, an unknown width, or JSON. */
  fitted(text: string, sink: Sink): string {
    const columns = this.#json() ? undefined : widthOf(sink);
    return columns === undefined ? text : (this.#layout?.wrapLines(text, columns) ?? text);
  }

  /** Prints a result: the document with `--json`, or else the text. Removes tokens, which a quoted file may contain. */
  result(document: unknown, text: string): void {
    this.verbatim(document, this.fitted(text, this.#io.stdout));
  }

  /** Prints a result whose text is a document itself, such as YAML, and is not wrapped. */
  verbatim(document: unknown, text: string): void {
    this.#io.stdout.write(withoutTokens(this.#toText(document, text)));
  }

  /**
   * Prints a result with a new token or code, which is never printed again.
   * @param lost what to say if it cannot be written, or its reader is gone: nobody has seen it then
   * @throws Failure
   */
  async issued(document: unknown, text: string, lost?: { sentence: string; hint: string }): Promise<void> {
    await this.#io.deliver(this.#toText(document, text)).catch((cause: Error) => {
      if (lost === undefined) throw cause;
      const { sentence, hint } = lost;
      throw new Failure("STORE_UNAVAILABLE", `${sentence} ${cause.message}`, { hint, cause });
    });
  }

  #toText(document: unknown, text: string): string {
    return `${this.#json() ? toJSON(document) : escapeControls(text)}\n`;
  }

  /** Prints a list, or for a person the text `empty` if the list has no rows. */
  list<T>(rows: readonly T[], columns: Columns<T>, empty: string): void {
    const { stdout } = this.#io;
    if (this.#json()) {
      this.verbatim(rows, "");
    } else if (rows.length === 0) {
      this.remark(empty);
    } else if (stdout.isTTY === true && this.#layout !== undefined) {
      const cells = rows.map((row) => cellsOf(row, columns));
      const bold = (heading: string) => this.style("bold", heading);
      stdout.write(`${this.#layout.formatTable(Object.keys(columns), cells, widthOf(stdout), bold)}\n`);
    } else {
      for (const row of rows) stdout.write(`${cellsOf(row, columns).join("\t")}\n`);
    }
  }

  /** Prints a message that is not part of the result. Removes tokens, which arguments and paths may contain. */
  remark(text: string): void {
    this.transient("");
    const { stderr } = this.#io;
    const escaped = escapeControls(withoutTokens(text));
    // The styles are for a terminal of standard output, whose text this may be.
    const shown = stderr.isTTY === true ? escaped : stripVTControlCharacters(escaped);
    stderr.write(`${this.fitted(shown, stderr)}\n`);
  }

  /** Prints a command to paste: on one line, whatever the width of the terminal. */
  command(text: string): void {
    this.transient("");
    this.#io.stderr.write(`${escapeControls(withoutTokens(text))}\n`);
  }

  /** Shows a line on the terminal of standard error until the next one or a remark replaces it; an empty one removes it. */
  transient(line: string): void {
    if (line === this.#transient) return;
    this.#io.stderr.write(`\r${line}\u001b[K`);
    this.#transient = line;
  }

  /** Styles a text if the stream is a terminal with colours. */
  style(format: Parameters<Paint>[0], text: string, sink: Sink = this.#io.stdout): string {
    return sink.isTTY === true && !this.#io.env.NO_COLOR
      ? styleText(format, text, { validateStream: false })
      : text;
  }

  /** Prints the faults or warnings of a file with excerpts. */
  async faults({ file, faults, text }: FaultyFile, kind: "fault" | "warning"): Promise<void> {
    if (faults.length === 0) return;
    const { formatFaults } = await import("./excerpts.ts");
    const { stderr } = this.#io;
    const paint: Paint = (format, text) => this.style(format, text, stderr);
    this.remark(formatFaults(faults, { file, text, paint, columns: widthOf(stderr), kind }));
  }

  async failure(error: unknown): Promise<void> {
    if (error instanceof Reported) return;
    const { code, message, hint, parameter } = toProblem(error);
    const failure = error instanceof Failure ? error : undefined;
    const faulty = failure?.faultyFile;
    const problems = failure?.problems;
    if (this.#json()) {
      const { file, faults } = faulty ?? {};
      const problem = toJSON({ code, info: message, parameter, hint, file, faults, problems });
      // The message may repeat a token that was typed in place of a name.
      const document = `${withoutTokens(problem)}\n`;
      // Standard output itself may have failed, or its reader be gone.
      await this.#io.deliver(document).catch(() => this.#io.stderr.write(document));
      return;
    }
    const { stderr } = this.#io;
    const label = this.style("red", "error:", stderr);
    if (faulty !== undefined) {
      this.remark(`${label} ${faulty.file} has ${numbered(faulty.faults.length, "fault")}:`);
      await this.faults(faulty, "fault");
      return;
    }
    for (const problem of problems?.slice(0, mostProblems) ?? []) this.remark(problem);
    const left = (problems?.length ?? 0) - mostProblems;
    if (left > 0) this.remark(`and ${left} more; --json shows all of them`);
    this.remark(`${label} ${message}`);
    if (hint !== undefined) this.remark(hint);
  }

  /** Prints labels with their values, wrapped to the width of the terminal. */
  pairs(document: unknown, pairs: readonly (readonly [label: string, value: string])[]): void {
    const cells = pairs.map(([label, value]) => [label, escapeControls(value)] as const);
    const width = Math.max(...cells.map(([label]) => label.length));
    const columns = widthOf(this.#io.stdout);
    const text =
      columns === undefined || this.#layout === undefined
        ? cells.map(([label, value]) => `${label.padEnd(width)}  ${value}`).join("\n")
        : this.#layout.formatPairs(cells, columns);
    this.result(document, text);
  }
}

/** Returns the width of a terminal; undefined without a terminal, or where it reports 0, since it is unknown. */
function widthOf({ isTTY, columns }: Sink): number | undefined {
  return isTTY === true && columns ? columns : undefined;
}

function cellsOf<T>(row: T, columns: Columns<T>): string[] {
  return Object.values(columns).map((cell) => escapeControls(cell(row)).replace(/[\n\t]/g, " "));
}

/** Control characters and those that change the direction of text: names in older data could control a terminal. */
const controls = "[\\p{Cc}\\p{Bidi_Control}]";
/** Those that the commands write themselves: line feeds, tabs, and the styles of {@link Output.style}. */
const ownControls = `\\n|\\t|\u001b\\[(?:1|2|22|31|32|33|39)m`;
const foreignControls = new RegExp(`(${ownControls})|${controls}`, "gu");
const anyControls = new RegExp(controls, "gu");

/**
 * Escapes control characters, except for those that the commands write. All other characters stay as they are, since the
 * text can be a document: an export, YAML, Markdown, or a path.
 */
function escapeControls(text: string): string {
  return text.replace(foreignControls, (found, own?: string) => own ?? escapeUnits(found));
}

/** Escapes control characters of a text on one line, in which the commands write none. */
export function onOneLine(text: string): string {
  return text.replace(anyControls, escapeUnits);
}

/** Returns a document as JSON on one line, without characters that control a terminal. */
export function toJSON(document: unknown): string {
  return onOneLine(JSON.stringify(document));
}

/** Formats an instant as ISO 8601, or null as a dash. */
export function formatInstant(instant: number | null): string {
  return instant === null ? "-" : instantText(instant);
}

function toProblem(error: unknown) {
  if (error instanceof Failure) {
    const { message, parameter, hint, operatorHint, faultyFile } = error;
    const isTable = faultyFile !== undefined && error.code === "STORE_UNAVAILABLE";
    const code = isTable ? "TABLE_FAULTS" : error.code;
    return { code, message, parameter, hint: operatorHint ?? hint };
  }
  if (!(error instanceof Error)) return { code: "INTERNAL", message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : "INTERNAL";
  return { code, message: reasonOf(error), hint: remedyFor(error) };
}
