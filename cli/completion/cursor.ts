/** The cursor in a command line: the command, and the option or argument whose value is being typed. */
import type { Argument, Command, Option } from "commander";

export type Cursor = Readonly<ReturnType<typeof cursorAt>>;

/** Returns the cursor of a command line. @param words the last one is being typed */
export function cursorAt(program: Command, words: readonly string[]) {
  let command = program;
  /** The arguments before the cursor. */
  let operands: string[] = [];
  /** The values of the options on the line, by their names in Commander; of repeated options the last one. */
  const options = new Map<string, string>();
  /** The option whose value is being typed; in the result also an argument. */
  let awaited: Option | undefined;
  let onlyOperands = false;
  for (const word of words.slice(0, -1)) {
    if (awaited !== undefined) {
      options.set(awaited.attributeName(), word);
      awaited = undefined;
    } else if (!onlyOperands && word === "--") {
      onlyOperands = true;
    } else if (!onlyOperands && isOption(word)) {
      const { option, value } = optionIn(program, command, word);
      if (option === undefined || !takesValue(option)) continue;
      if (value === undefined) awaited = option;
      else options.set(option.attributeName(), value);
    } else {
      const inner = operands.length === 0 ? subcommandOf(command, word) : undefined;
      if (inner === undefined) operands = [...operands, word];
      else command = inner;
    }
  }

  const word = words.at(-1) ?? "";
  const takesNothing = { awaited: undefined, takesOption: false, takesCommand: false };
  // Of the word, what is typed of its value; and whether an option, or a subcommand, is possible as well.
  const line = { program, command, operands, options, typed: word, ...takesNothing };
  if (awaited !== undefined) return { ...line, awaited };
  if (!onlyOperands && isOption(word)) {
    const { option, value } = optionIn(program, command, word);
    return value === undefined ? { ...line, takesOption: true } : { ...line, typed: value, awaited: option };
  }
  const { length } = operands;
  return { ...line, awaited: argumentAt(command, length), takesCommand: length === 0 };
}

/** Returns the subcommands that a command's help lists. */
export function subcommandsOf(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

/** Returns the subcommand of a name, if the help lists it. */
export function subcommandOf(command: Command, name: string): Command | undefined {
  return subcommandsOf(command).find((subcommand) => subcommand.name() === name);
}

/** Returns the options that a command's help lists, and the global ones. */
export function optionsOf(program: Command, command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  if (command === program) return own;
  const isGlobal = (option: Option) => !option.hidden && option.attributeName() !== "version";
  return [...own, ...program.options.filter(isGlobal)];
}

function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** Returns the option that a word names, and the value after its `=`. */
function optionIn(program: Command, command: Command, word: string) {
  const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  return {
    option: optionsOf(program, command).find(({ long, short }) => flag === long || flag === short),
    value,
  };
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}
