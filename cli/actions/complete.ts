/**
 * What the hidden command `complete` does: it answers the completion scripts, in Cobra's protocol, which
 * `@bomb.sh/tab` took over. Each line of the answer is a value, a tab and a description; the last is a colon and a
 * number, which tells what the shell is to do with them.
 */
import { homedir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { optionsOf, type Situation, situationOf } from "../completion/cursor.ts";
import { type Completions, commandValues, nothing, valuesFor } from "../completion/values.ts";
import type { Session } from "../context.ts";
import { type GlobalOptions, Workplace } from "../data/workspace.ts";
import type { IO } from "../terminal/io.ts";

/** What the shell is to do: the sum of these. */
const directives = { addNoSpace: 2, completeNoFiles: 4, completeDirectories: 16 };

/** How long a prompt waits for an answer, in milliseconds. */
const deadline = 3_000;

/** Prints what the last word can become. Prints nothing to choose from where that fails, or takes too long. */
export async function complete({ io }: Session, program: Command, words: readonly string[]): Promise<void> {
  const situation = situationOf(program, words.map(unquote));
  const late = sleep(deadline, nothing, { ref: false });
  const found = await Promise.race([completionsFor(situation, io).catch(() => nothing), late]);
  io.stdout.write(answer(found, situation.typed));
  // What took too long is still under way.
  io.leaveSoon();
}

async function completionsFor(situation: Situation, io: IO): Promise<Completions> {
  const { program, command, awaited, takesOption, takesCommand } = situation;
  if (takesOption) {
    const options = optionsOf(program, command).filter(({ long }) => long !== undefined);
    return { values: options.map(({ long = "", description }) => ({ value: long, description })) };
  }
  const commands = takesCommand ? commandValues(command) : nothing;
  if (awaited === undefined) return commands;
  const typed = Object.fromEntries(situation.options);
  const options: GlobalOptions = { ...program.opts<GlobalOptions>(), ...typed };
  const workplace = new Workplace(io, { ...options, data: atHome(options.data) });
  const found = await valuesFor(awaited, situation, { workplace, signal: AbortSignal.timeout(deadline) });
  return { ...found, values: [...commands.values, ...found.values] };
}

function answer({ values, areBeginnings = false, paths }: Completions, typed: string): string {
  const offered = values.filter(({ value }) => begins(value, typed) && isPlain(value));
  // A single beginning is inserted at once; described, the package's script for fish adds a space behind it.
  const isDescribed = !(areBeginnings && offered.length === 1);
  const lines = offered.map(({ value, description = "" }) => {
    return `${value}\t${isDescribed ? description.replace(/[\s\p{Cc}]+/gu, " ") : ""}`.trimEnd();
  });
  const files = paths === undefined ? directives.completeNoFiles : 0;
  const directories = paths === "directories" ? directives.completeDirectories : 0;
  const directive = files + directories + (areBeginnings ? directives.addNoSpace : 0);
  return [...lines, `:${directive}\n`].join("\n");
}

/** Names that differ only in case are the same name. One that begins like an option would be taken for one. */
function begins(value: string, typed: string): boolean {
  if (value.startsWith("-") && !typed.startsWith("-")) return false;
  return value.toLowerCase().startsWith(typed.toLowerCase());
}

/** Whether no shell takes a character of the text for its own: names can have a quote, a backtick or a semicolon. */
function isPlain(text: string): boolean {
  return /^[\p{L}\p{M}\p{N}_.,@+/=-]+$/u.test(text);
}

/** A word without its quotes: shells give words as they were typed. */
function unquote(word: string): string {
  return word.replace(/\\(.)|["']/gsu, "$1");
}

/** A path in which the shell has not yet replaced the sign of the home folder. */
function atHome(path: string): string {
  return path.replace(/^~(?=\/|$)/, homedir());
}
