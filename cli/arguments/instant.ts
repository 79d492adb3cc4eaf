/**
 * Instants on the command line. Parsing one requires the types of the route table, which are not loaded for help: so
 * Commander stores the text, and the action parses it with {@link readOption}.
 */
import { type Command, InvalidArgumentError } from "commander";
import * as v from "valibot";
import { toSchema } from "../../src/table/parameters.ts";

/** The format of instants in parameters (contract, section 3). */
const schema = toSchema({ base: "instant", name: "instant", description: undefined }, () => ({
  group: [],
  faction: [],
  service: [],
}));

/** Parses an instant into milliseconds since 1970; returns undefined for any other text. */
export function toInstant(text: string): number | undefined {
  const instant = v.safeParse(schema, text);
  return instant.success ? Number(instant.output) : undefined;
}

/**
 * Parses the value of an option that Commander has stored as text; returns undefined if it is missing.
 * @param parse throws InvalidArgumentError, which ends the command as Commander itself would
 */
export function readOption<T>(command: Command, name: string, parse: (text: string) => T): T | undefined {
  const text: string | undefined = command.getOptionValue(name);
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const { code, exitCode, message } = error;
    const flags = command.options.find((each) => each.attributeName() === name)?.flags;
    return command.error(`error: option '${flags}' argument '${text}' is invalid. ${message}`, {
      code,
      exitCode,
    });
  }
}
