/** The types of a table: each resolved down to a built-in type, and checked. */
import { integerRange } from "../domain/limits.ts";
import { fold, oneOf } from "../domain/text.ts";
import { bases, baseTypes, lengthsOf, type ParameterType, rangeOf } from "./base-types.ts";
import { Pattern, PatternFault } from "./pattern.ts";
import type { TypeDeclaration } from "./type-form.ts";
import type { Report } from "./yaml/fault.ts";
import { unknownName } from "./yaml/wording.ts";

export type Types = ReturnType<typeof toTypes>;

/** Returns the types of a table. Reports the faults of those that it declares. */
export function toTypes(declarations: Readonly<Record<string, TypeDeclaration>>, report: Report) {
  const names: readonly string[] = [...Object.keys(declarations), ...baseTypes];
  const resolved = new Map<string, ParameterType | undefined>();

  /** Returns the type of a name, or undefined if it does not exist or has a fault, which was then reported. */
  function named(name: string): ParameterType | undefined {
    const base = baseTypes.find((known) => known === name);
    if (base !== undefined) return { base, name, description: undefined };
    if (resolved.has(name) || !Object.hasOwn(declarations, name)) return resolved.get(name);
    // Set before it is resolved, so that a type that refines itself ends here.
    resolved.set(name, undefined);
    const declaration = declarations[name] as TypeDeclaration;
    const type = refined(declaration, ["types", name]);
    const whole = type && { ...type, name };
    resolved.set(name, whole);
    return whole;
  }

  /** Returns a type with what a declaration adds to it, or undefined if that has a fault. */
  function refined(declaration: TypeDeclaration, path: readonly string[]): ParameterType | undefined {
    const { type: baseName, description, ...others } = declaration;
    const inherited = named(baseName);
    if (inherited === undefined) {
      const isDeclared = Object.hasOwn(declarations, baseName);
      const message = isDeclared
        ? `the type "${baseName}" has a fault, or refines itself`
        : unknownName("type", baseName, names);
      report([...path, "type"], message);
      return undefined;
    }
    const refinements = Object.entries(others).filter(
      ([key, value]) => !["default", "example"].includes(key) && value !== undefined,
    );
    const allowed: readonly string[] = bases[inherited.base].refinements;
    const misplaced = refinements.filter(([key]) => !allowed.includes(key));
    for (const [key] of misplaced) {
      const instead = `expected ${allowed.length === 0 ? "no refinement" : oneOf(allowed)}`;
      report([...path, key], `"${key}" does not apply to the type ${inherited.base}; ${instead}`, "key");
    }
    const type = {
      ...inherited,
      ...Object.fromEntries(refinements),
      // Texts in the data and in answers are in NFC.
      values: declaration.values?.map((value) => value.normalize("NFC")) ?? inherited.values,
      description: description?.normalize("NFC") ?? inherited.description,
      example: declaration.example ?? inherited.example,
      pattern: inherited.pattern,
    };
    const folded = (declaration.values ?? []).map(fold);
    const twice = folded.findIndex((value, index) => folded.indexOf(value) < index);
    if (twice !== -1) {
      const words = `the value "${type.values?.[twice]}" is listed twice; upper and lower case are the same`;
      return report([...path, "values", twice], words);
    }
    if (misplaced.length > 0 || !isConsistent(type, path)) return undefined;
    if (declaration.pattern === undefined) return type;
    try {
      return { ...type, pattern: new Pattern(declaration.pattern) };
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      report([...path, "pattern"], `expected a regular expression${error.message}`);
      return undefined;
    }
  }

  function isConsistent(type: ParameterType, path: readonly string[]): boolean {
    const wrong = (key: string, message: string): false => {
      report([...path, key], message);
      return false;
    };
    const { minimum, maximum, minLength, maxLength } = { ...rangeOf(type), ...lengthsOf(type) };
    if (minimum < integerRange.minimum || maximum > integerRange.maximum) {
      const key = minimum < integerRange.minimum ? "minimum" : "maximum";
      const { minimum: least, maximum: most } = integerRange;
      return wrong(key, `expected a number from ${least} to ${most}, got ${type[key]}`);
    }
    if (minimum > maximum) {
      const key = type.minimum === undefined ? "maximum" : "minimum";
      return wrong(key, `the minimum ${minimum} is above the maximum ${maximum}`);
    }
    if (minLength > maxLength) {
      const key = type.minLength === undefined ? "maxLength" : "minLength";
      return wrong(key, `the minLength ${minLength} is above the maxLength ${maxLength}`);
    }
    if (type.base === "enum" && type.values === undefined) return wrong("type", "an enum needs its values");
    return true;
  }

  for (const name of Object.keys(declarations)) {
    if (baseTypes.some((base) => base === name)) {
      report(["types", name], `"${name}" is a built-in type; choose another name`, "key");
    } else named(name);
  }
  return { names, named, refined };
}
