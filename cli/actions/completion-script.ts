/** Implements `completion`. */
import { bashScript } from "../completion/bash.ts";
import type { Context } from "../context.ts";

export type Shell = "bash" | "zsh" | "fish";

export async function printScript({ output }: Context, shell: Shell): Promise<void> {
  const text = shell === "bash" ? bashScript : await packagedScript(shell);
  output.verbatim({ script: text }, text);
}

/** Returns the script of `@bomb.sh/tab`, which can only print it. */
async function packagedScript(shell: Shell): Promise<string> {
  const { script } = await import("@bomb.sh/tab");
  const { log } = console;
  const printed: string[] = [];
  console.log = (text: string) => printed.push(text);
  try {
    script(shell, "addon-cli", "addon-cli");
  } finally {
    console.log = log;
  }
  // It evaluates an option as it was typed, up to the last "=", such as `--label=$(date)=`.
  return printed.join("\n").replace(/-P \$\{(?=BASH_REMATCH)/g, "$&(q)");
}
