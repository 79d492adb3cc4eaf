/**
 * The command line: global options, exit codes, and the commands. `commands/` declares them;
 * `actions/` implements them, and is loaded only for the command that runs.
 */
import { type Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { Failure } from "../src/domain/errors.ts";
import { version } from "../src/packaged.ts";
import { journalFault, parseJournal } from "./arguments/address.ts";
import { CLICommand } from "./command.ts";
import { addAccessCommands } from "./commands/access.ts";
import { addAuditCommands, addUndoCommand } from "./commands/audit.ts";
import { addCallCommand } from "./commands/call.ts";
import { addCompletionCommands } from "./commands/completion.ts";
import { addDataCommands, addJournalCommands } from "./commands/data.ts";
import { addGroupCommands } from "./commands/group.ts";
import { addHealthCommand } from "./commands/health.ts";
import { addHelpCommand } from "./commands/help.ts";
import { addListCommands } from "./commands/list.ts";
import { addMemberCommands, addRosterCommands } from "./commands/member.ts";
import { addPlayerCommands } from "./commands/player.ts";
import { addRoutesCommands } from "./commands/routes.ts";
import { addSeedCommands } from "./commands/seed.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addTokenCommands } from "./commands/token.ts";
import type { Context } from "./context.ts";
import { defaultRoutes, type GlobalOptions, Workspace } from "./data/workspace.ts";
import { Interrupted, type IO } from "./terminal/io.ts";
import { Output } from "./terminal/output.ts";

/** 0: done, or already so, 1: failed, 2: wrong usage, 130: interrupted at a question. */
export type ExitCode = 0 | 1 | 2 | 130;

/**
 * Runs a command line.
 * @param args without the interpreter and the script
 */
export async function run(args: readonly string[], io: IO): Promise<ExitCode> {
  // What follows "--" is a name, not an option.
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  // As a short option it would be found in what begins with it, such as the name -Vik.
  const words = args[0] === "-V" ? ["--version"] : args;
  const wantsJson = () => program.opts<GlobalOptions>().json === true || options.includes("--json");
  const output = new Output(io, wantsJson);
  if (io.stdout.isTTY === true || io.stderr.isTTY === true) await output.prepare();
  let found: Workspace | undefined;
  const workspace = () => {
    if (found !== undefined) return found;
    const given = program.opts<GlobalOptions>();
    const fault = given.journal === undefined ? undefined : journalFault(given.journal);
    if (fault !== undefined) context.misuse(`ADDON_JOURNAL: ${fault}`);
    const typedRoutes = program.getOptionValueSource("routes") === "cli";
    found = new Workspace(io, { ...given, typedRoutes }, (text) => output.remark(text));
    return found;
  };
  /** The command that runs. */
  let running: Command | undefined;
  const context: Context = {
    io,
    output,
    workspace,
    options: () => (running ?? program).optsWithGlobals(),
    misuse: (message) => (running ?? program).error(`error: ${message}`, { code: "usage", exitCode: 2 }),
    async read(name, input) {
      const { read } = await import("./data/control.ts");
      return read(workspace(), output, name, input);
    },
    run: (mode, name, input) => context.withControl(mode, (control) => control.run(name, input)),
    async change(name, input, mode = "edits") {
      const result = await context.run(mode, name, input);
      output.result(result, result.info);
      return result;
    },
    async withControl(mode, work) {
      const { withControl } = await import("./data/control.ts");
      const shows = "`addon-cli audit --limit 1` shows whether something was changed";
      const release = io.onInterrupt(() => output.remark(`\nInterrupted: ${shows}.`));
      return withControl(workspace(), output, mode, work).finally(release);
    },
  };

  const program = new CLICommand(context, "addon-cli")
    .description("Run the game-addon data service and manage its data.")
    .version(version, "--version", "print the version")
    .details(examples)
    // Only the names of commands: with their arguments, no room would be left for what they do.
    .configureHelp({ subcommandTerm: (subcommand) => subcommand.name() })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(io.stdout.isTTY ? output.fitted(unbroken(text), io.stdout) : text),
      // With --json, the document on standard output contains the error.
      writeErr: (text) => (wantsJson() ? undefined : output.remark(text.trimEnd())),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
    });
  for (const option of globalOptions(io, context.misuse)) program.addOption(option);
  for (const add of commands) add(program);

  program.hook("preAction", (_program, command) => {
    running = command;
    const name = command.parent === program ? command.name() : command.parent?.name();
    const isTyped = program.getOptionValueSource("routes") === "cli";
    if (!isTyped || readsTables.has(String(name)) || command.opts().table !== undefined) return undefined;
    const hint = command.options.some(({ long }) => long === "--table")
      ? "Name another table than the one in force with --table."
      : "Leave out --routes: the table in force decides.";
    return import("./data/served-table.ts").then(({ requireServed }) => requireServed(workspace(), hint));
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return 130;
    const misused = running && misusedBy(running, error);
    if (misused !== undefined) {
      await output.failure(misused);
      return 2;
    }
    if (!(error instanceof CommanderError)) {
      await output.failure(error);
      return 1;
    }
    if (error.exitCode === 0) return 0;
    if (wantsJson())
      await output.failure(Object.assign(new Error(usageMessage(error, program)), { code: "USAGE" }));
    return 2;
  }
}

