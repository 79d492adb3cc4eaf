/** Types command lines into real shells, each on a terminal of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
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

/**
 * Types lines into a shell and ends it. Its `addon-cli` completes as the real one, and otherwise only records its calls.
 * @param main the built executable
 * @param folder for files that are needed meanwhile
 * @returns the calls of addon-cli, with a space after each word, and the screen
 */
export async function typeInto(
  shell: Shell,
  main: string,
  folder: string,
  lines: readonly string[],
  cwd: string,
): Promise<{ calls: string[]; screen: string }> {
  const called = join(folder, "called.txt");
  await writeFile(called, "");
  const program = `#!/bin/sh
case $1 in complete|completion) exec "${process.execPath}" "${main}" "$@" ;; esac
for word in "$@"; do printf '%s ' "$word"; done >> "${called}"
echo >> "${called}"
`;
  await writeFile(join(folder, "addon-cli"), program, { mode: 0o755 });
  const terminal = spawn("script", ["-qec", await startOf(shell, folder), "/dev/null"], {
    cwd,
    env: {
      ...environment,
      ZDOTDIR: folder,
      PATH: `${folder}:${environment.PATH}`,
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
    if (!hadStarted && screen.includes(prompt))
      terminal.stdin.write([...lines, "exit"].map((line) => `${line}\n`).join(""));
  }
  await closed;
  return { calls: (await readFile(called, "utf8")).split("\n").slice(0, -1), screen };
}

/** Writes what a shell runs first. Returns the command that starts it. */
async function startOf({ name, start = "" }: Shell, folder: string): Promise<string> {
  const install =
    name === "fish" ? "addon-cli completion fish | source" : `eval "$(addon-cli completion ${name})"`;
  const setPrompt = name === "fish" ? `function fish_prompt; echo -n '${prompt}'; end` : `PS1='${prompt}'`;
  const file = join(folder, name === "zsh" ? ".zshrc" : `start.${name}`);
  // Twice, as after an edit of the file.
  await writeFile(file, [start, install, install, setPrompt, ""].join("\n"));
  const commands = {
    bash: `bash --noprofile --rcfile '${file}' -i`,
    zsh: "zsh -d -i",
    fish: `fish --no-config -i -C "source '${file}'"`,
  };
  return commands[name];
}
