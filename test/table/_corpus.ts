/**
 * The corpus: files of YAML that show what `routes check` reports. A file begins with the table that its documents
 * continue. Below a line that is reported, comments have the sentences, each at the column of the report:
 *
 *     --- # a group is reported with the nearest name
 *     restriction: { group: STUFF }
 *     #                     ^ unknown group "STUFF"; expected STAFF, FRIENDS or BARRED. Did you mean "STAFF"?
 *
 * `# <- …` reports the column of its own `#`. What has no such comment must not be reported.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeInvisible } from "../../src/domain/escape.ts";
import { projectFolder } from "../_setup.ts";

/** A document of the corpus. */
export interface TableCase {
  readonly title: string;
  /** The table. Its lines have the numbers that they have in the file: all others are empty. */
  readonly text: string;
  /** The lines that are reported, by index. */
  readonly reported: readonly number[];
  /** The reports as `routes check` prints them: `test/table/faults/form/keys.yaml:3:1: unknown key …`. */
  readonly reports: readonly string[];
}

/** Returns the documents of all files in a folder of `test`. */
export function casesIn(folder: string): TableCase[] {
  const path = `test/${folder}`;
  const files = readdirSync(join(projectFolder, path)).filter((name) => name.endsWith(".yaml"));
  return files.sort().flatMap((name) => documentsOf(`${path}/${name}`));
}

function documentsOf(file: string): TableCase[] {
  const lines = readFileSync(join(projectFolder, file), "utf8").split("\n");
  const starts = lines.flatMap((line, index) => (line.startsWith("--- # ") ? [index] : []));
  return starts.map((start, which) => {
    const end = starts[which + 1] ?? lines.length;
    const reported: number[] = [];
    const reports: string[] = [];
    let last = 0;
    const text = lines.map((line, index) => {
      if (index >= (starts[0] ?? 0) && (index <= start || index >= end)) return "";
      const [, mark = "", sentence] = /^( *#(?: *\^| <-)) (.*)$/.exec(line) ?? [];
      if (sentence === undefined) {
        last = index;
        return line;
      }
      const column = mark.endsWith("^") ? mark.length : mark.indexOf("#") + 1;
      reported.push(last);
      reports.push(`${file}:${last + 1}:${column}: ${sentence}`);
      return "";
    });
    const title = `${file}:${start + 1} ${lines[start]?.slice(6)}`;
    return { title, text: `${text.join("\n").trimEnd()}\n`, reported, reports };
  });
}

/** Returns reports as `routes check` prints them for a document of the corpus. */
export function printed(
  { title }: TableCase,
  found: readonly { readonly line: number; readonly column: number; readonly message: string }[],
): string[] {
  const file = title.slice(0, title.indexOf(":"));
  return found.map(({ line, column, message }) => `${file}:${line}:${column}: ${escapeInvisible(message)}`);
}
