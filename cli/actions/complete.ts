/**
 * Implements the hidden command `complete`: it answers the completion scripts in Cobra's protocol, which `@bomb.sh/tab`
 * has adopted. Each line of the answer is a value, a tab and a description; the last is a colon and a number of
 * directives for the shell.
 */
import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { type Cursor, cursorAt, optionsOf } from "../completion/cursor.ts";
import { type Completions, commandValues, nothing, valuesFor } from "../completion/values.ts";
import type { Context } from "../context.ts";
import { type GlobalOptions, Workspace } from "../data/workspace.ts";
import type { IO } from "../terminal/io.ts";

/** The directives; an answer has their sum. */
const directives = { addNoSpace: 2, completeNoFiles: 4, completeDirectories: 16 };

/** The longest time that a prompt waits for an answer, in milliseconds. */
const deadline = 3_000;

/** Prints the completions of the last word, or none if that fails or takes too long. */
export async function complete({ io }: Context, program: Command, words: readonly string[]): Promise<void> {
  const cursor = cursorAt(program, words.map(unquote));
  const late = sleep(deadline, nothing, { ref: false });
  const found = await Promise.race([completionsFor(cursor, io).catch(() => nothing), late]);
  io.stdout.write(answer(found, cursor.typed));
  // A late operation may still be under way.
  io.leaveSoon();
}

async function completionsFor(cursor: Cursor, io: IO): Promise<Completions> {
  const { program, command, awaited, takesOption, takesCommand } = cursor;
  if (takesOption) {
    const options = optionsOf(program, command).filter(({ long }) => long !== undefined);
    return { values: options.map(({ long = "", description }) => ({ value: long, description })) };
  }
  const commands = takesCommand ? commandValues(command) : nothing;
  if (awaited === undefined) return commands;
  const typed = Object.fromEntries(cursor.options);
  const options: GlobalOptions = { ...program.opts<GlobalOptions>(), ...typed };
  const workspace = new Workspace(io, {
    ...options,
    data: atHome(options.data),
    routes: atHome(options.routes),
  });
  const found = await valuesFor(awaited, cursor, { workspace, signal: AbortSignal.timeout(deadline) });
  return { ...found, values: [...commands.values, ...found.values] };
}

function answer({ values, areBeginnings = false, paths }: Completions, typed: string): string {
  const offered = values.filter(({ value }) => begins(value, typed) && isPlain(value));
  // A single prefix is inserted at once; with a description, the package's script for fish would add a space after it.
  const isDescribed = !(areBeginnings && offered.length === 1);
  const lines = offered.map(({ value, description = "" }) => {
    return `${value}\t${isDescribed ? description.replace(/[\s\p{Cc}]+/gu, " ") : ""}`.trimEnd();
  });
  const files = paths === undefined ? directives.completeNoFiles : 0;
  const directories = paths === "directories" ? directives.completeDirectories : 0;
  const directive = files + directories + (areBeginnings ? directives.addNoSpace : 0);
  return [...lines, `:${directive}\n`].join("\n");
}

/** Ignores case, as names do. A value that begins with a dash would be taken for an option. */
function begins(value: string, typed: string): boolean {
  if (value.startsWith("-") && !typed.startsWith("-")) return false;
  return value.toLowerCase().startsWith(typed.toLowerCase());
}

/** Returns whether no character is special to a shell: names can contain a quote, a backtick or a semicolon. */
function isPlain(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}_.,@+/=-]+$/u.test(text);
}

/** Removes the quotes of a word: shells pass words as they were typed. */
function unquote(word: string): string {
  return word.replace(/\\(.)|["']/gsu, "$1");
}

/** Expands `~` in a path, which the shell has not done yet. */
function atHome(path: string): string {
  return path.replace(/^~(?=\/|$)/, homedir());
}