/** Joins the lines of each paragraph of a help text, which are as long as those of this file. */
function unbroken(help: string): string {
  return help.replace(/^(?! )(.{90,})\n(?=[^\s])/gm, "$1 ");
}

/** Returns the failure of a value that was typed for an option or an argument, with the name of that; else undefined. */
function misusedBy({ options, registeredArguments }: Command, error: unknown): Failure | undefined {
  if (!(error instanceof Failure) || !error.code.startsWith("PARAMETER_")) return undefined;
  const { code, message, parameter = "", hint, cause } = error;
  const option = options.find((option) =>
    [option.attributeName(), `${option.attributeName()}s`].includes(parameter),
  );
  const argument = registeredArguments.find((argument) => argument.name().split("-").at(-1) === parameter);
  const name = option?.flags ?? (argument && `<${argument.name()}>`);
  // The parameters of an operation have messages with their names.
  if (name === undefined && !registeredArguments.some((argument) => argument.name() === "name=value"))
    return undefined;
  return new Failure(code, name === undefined ? message : `${name}: ${message}`, { parameter, hint, cause });
}

/** The commands that use another table than that of a service or none, or refuse it themselves. */
const readsTables = new Set(["serve", "health", "routes", "help", "completion", "complete"]);

/** What adds all commands, in the order of the help. */
const commands = [
  addServeCommand,
  addSeedCommands,
  addPlayerCommands,
  addRosterCommands,
  addMemberCommands,
  addTokenCommands,
  addGroupCommands,
  addListCommands,
  addCallCommand,
  addRoutesCommands,
  addAccessCommands,
  addDataCommands,
  addJournalCommands,
  addAuditCommands,
  addUndoCommand,
  addHealthCommand,
  addCompletionCommands,
  addHelpCommand,
];

const examples = `
Examples:
  $ addon-cli serve                                   run the service on http://127.0.0.1:8888
  $ addon-cli player add Ada --member GROVE:4         register a player of rank 4
  $ addon-cli token issue --player Ada                issue her token, and print it
  $ addon-cli call /wantedreason/add reason=Theft points=10
                                                      run any operation as the operator

The data folder, the route table, host and port can also be set by ADDON_DATA, ADDON_ROUTES, ADDON_HOST, ADDON_PORT.

Exit codes: 0 done, or already so; 1 failed; 2 wrong usage; 130 interrupted at a question.`;

function usageMessage({ code, message }: CommanderError, { args }: Command): string {
  const help = ["addon-cli", ...args.slice(0, 1), "--help"].join(" ");
  if (code === "commander.help") return `Expected a command; \`${help}\` lists them.`;
  return message.replace(/^error: /, "").replaceAll("\n", " ");
}

/** Rejects an empty path, such as that of an unset variable in a script: it would mean the working directory. */
function parsePath(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("Expected a path, got an empty text.");
}

function globalOptions({ env }: IO, refuse: (message: string) => never): Option[] {
  return [
    // An empty variable counts as unset.
    new Option("--data <dir>", "the data folder").default(env.ADDON_DATA || "data").argParser(parsePath),
    new Option("--routes <file>", "the route table")
      .default(env.ADDON_ROUTES || defaultRoutes)
      .argParser(parsePath),
    new Option("--journal <url>", "the journal that several machines share, in PostgreSQL")
      .default(env.ADDON_JOURNAL || undefined, "none")
      .argParser((text: string) => parseJournal(text, refuse)),
    new Option("--json", "print one JSON document"),
    new Option("--no-input", "never ask for confirmation"),
  ];
}
