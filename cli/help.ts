/** Help texts. */

/** Returns the examples of a help text, one line each. @param lines what is typed after `addon-cli` */
export function examples(...lines: readonly string[]): string {
  const heading = lines.length === 1 ? "Example:" : "Examples:";
  return `\n${heading}\n${lines.map((line) => `  $ addon-cli ${line}`).join("\n")}`;
}
