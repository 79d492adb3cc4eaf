/** The parameters of a route: parses what a table declares, and checks it against what the operation requires. */
import * as v from "valibot";
import { toUUID } from "../domain/uuid.ts";
import { bases, type ParameterType } from "./base-types.ts";
import type { Vocabulary } from "./caller.ts";
import type { ParameterDeclaration, ParsedDocument, RouteDeclaration } from "./document.ts";
import type { DerivedParameter, Operation } from "./operation.ts";
import { isNarrowed, type Parameter, parseParameter, refusalWords } from "./parameters.ts";
import { bounded, mismatchOf, refusalOf, requirementOf } from "./requirement.ts";
import type { ParameterValue } from "./restriction/restriction.ts";
import type { Types } from "./types.ts";
import type { Path, Report } from "./yaml/fault.ts";
import { unknownName } from "./yaml/wording.ts";

/** A UUID with dashes is longer than a player's name may be. */
const withoutDashes = v.pipe(
  v.string(),
  v.transform((text) => toUUID(text) ?? text),
);

export function placeholdersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

/** Parses the parameters of a route. Leaves out those that have a fault, which was then reported. */
export function toParameters(
  path: string,
  declaration: RouteDeclaration,
  types: Types,
  vocabulary: () => Vocabulary,
  operation: Operation | undefined,
  { report, textOf }: ParsedDocument,
): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  const placeholders = placeholdersOf(path);
  const declared = declaration.parameters ?? {};
  const inputs = operation?.input.entries ?? {};
  const derived = Object.entries(inputs).flatMap(([name, { type }]): [string, DerivedParameter][] => {
    const form = requirementOf(operation, name)?.derived;
    const isLeftOut = type === "optional" && !placeholders.includes(name);
    return form === undefined || isLeftOut || Object.hasOwn(declared, name) ? [] : [[name, form]];
  });
  for (const name of placeholders) {
    if (!Object.hasOwn(declared, name) && !derived.some(([known]) => known === name))
      report(["routes", path], `the placeholder {${name}} is missing in "parameters"`, "key");
  }
  const forms = [...derived, ...Object.entries(declared)];
  const order = derived.length > 0 ? Object.keys(inputs) : [];
  forms.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  for (const [name, form] of forms) {
    const at = ["routes", path, "parameters", name];
    if (!/^[A-Za-z]\w*$/.test(name)) {
      report(at, `expected a name of letters, digits and "_", the first a letter, got "${name}"`, "key");
      continue;
    }
    const declaredType = toType(form, at, types, report);
    if (declaredType === undefined) continue;
    const required = requirementOf(operation, name) ?? {};
    const roundsDown = declaredType.base === "integer" && required.roundsDown === true;
    const own: ParameterType = roundsDown ? { ...declaredType, roundsDown } : declaredType;
    const type = bounded(own, required);
    const base = bases[type.base];
    const ofType = base.toSchema(type, vocabulary);
    const schema = required.player === true ? v.pipe(withoutDashes, ofType) : ofType;
    const place = placeholders.includes(name) ? "path" : "query";
    // A type that follows from the operation narrows only what can be added.
    const isDerived = typeof form === "object" && typeof form.type === "object";
    const isWide = own.base === "text" && (isDerived || !isNarrowed(own));
    const isReference = isWide && required.reference === true;
    const parameter: Parameter = { name, in: place, type, isReference, schema, default: undefined };
    const fallback = typeof form === "string" ? undefined : form.default;
    if (fallback === undefined || isDerived) {
      // A path parameter is always present.
      parameters.set(name, { ...parameter, default: place === "query" ? fallback : undefined });
    } else if (place === "path") {
      report([...at, "default"], "a path parameter is always present and takes no default", "key");
    } else {
      const text = base.isTextual ? textOf(fallback, [...at, "default"]) : String(fallback);
      if (text === undefined) continue;
      // The bounds of the operation are not those of the type: checkAgainstOperation says whose they are.
      const unbounded = { ...parameter, type: own, schema: base.toSchema(own, vocabulary) };
      try {
        parameters.set(name, { ...parameter, default: parseParameter(unbounded, text, vocabulary()) });
      } catch (error) {
        report([...at, "default"], refusalWords(error));
      }
    }
  }
  return parameters;
}

function toType(
  form: string | ParameterDeclaration | DerivedParameter,
  at: readonly string[],
  types: Types,
  report: Report,
): ParameterType | undefined {
  if (typeof form !== "string") {
    const { type, ...others } = form;
    return typeof type === "string" ? types.refined({ ...others, type }, at) : type;
  }
  if (!types.names.includes(form)) return report(at, unknownName("type", form, types.names));
  return types.named(form);
}

/** Reports what the operation of a route requires of its parameters and does not get. */
export function checkAgainstOperation(
  at: readonly string[],
  handler: string,
  operation: Operation,
  declared: NonNullable<RouteDeclaration["parameters"]>,
  parameters: ReadonlyMap<string, Parameter>,
  vocabulary: Vocabulary,
  report: Report,
): void {
  const { entries } = operation.input;
  for (const [name, schema] of Object.entries(entries)) {
    const parameter = parameters.get(name);
    if (parameter === undefined) {
      if (schema.type !== "optional")
        report([...at, "parameters"], `${handler} requires the parameter "${name}"`, "key");
      continue;
    }
    const here = [...at, "parameters", name];
    const mismatch = mismatchOf(parameter, requirementOf(operation, name) ?? {});
    if (mismatch !== undefined) {
      report(here, `${handler} requires ${mismatch}`);
      continue;
    }
    const checkValue = (value: ParameterValue, path: Path) => {
      const refusal = refusalOf(parameter.type, schema as v.GenericSchema, value, vocabulary);
      if (refusal === undefined) return;
      report(path, `${handler} refuses ${JSON.stringify(value)} as "${name}": ${refusal}`);
    };
    const { type, default: fallback } = parameter;
    const form = declared[name];
    const hasOwnValues = typeof form === "object" && form.values !== undefined;
    for (const [index, value] of (type.values ?? []).entries())
      checkValue(value, hasOwnValues ? [...here, "values", index] : here);
    // The default of an enum is one of its values.
    if (fallback !== undefined && type.values === undefined) checkValue(fallback, [...here, "default"]);
  }
  for (const name of parameters.keys()) {
    if (Object.hasOwn(entries, name)) continue;
    const message = unknownName("parameter", name, Object.keys(entries), { of: handler });
    report([...at, "parameters", name], message, "key");
  }
}
