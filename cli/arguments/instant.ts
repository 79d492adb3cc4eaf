/**
 * Instants on the command line. Parsing one requires the types of the route table, which are not loaded for help: so
 * Commander stores the text, and the action parses it with {@link readOption}.
 */
import { type Command, InvalidArgumentError } from "commander";
import * as v from "valibot";
import { instantSchema } from "../../src/table/base-types.ts";
import type { Context } from "../context.ts";
import { instantWords } from "./numbers.ts";

const millisecondsOf: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Whether a duration counts back from now, or ahead. */
export type Direction = "ago" | "ahead";

/**
 * Parses what {@link instantWords} says, into milliseconds since 1970. A time without a zone is in that of this machine.
 * @param output is told of the zone
 * @throws InvalidArgumentError for any other text, and for a time that the calendar or the clock does not have
 */
export function parseInstant(
  text: string,
  direction: Direction,
  output: Pick<Context["output"], "remark">,
): number {
  const [, number, unit = ""] = /^([1-9]\d{0,5})([mhdw])(?: ago)?$/.exec(text) ?? [];
  const milliseconds = millisecondsOf[unit];
  if (milliseconds !== undefined)
    return Date.now() + Number(number) * milliseconds * (direction === "ago" ? -1 : 1);
  // For people, also with a space between the date and the time.
  const written = text.replace(" ", "T");
  const zoned = v.safeParse(instantSchema, written);
  if (zoned.success) return Number(zoned.output);
  const instant = localInstant(written);
  if (instant === undefined) throw new InvalidArgumentError(`Expected ${instantWords}.`);
  // Node knows no name for a TZ that it does not know, which then means UTC.
  const { timeZone = "UTC" } = Intl.DateTimeFormat().resolvedOptions();
  output.remark(`Without a zone, "${text}" is a time in ${timeZone}: ${new Date(instant).toISOString()}.`);
  return instant;
}

/** Parses a time without a zone, or a date, which is its first moment. @throws InvalidArgumentError if there is no such time */
function localInstant(text: string): number | undefined {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::\d{2}(?:\.\d{1,9})?)?)?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const local = new Date(time === undefined ? `${text}T00:00` : text);
  const padded = (number: number) => String(number).padStart(2, "0");
  const found = `${local.getFullYear()}-${padded(local.getMonth() + 1)}-${padded(local.getDate())}`;
  if (found !== day) throw new InvalidArgumentError("There is no such day or time.");
  // In some zones the clock skips the first hour of a day.
  if (time === undefined || time === `${padded(local.getHours())}:${padded(local.getMinutes())}`)
    return local.getTime();
  throw new InvalidArgumentError(
    "The clock of this machine's zone skips that time: give it with a zone, such as Z.",
  );
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
