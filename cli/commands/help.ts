/** `help`: prints the help of any command, including subcommands, which Commander's own `help` does not find. */
import type { Command } from "commander";
import { examples } from "../help.ts";

export function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command("help")
    .description("print the help of a command")
    .argument("[command...]", "the command, such as token issue")
    .addHelpText("after", examples("help token issue"))
    .action(async (words: readonly string[]) => {
      let command = program;
      for (const word of words) command = await commandIn(command, word);
      command.outputHelp();
    });
}

async function commandIn(parent: Command, word: string): Promise<Command> {
  const found = parent.commands.find(
    (subcommand) => subcommand.name() === word || subcommand.aliases().includes(word),
  );
  if (found !== undefined) return found;
  const { didYouMean } = await import("../../src/domain/text.ts");
  const suggestion = didYouMean(
    word,
    parent.commands.map((subcommand) => subcommand.name()),
  );
  const within = parent.parent === null ? "" : ` of '${parent.name()}'`;
  return parent.error(`error: unknown command '${word}'${within}.${suggestion}`, {
    code: "commander.unknownCommand",
    exitCode: 2,
  });
}
