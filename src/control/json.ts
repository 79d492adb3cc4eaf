/** Parses the input of an operation from JSON, within a bound. The operation's schema checks it. */
import { Failure } from "../domain/errors.ts";

/**
 * The most values. A million nested or empty arrays, 2 MB, take a second to parse, while nobody is served; a long text, such
 * as a route table, is one value.
 */
const maxValues = 100_000;

/** Returns the object in a JSON text. @throws Failure `PARAMETER_INVALID` */
export function parseJSON(json: string): object {
  if (hasTooManyValues(json)) throw refused(`Expected at most ${maxValues} values.`);
  const input = parsed(json);
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw refused("Expected an object as JSON.");
}

function refused(why: string): Failure {
  return new Failure("PARAMETER_INVALID", `The service does not accept this input. ${why}`, {
    hint: "If the service and the command have different versions, restart the service with this version.",
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Returns whether a JSON text has too many arrays, objects and members, without parsing it. */
function hasTooManyValues(json: string): boolean {
  let count = 0;
  let isInText = false;
  for (let index = 0; index < json.length && count <= maxValues; index += 1) {
    const character = json[index];
    if (character === '"') isInText = !isInText;
    else if (isInText) index += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{" || character === ",") count += 1;
  }
  return count > maxValues;
}
