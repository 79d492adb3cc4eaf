/** Finds misspelled settings in the environment, which would be ignored without a word. */
import { nearest } from "../../src/domain/text.ts";

/** The variables that are settings. */
const variables = [
  "ADDON_CONFIRM_LOSS",
  "ADDON_DATA",
  "ADDON_HOST",
  "ADDON_LIMITS",
  "ADDON_LOG_ADDRESS",
  "ADDON_LOG_LEVEL",
  "ADDON_LOG_REQUESTS",
  "ADDON_METRICS",
  "ADDON_PORT",
  "ADDON_ROUTES",
  "ADDON_TRUSTED_PROXIES",
];

const prefix = "ADDON_";
/** Without the prefix, which would make all of them alike. */
const names = variables.map((variable) => variable.slice(prefix.length));

/**
 * Returns a sentence for each variable that is nearly a setting, without its value, which may be a secret. Other programs
 * may use the same prefix: a client reads its token from a variable of this kind.
 */
export function misspelledSettings(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith(prefix) && !variables.includes(name));
  return unknown.flatMap((name) => {
    const meant = nearest(name.slice(prefix.length), names);
    return meant === undefined
      ? []
      : [`${name} is not a setting, and is ignored. Did you mean ${prefix}${meant}?`];
  });
}
