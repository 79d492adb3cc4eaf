/**
 * Reads transcripts: Markdown in which each heading of the second level is a test, and each indented block is what a
 * terminal shows. CONTRIBUTING.md explains how to write one.
 *
 * A table has a command in each row: the first cell, in place of `…` in the first heading. The last cell is what it
 * prints, its lines separated by `<br>`. A cell between them makes the row a refusal: it has the exit code and the code
 * of the failure, and the last cell has the words of the error, which `--json` must print as well.
 *
 * ```
 * | `addon-cli …`         | exit             | error                         |
 * | --------------------- | ---------------- | ----------------------------- |
 * | `player show Nobody`  | 1 UNKNOWN_PLAYER | There is no player "Nobody".  |
 * ```
 */
import assert from "node:assert/strict";

/** Where commands run: on the files, or beside a service of the folder. */
export type Mode = "offline" | "beside";

/** A command line, and what the terminal shows of it. */
export interface Step {
  /** The number of the line in the transcript. */
  readonly line: number;
  readonly command: string;
  /** The width of the terminal; undefined for a pipe. */
  readonly columns: number | undefined;
  /** Undefined if it only has to succeed. */
  readonly expected: readonly string[] | undefined;
  /** Whether it prints the document of a failure, whose code and words are expected in place of the document. */
  readonly isFailure?: boolean;
}

/** A test of a transcript. */
export interface Scene {
  readonly title: string;
  readonly modes: readonly Mode[];
  /** Whether the folder is empty at first, instead of seeded. */
  readonly isEmpty: boolean;
  readonly steps: readonly Step[];
}

/** Reads the tests of a transcript. The blocks before the first heading are the beginning of each. */
export function parseTranscript(text: string): Scene[] {
  const [head = "", ...sections] = text.split(/^(?=## )/m);
  const beginning = stepsOf(head, 1);
  let line = head.split("\n").length;
  return sections.map((section) => {
    const steps = stepsOf(section, line);
    line += section.split("\n").length - 1;
    const declared = (name: string) =>
      (new RegExp(`^${name}: (.*)$`, "m").exec(section) ??
        new RegExp(`^${name}: (.*)$`, "m").exec(head))?.[1];
    const modes = (declared("run") ?? "offline").split(", ");
    assert.ok(
      modes.every((mode): mode is Mode => mode === "offline" || mode === "beside"),
      `unknown modes ${modes}`,
    );
    const title = section.slice(3, section.indexOf("\n"));
    return { title, modes, isEmpty: declared("start") === "empty", steps: [...beginning, ...steps] };
  });
}

function stepsOf(section: string, first: number): Step[] {
  const steps: {
    line: number;
    command: string;
    columns: number | undefined;
    expected: string[] | undefined;
    isFailure?: boolean;
  }[] = [];
  let template: string | undefined;
  let end: string | undefined;
  let isInBlock = false;
  for (const [index, text] of section.split("\n").entries()) {
    const last = steps.at(-1);
    const cells = text.startsWith("| ") ? cellsOf(text) : undefined;
    if (cells !== undefined && template !== undefined && !text.startsWith("| -"))
      for (const step of stepsOfRow(template, cells))
        steps.push({ line: first + index, columns: undefined, ...step });
    template = cells === undefined ? undefined : (template ?? cells[0]);
    if (!text.startsWith("    ")) {
      if (text === "" && isInBlock) last?.expected?.push("");
      else isInBlock = false;
      continue;
    }
    const shown = text.slice(4);
    const [, columns, prompt, command] = /^(\d*)([$+]) (.*)$/.exec(shown) ?? [];
    if (end !== undefined && last !== undefined) {
      last.command += `\n${shown}`;
      if (shown === end) end = undefined;
    } else if (command !== undefined) {
      steps.push({
        line: first + index,
        command,
        columns: columns ? Number(columns) : undefined,
        expected: prompt === "$" ? [] : undefined,
      });
      end = /<<'?(\w+)/.exec(command)?.[1];
    } else last?.expected?.push(shown);
    isInBlock = true;
  }
  for (const { expected } of steps) while (expected?.at(-1) === "") expected.pop();
  return steps;
}

/** Returns the cells of a row, without the marks of code. */
function cellsOf(row: string): string[] {
  const cells = row.split(/(?<!\\)\|/).slice(1, -1);
  return cells.map((cell) =>
    cell
      .trim()
      .replace(/^`(.*)`$/, "$1")
      .replace(/\\([|<])/g, "$1"),
  );
}

/** Returns the command of a row with what it prints, and that with `--json` if it is refused. */
function stepsOfRow(template: string, [typed = "", ...others]: readonly string[]) {
  const command = template.replace("…", () => typed);
  const lines = (others.at(-1) ?? "").split("<br>");
  if (others.length === 1) return [{ command, expected: lines }];
  const [exit = "", code] = (others[0] ?? "").split(" ");
  const words = lines.map((line, index) => `! ${index === 0 ? "error: " : ""}${line}`);
  const end = `[exit ${exit}]`;
  return [
    { command, expected: exit === "1" ? words : [...words, end] },
    {
      command: command.replace("addon-cli", "addon-cli --json"),
      expected: [`${code}: ${lines.join(" ")}`, end],
      isFailure: true,
    },
  ];
}

/** Returns the code and the words of a failure from its document. */
export function toWords(document: string): string {
  const { code, info, hint } = JSON.parse(document);
  return `${code}: ${hint === undefined ? info : `${info} ${hint}`}`;
}
