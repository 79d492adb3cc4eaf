/** What an unknown command is answered with: the command that was most likely meant, unless that could do harm. */
import type { Command } from "commander";

const unsuggested = new WeakSet<Command>();

/**
 * Marks a command that takes something away or gives access to somebody, and returns it. Whoever types `player rename`
 * must not be led to `player remove`.
 */
export function neverSuggested(command: Command): Command {
  unsuggested.add(command);
  return command;
}

/** A subcommand that a command does not have. */
class UnknownCommand extends Error {
  readonly command: Command;
  readonly typed: string;

  constructor(command: Command, typed: string) {
    super(`unknown command '${typed}'`);
    this.command = command;
    this.typed = typed;
  }
}

/** Has an unknown subcommand of a command thrown, for {@link answerUnknown}, instead of Commander's own answer. */
export function catchUnknown(command: Command): void {
  command.on("command:*", ([typed = ""]: readonly string[]) => {
    throw new UnknownCommand(command, typed);
  });
}

/** Answers what {@link catchUnknown} threw as wrong usage, and throws everything else again. */
export async function answerUnknown(error: unknown): Promise<never> {
  if (!(error instanceof UnknownCommand)) throw error;
  const { command, typed, message } = error;
  // Only now, since most command lines need no suggestion.
  const { nearest } = await import("../src/domain/text.ts");
  const harmless = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => !unsuggested.has(each));
  const meant = nearest(
    typed,
    harmless.map((each) => each.name()),
  );
  const hint =
    meant === undefined ? `; \`${nameOf(command)} --help\` lists the commands` : `\n(Did you mean ${meant}?)`;
  return command.error(`error: ${message}${hint}`, { code: "commander.unknownCommand" });
}

/** As it is typed: `addon-cli player`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
