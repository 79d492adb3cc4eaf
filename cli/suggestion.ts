/** Answers an unknown command with the nearest known one, unless that one could do harm. */
import type { Command } from "commander";

const unsuggested = new WeakSet<Command>();

/**
 * Marks a command that removes something or grants access, and returns it. A typo of `player rename` must not lead to
 * `player remove`.
 */
export function neverSuggested(command: Command): Command {
  unsuggested.add(command);
  return command;
}

/** An unknown subcommand, which {@link rejectUnknown} reports. */
export class UnknownCommand extends Error {
  readonly command: Command;
  readonly typed: string;

  constructor(command: Command, typed: string) {
    super(`unknown command '${typed}'`);
    this.command = command;
    this.typed = typed;
  }
}

/** Makes a command throw on an unknown subcommand, instead of Commander's own answer. */
export function interceptUnknown(command: Command): void {
  command.on("command:*", ([typed = ""]: readonly string[]) => {
    throw new UnknownCommand(command, typed);
  });
}

/** Reports an {@link UnknownCommand} as wrong usage, and rethrows anything else. */
export async function rejectUnknown(error: unknown): Promise<never> {
  if (!(error instanceof UnknownCommand)) throw error;
  const { command, typed, message } = error;
  // Loaded late, since most command lines need no suggestion.
  const { nearest } = await import("../src/domain/text.ts");
  const suggested = command
    .createHelp()
    .visibleCommands(command)
    .filter((subcommand) => !unsuggested.has(subcommand));
  const meant = nearest(
    typed,
    suggested.map((subcommand) => subcommand.name()),
  );
  const list = suggested.length === 0 ? "" : `; \`${nameOf(command)} --help\` lists the commands`;
  const hint = meant === undefined ? list : `\n(Did you mean ${meant}?)`;
  return command.error(`error: ${message}${hint}`, { code: "commander.unknownCommand" });
}

/** Returns the name of a command as it is typed: `addon-cli player`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
