/** `completion`: prints the completion scripts of shells, and answers them through the hidden command `complete`. */
import { Argument } from "commander";
import type { CLICommand } from "../command.ts";

export function addCompletionCommands(program: CLICommand): void {
  program
    .command("completion")
    .description("print the script with which a shell completes commands, options, players, groups and more")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .details(`
To install it, add one line to the startup file of your shell:
  ~/.bashrc                   eval "$(addon-cli completion bash)"
  ~/.zshrc, after compinit    eval "$(addon-cli completion zsh)"
  ~/.config/fish/config.fish  addon-cli completion fish | source`)
    .examples("completion bash > ~/.local/share/bash-completion/completions/addon-cli")
    .loads(async () => (await import("../actions/completion-script.ts")).printScript);
  program
    .command("complete", { hidden: true })
    .argument("[words...]", "the words typed so far, without addon-cli")
    .action(async (words: readonly string[]) => {
      const { complete } = await import("../actions/complete.ts");
      await complete(program.context, program, words);
    });
}
