/** Types command lines into real shells, each on a terminal of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { environment } from "./_process.ts";

/** A shell, and how to start it with a file of commands. */
export interface Shell {
  readonly name: "bash" | "zsh" | "fish";
  /** Commands that it runs first, besides the installation of the completion. */
  readonly start?: string;
}

/** The time limit of a session, in milliseconds: a hanging test fails with the screen. */
const sessionMilliseconds = 120_000;

/** The prompt of a shell that accepts lines: input before it can be lost. */
const prompt = "ready> ";

/** A folder with an `addon-cli` that completes as `main` does, and otherwise only records its calls. */
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
   * @returns the calls of addon-cli, with a space after each word, and the screen
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
    // Twice, as after an edit of the file.
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

/** Returns why a file that a test requires is missing, or false. */
export async function missing(path: string): Promise<string | false> {
  return access(path).then(
    () => false,
    (error: Error) => error.message,
  );
}
