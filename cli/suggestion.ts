/** Answers an unknown command with the nearest known one, unless that one could do harm. */
import type { Command } from "commander";
import { nearest } from "../src/domain/text.ts";

const unsuggested = new WeakSet<Command>();

/**
 * Marks a command that removes something or grants access, and returns it. A typo of `player rename` must not lead to
 * `player remove`.
 */
export function neverSuggested(command: Command): Command {
  unsuggested.add(command);
  return command;
}

/** Ends the command for an unknown subcommand. */
export function refuseUnknown(command: Command, typed: string): never {
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
  return command.error(`error: unknown command '${typed}'${hint}`, { code: "commander.unknownCommand" });
}

/** Returns the name of a command as it is typed: `addon-cli player`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
