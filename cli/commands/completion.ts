/** `completion`: the scripts by which shells complete command lines, and the hidden command that those ask. */
import { Argument, type Command } from "commander";
import type { Shell } from "../actions/completion-script.ts";
import type { Session } from "../context.ts";
import { examples } from "../help.ts";

export function addCompletionCommands(program: Command, session: Session): void {
  program
    .command("completion")
    .description("print the script by which a shell completes commands, options, players, groups and more")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      `
To install it, add one line to the file that your shell reads at its start:
  ~/.bashrc                   eval "$(addon-cli completion bash)"
  ~/.zshrc, behind compinit   eval "$(addon-cli completion zsh)"
  ~/.config/fish/config.fish  addon-cli completion fish | source
${examples("completion bash > ~/.local/share/bash-completion/completions/addon-cli")}`,
    )
    .action(async (shell: Shell) => {
      const { printScript } = await import("../actions/completion-script.ts");
      await printScript(session, shell);
    });
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "the command line as far as it has been typed, without addon-cli")
    .action(async (words: readonly string[]) => {
      const { complete } = await import("../actions/complete.ts");
      await complete(session, program, words);
    });
}
