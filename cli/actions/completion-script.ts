/** What `completion` does: it prints the script by which a shell completes `addon-cli`. */
import { bashScript } from "../completion/bash.ts";
import type { Session } from "../context.ts";

export type Shell = "bash" | "zsh" | "fish";

/** Prints the script. With `--json` it is in one document. */
export async function printScript({ output }: Session, shell: Shell): Promise<void> {
  const text = shell === "bash" ? bashScript : await packagedScript(shell);
  output.result({ script: text }, text);
}

/** The package's script. The package prints it, and has no way to return it. */
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
  return printed.join("\n");
}
