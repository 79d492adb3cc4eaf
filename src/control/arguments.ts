/** The arguments of the methods on the control socket, as JSON: how they are parsed, and their bounds. */
import * as v from "valibot";
import { Failure } from "../domain/errors.ts";
import { mostBytes } from "../table-in-force/route-table.ts";
import type { ControlMethod } from "./control.ts";

/**
 * The most values. A million nested or empty arrays, 2 MB, take a second to parse, while nobody is served; a long text, such
 * as a route table, is one value.
 */
const maxValues = 100_000;

const text = v.string();
const pairs = v.array(v.strictTuple([text, text]));
const table = v.optional(v.strictObject({ file: text, text: v.pipe(text, v.maxLength(mostBytes)) }));
const sequence = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const restore = v.strictObject({
  source: v.variant("kind", [
    v.strictObject({ kind: v.picklist(["backup", "export"]), file: text }),
    v.strictObject({ kind: v.literal("moment"), sequence }),
  ]),
  tokens: v.boolean(),
});

/** The arguments of each method. */
export const argumentsOf = {
  // The operation parses its input.
  administer: v.strictTuple([text, v.unknown()]),
  call: v.strictTuple([text, pairs, v.optional(text)]),
  vocabulary: v.strictTuple([]),
  snapshot: v.strictTuple([]),
  previewRestore: v.strictTuple([restore]),
  restoreRecords: v.strictTuple([restore, text]),
  undo: v.strictTuple([sequence, v.optional(v.strictObject({ exceptChanged: v.optional(v.boolean()) }))]),
  reloadRoutes: v.strictTuple([v.optional(text), v.optional(v.picklist(["reload", "rollback"]))]),
  routesStatus: v.strictTuple([]),
  diffRoutes: v.strictTuple([table, table]),
  canI: v.strictTuple([
    text,
    text,
    pairs,
    table,
    v.optional(v.strictObject({ readOnly: v.optional(v.boolean()) })),
  ]),
  whoCan: v.strictTuple([text, pairs, table]),
  readiness: v.strictTuple([]),
  holder: v.strictTuple([]),
} satisfies Record<ControlMethod, v.GenericSchema>;

export const controlMethods = v.keyof(v.object(argumentsOf)).options;

/** Parses the arguments of a method. @throws Failure `PARAMETER_INVALID` */
export function parseArguments(method: ControlMethod, json: string): unknown[] {
  if (hasTooManyValues(json)) throw refused(method, `Expected at most ${maxValues} values.`);
  const parsed = v.safeParse(v.array(v.unknown()), jsonOf(json));
  if (!parsed.success) throw refused(method, "Expected an array as JSON.");
  // JSON has no undefined: a missing argument arrives as null.
  const given = parsed.output.map((argument) => argument ?? undefined);
  const { success, issues, output } = v.safeParse(argumentsOf[method], given, { abortEarly: true });
  if (success) return [...output];
  const [issue] = issues;
  const path = v.getDotPath(issue);
  throw refused(method, `${issue.message}${path === null ? "" : ` at ${path}`}.`);
}

function refused(method: string, why: string): Failure {
  return new Failure("PARAMETER_INVALID", `The service does not accept the arguments of ${method}. ${why}`, {
    hint: "If the service and the command have different versions, restart the service with this version.",
  });
}

function jsonOf(text: string): unknown {
  try {
    return text === "" ? [] : JSON.parse(text);
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
