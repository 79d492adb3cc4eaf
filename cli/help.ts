/** Help texts: every command that does something shows how it is typed. */

/** The part of a help text with examples: what is typed behind `addon-cli`, a line each. */
export function examples(...lines: readonly string[]): string {
  const heading = lines.length === 1 ? "Example:" : "Examples:";
  return `\n${heading}\n${lines.map((line) => `  $ addon-cli ${line}`).join("\n")}`;
}
