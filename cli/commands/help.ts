/** `help`: prints the help of any command, including subcommands, which Commander's own `help` does not find. */
import type { CLICommand } from "../command.ts";

export function addHelpCommand(program: CLICommand): void {
  program
    .helpCommand(false)
    .command("help")
    .description("print the help of a command")
    .argument("[command...]", "the command, such as token issue")
    .examples("help token issue")
    .action(async (words: readonly string[]) => {
      words.reduce((command, word) => command.subcommand(word), program).outputHelp();
    });
}
