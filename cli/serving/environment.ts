/** The settings of `serve` from the environment. Commander's own `env` reads `process.env`, and takes an empty variable for a value. */
import { type Command, InvalidArgumentError } from "commander";
import { nearest } from "../../src/domain/text.ts";
import type { IO } from "../terminal/io.ts";

/** The variables, by the names of their options in Commander. */
const variables: Readonly<Record<string, string>> = {
  host: "ADDON_HOST",
  port: "ADDON_PORT",
  limits: "ADDON_LIMITS",
  metrics: "ADDON_METRICS",
  logRequests: "ADDON_LOG_REQUESTS",
  logLevel: "ADDON_LOG_LEVEL",
  logAddress: "ADDON_LOG_ADDRESS",
  confirmLoss: "ADDON_CONFIRM_LOSS",
  trustedProxy: "ADDON_TRUSTED_PROXIES",
};

/** Sets the options without a flag by their variables, with the checks of the flags. Ends the command for another value. */
export function applyEnvironment(command: Command, env: IO["env"]): void {
  for (const [name, variable] of Object.entries(variables)) {
    const text = env[variable];
    if (!text || command.getOptionValueSource(name) === "cli") continue;
    const option = command.options.find((option) => option.attributeName() === name);
    const parse: (text: string, previous: unknown) => unknown = option?.parseArg ?? parseSwitch;
    try {
      command.setOptionValueWithSource(name, parse(text, undefined), "env");
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      command.error(`error: ${variable} is "${text}". ${error.message}`, { code: "usage", exitCode: 2 });
    }
  }
}

/** Parses a variable that is on or off. Any other value would turn on what `disabled`, for example, should not. */
function parseSwitch(text: string): boolean {
  const value = text.toLowerCase();
  if (["1", "on", "true", "yes"].includes(value)) return true;
  if (["0", "off", "false", "no"].includes(value)) return false;
  throw new InvalidArgumentError("Expected 1 or 0, or on or off.");
}

const prefix = "ADDON_";
const settings = [...Object.values(variables), "ADDON_DATA", "ADDON_ROUTES", "ADDON_JOURNAL"];
/** Without the prefix, which would make all of them alike. */
const names = settings.map((variable) => variable.slice(prefix.length));

/**
 * Returns a sentence for each variable that is nearly a setting, without its value, which may be a secret. Other programs
 * may use the same prefix: a client reads its token from a variable of this kind.
 */
export function misspelledSettings(env: IO["env"]): readonly string[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith(prefix) && !settings.includes(name));
  return unknown.flatMap((name) => {
    const meant = nearest(name.slice(prefix.length), names);
    return meant === undefined
      ? []
      : [`${name} is not a setting, and is ignored. Did you mean ${prefix}${meant}?`];
  });
}
