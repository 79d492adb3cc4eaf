/** `help`: prints the help of any command, including subcommands, which Commander's own `help` does not find. */
import type { Command } from "commander";
import { examples } from "../help.ts";
import { refuseUnknown } from "../suggestion.ts";

export function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command("help")
    .description("print the help of a command")
    .argument("[command...]", "the command, such as token issue")
    .addHelpText("after", examples("help token issue"))
    .action(async (words: readonly string[]) => {
      let command = program;
      for (const word of words) command = commandIn(command, word);
      command.outputHelp();
    });
}

function commandIn(parent: Command, word: string): Command {
  const found = parent.commands.find((subcommand) => subcommand.name() === word);
  return found ?? refuseUnknown(parent, word);
}
