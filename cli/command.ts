/** The commands of Commander, with what ours have in common. */
import { Command } from "commander";
import { nearest } from "../src/domain/text.ts";
import type { Context } from "./context.ts";

/** The commands that remove something or grant access. */
const unsuggested = new WeakSet<Command>();

export class CLICommand extends Command {
  readonly context: Context;

  constructor(context: Context, name?: string) {
    super(name);
    this.context = context;
    this.on("command:*", ([typed = ""]: readonly string[]) => this.refuseUnknown(typed));
  }

  override createCommand(name?: string): CLICommand {
    return new CLICommand(this.context, name);
  }

  /** Adds a text to the end of the help. */
  details(text: string): this {
    return this.addHelpText("after", text);
  }

  /** Adds examples to the end of the help, one line each. @param lines what is typed after `addon-cli` */
  examples(...lines: readonly string[]): this {
    const heading = lines.length === 1 ? "Example:" : "Examples:";
    return this.details(`\n${heading}\n${lines.map((line) => `  $ addon-cli ${line}`).join("\n")}`);
  }

  /** Runs a function of `actions/`, which is loaded only then: no command loads the code of others. */
  loads<A extends unknown[]>(load: () => Promise<(context: Context, ...args: A) => unknown>): this {
    return this.action(async (...args) => {
      const action = await load();
      await action(this.context, ...(args as unknown as A));
    });
  }

  /** Returns the subcommand of a name. Ends the command if there is none. */
  subcommand(name: string): CLICommand {
    const found = this.commands.find((subcommand) => subcommand.name() === name);
    return found instanceof CLICommand ? found : this.refuseUnknown(name);
  }

  /** Ends the command for an unknown subcommand, and names the nearest known one, unless that one could do harm. */
  refuseUnknown(typed: string): never {
    const suggested = this.createHelp()
      .visibleCommands(this)
      .filter((subcommand) => !unsuggested.has(subcommand));
    const meant = nearest(
      typed,
      suggested.map((subcommand) => subcommand.name()),
    );
    const list = suggested.length === 0 ? "" : `; \`${nameOf(this)} --help\` lists the commands`;
    const hint = meant === undefined ? list : `\n(Did you mean ${meant}?)`;
    return this.error(`error: unknown command '${typed}'${hint}`, { code: "commander.unknownCommand" });
  }
}

/**
 * Marks a command that removes something or grants access, and returns it. A typo of `player rename` must not lead to
 * `player remove`.
 */
export function neverSuggested(command: CLICommand): CLICommand {
  unsuggested.add(command);
  return command;
}

/** Returns the name of a command as it is typed: `addon-cli player`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
