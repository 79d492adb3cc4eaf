/**
 * Instants as a person types them. Reading one takes the engine's types, which commands do not load before they are
 * carried out: so they let commander keep the text, and read it here.
 */
import { type Command, InvalidArgumentError } from "commander";
import * as v from "valibot";
import { toSchema } from "../../src/table/parameters.ts";

/** The instants that parameters take as well (contract, section 3). */
const schema = toSchema({ base: "instant", name: "instant", description: undefined }, () => ({
  group: [],
  faction: [],
  service: [],
}));

/** An instant in milliseconds since 1970; undefined where the text is none. */
export function toInstant(text: string): number | undefined {
  const instant = v.safeParse(schema, text);
  return instant.success ? Number(instant.output) : undefined;
}

/**
 * The value of an option whose text commander has kept; undefined where it was left out.
 * @param parse throws InvalidArgumentError where it can not be read; then the command is refused as by commander itself
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
