/** Real shells on a terminal of their own, into which command lines are typed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { environment } from "./_process.ts";

/** A shell, and how it is started with a file of commands that it runs first. */
export interface Shell {
  readonly name: "bash" | "zsh" | "fish";
  /** What it runs first, beside the installation of the completion. */
  readonly start?: string;
}

/** How long a session may take, in milliseconds: a test that hangs is to fail with what was shown. */
const sessionMilliseconds = 120_000;

/** What a shell shows when it takes lines: what is typed before can be lost. */
const prompt = "ready> ";

/** A folder in which an `addon-cli` completes as `main` does, and otherwise only writes down how it was called. */
export class ShellDesk {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param main the built executable */
  static async in(folder: string, main: string): Promise<ShellDesk> {
    const desk = new ShellDesk(folder);
    const program = join(folder, "addon-cli");
    await writeFile(
      program,
      `#!/bin/sh
case $1 in complete|completion) exec "${process.execPath}" "${main}" "$@" ;; esac
for each in "$@"; do printf '%s ' "$each"; done >> "${desk.#called}"
echo >> "${desk.#called}"
`,
    );
    await chmod(program, 0o755);
    return desk;
  }

  get #called(): string {
    return join(this.#folder, "called.txt");
  }

  /**
   * Types lines into a shell and ends it.
   * @returns the calls of addon-cli, words with a space behind each, and all that was to be seen
   */
  async type(
    shell: Shell,
    lines: readonly string[],
    cwd: string,
  ): Promise<{ calls: string[]; screen: string }> {
    await writeFile(this.#called, "");
    const { command, env } = await this.#starting(shell);
    const terminal = spawn("script", ["-qec", command, "/dev/null"], {
      cwd,
      env: {
        ...environment,
        ...env,
        PATH: `${this.#folder}:${environment.PATH}`,
        TERM: "dumb",
        LANG: "C.UTF-8",
      },
      stdio: ["pipe", "pipe", "inherit"],
      timeout: sessionMilliseconds,
      killSignal: "SIGKILL",
    });
    let screen = "";
    terminal.stdout.setEncoding("utf8");
    const closed = once(terminal, "close");
    for await (const text of terminal.stdout) {
      const hadStarted = screen.includes(prompt);
      screen += String(text);
      if (!hadStarted && screen.includes(prompt)) typeAll(terminal, lines);
    }
    await closed;
    const calls = (await readFile(this.#called, "utf8")).split("\n").slice(0, -1);
    return { calls, screen };
  }

  async #starting({ name, start = "" }: Shell): Promise<{ command: string; env: Record<string, string> }> {
    const install =
      name === "fish" ? "addon-cli completion fish | source" : `eval "$(addon-cli completion ${name})"`;
    // Twice, as where a file is read again after it was edited.
    const setPrompt = name === "fish" ? `function fish_prompt; echo -n '${prompt}'; end` : `PS1='${prompt}'`;
    const commands = [start, install, install, setPrompt, ""].join("\n");
    const file = join(this.#folder, name === "zsh" ? ".zshrc" : `start.${name}`);
    await writeFile(file, commands);
    switch (name) {
      case "bash":
        return { command: `bash --noprofile --rcfile '${file}' -i`, env: {} };
      case "zsh":
        return { command: "zsh -d -i", env: { ZDOTDIR: this.#folder } };
      case "fish":
        return { command: `fish --no-config -i -C "source '${file}'"`, env: {} };
    }
  }
}

function typeAll({ stdin }: ChildProcess, lines: readonly string[]): void {
  stdin?.write([...lines, "exit"].map((line) => `${line}\n`).join(""));
}

/** Why a file that a test needs is missing, or false. */
export async function missing(path: string): Promise<string | false> {
  return access(path).then(
    () => false,
    (error: Error) => error.message,
  );
}
