/** The types of a table: what it declares under `types`, resolved down to the built-in ones and checked. */
import { integerRange, textLength } from "../domain/limits.ts";
import { didYouMean, oneOf } from "../domain/text.ts";
import type { Report, TypeDeclaration } from "./document.ts";
import { baseTypes, type ParameterType, refinementsOf } from "./parameters.ts";
import { PatternFault, toPattern } from "./pattern.ts";

/** The types that the table declares, resolved down to the base types. */
export class Types {
  readonly #declarations: Readonly<Record<string, TypeDeclaration>>;
  readonly #report: Report;
  readonly #resolved = new Map<string, ParameterType | undefined>();

  constructor(declarations: Readonly<Record<string, TypeDeclaration>>, report: Report) {
    this.#declarations = declarations;
    this.#report = report;
    for (const name of Object.keys(declarations)) {
      if (baseTypes.some((base) => base === name)) {
        report(["types", name], `"${name}" is a built-in type; choose another name`, "key");
      } else this.named(name);
    }
  }

  get names(): readonly string[] {
    return [...Object.keys(this.#declarations), ...baseTypes];
  }

  /** The type of a name, or undefined where there is none or it has a fault, which was then reported. */
  named(name: string): ParameterType | undefined {
    const base = baseTypes.find((each) => each === name);
    if (base !== undefined) return { base, name, description: undefined };
    if (this.#resolved.has(name) || !Object.hasOwn(this.#declarations, name)) return this.#resolved.get(name);
    // Set before it is known, so that a type that is made of itself ends here.
    this.#resolved.set(name, undefined);
    const declaration = this.#declarations[name] as TypeDeclaration;
    const type = this.refined(declaration, ["types", name]);
    const resolved = type && { ...type, name };
    this.#resolved.set(name, resolved);
    return resolved;
  }

  /** A type with what a declaration adds to it. */
  refined(declaration: TypeDeclaration, path: readonly string[]): ParameterType | undefined {
    const { type: baseName, description, ...refinements } = declaration;
    const inherited = this.named(baseName);
    if (inherited === undefined) {
      const circular = this.#resolved.has(baseName) || Object.hasOwn(this.#declarations, baseName);
      const why = circular
        ? "has a fault, or is made of itself"
        : `is not known.${didYouMean(baseName, this.names)}`;
      this.#report([...path, "type"], `the type "${baseName}" ${why}`);
      return undefined;
    }
    const given = Object.entries(refinements).filter(
      ([key, value]) => key !== "default" && value !== undefined,
    );
    const allowed: readonly string[] = refinementsOf[inherited.base];
    const misplaced = given.filter(([key]) => !allowed.includes(key));
    for (const [key] of misplaced) {
      const instead = allowed.length === 0 ? "it takes none" : `it takes ${oneOf(allowed, "and")}`;
      this.#report([...path, key], `"${key}" does not go with the type ${inherited.base}; ${instead}`, "key");
    }
    const type = {
      ...inherited,
      ...Object.fromEntries(given),
      description: description ?? inherited.description,
    };
    return misplaced.length === 0 && this.#consistent(type, path) ? type : undefined;
  }

  #consistent(type: ParameterType, path: readonly string[]): boolean {
    const wrong = (key: string, message: string): false => {
      this.#report([...path, key], message);
      return false;
    };
    const { pattern, values, base } = type;
    const { minimum = integerRange.minimum, maximum = integerRange.maximum } = type;
    const { minLength = textLength.minLength, maxLength = textLength.maxLength } = type;
    if (minimum < integerRange.minimum || maximum > integerRange.maximum) {
      const key = minimum < integerRange.minimum ? "minimum" : "maximum";
      return wrong(key, `a number that fits 32 bits was expected, ${type[key]} came`);
    }
    if (minimum > maximum) {
      const key = type.minimum === undefined ? "maximum" : "minimum";
      return wrong(key, `the minimum ${minimum} is above the maximum ${maximum}`);
    }
    if (minLength > maxLength) {
      const key = type.minLength === undefined ? "maxLength" : "minLength";
      return wrong(key, `the minLength ${minLength} is above the maxLength ${maxLength}`);
    }
    if (base === "enum" && values === undefined) return wrong("type", "an enum needs its values");
    if (pattern === undefined) return true;
    try {
      toPattern(pattern);
      return true;
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      return wrong("pattern", `expected a regular expression ${error.message}`);
    }
  }
}
