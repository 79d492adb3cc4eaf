/** The schemas of answers: an operation's valibot schema as JSON Schema, with what is titled put into the components. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { integerRange } from "../domain/limits.ts";
import { type MembershipKind, membershipKinds, type Vocabulary } from "../table/caller.ts";
import type { Components, Schema } from "./document.ts";

/**
 * Converts the schema of an answer. Beyond what valibot says, its metadata can say `format`, and by `base` that a text
 * is the name of a group, a faction or a service, or of several of these kinds: then the names are those that there are. A map by such names that has
 * always all of them says `complete`. What has a title becomes a component of that name.
 */
export function toAnswerSchema(
  answer: v.GenericSchema,
  vocabulary: Vocabulary,
  components: Components,
): Schema {
  const { $schema: _dialect, ...schema } = toJsonSchema(answer, {
    target: "draft-2020-12",
    errorMode: "ignore",
  });
  return new Refiner(vocabulary, components).refine(schema);
}

/** Where a schema has another one, several, or several by name. */
const single = ["items", "additionalProperties", "propertyNames"];
const several = ["anyOf", "oneOf", "allOf", "prefixItems"];
const named = ["properties"];

class Refiner {
  readonly #vocabulary: Vocabulary;
  readonly #components: Components;

  constructor(vocabulary: Vocabulary, components: Components) {
    this.#vocabulary = vocabulary;
    this.#components = components;
  }

  refine(given: Schema): Schema {
    const { title, description, base, complete, ...content } = given;
    const inner = Object.entries(content).map(([key, value]) => [key, this.#within(key, value)] as const);
    const whole: Schema = {
      ...(description === undefined ? {} : { description }),
      ...Object.fromEntries(inner),
      ...this.#names(base),
    };
    const schema = withNull(withFormat(complete === true ? withAllKeys(whole) : whole));
    if (typeof title !== "string") return schema;
    return { ...this.#components.use("schemas", title.replace(/[^\w.-]/g, ""), schema) };
  }

  #within(key: string, value: unknown): unknown {
    if (single.includes(key) && isSchema(value)) return this.refine(value);
    if (several.includes(key) && Array.isArray(value)) {
      return value.map((each: unknown) => (isSchema(each) ? this.refine(each) : each));
    }
    if (named.includes(key) && isSchema(value)) {
      const entries = Object.entries(value);
      return Object.fromEntries(
        entries.map(([name, each]) => [name, isSchema(each) ? this.refine(each) : each]),
      );
    }
    return value;
  }

  /** The names that a text can be. */
  #names(base: unknown): Schema {
    const names = [base].flat().flatMap((kind) => (isMembershipKind(kind) ? this.#vocabulary[kind] : []));
    // A schema of which nothing is valid would be of no use to anybody.
    return names.length === 0 ? {} : { enum: names };
  }
}

/** Tells clients which whole numbers fit 32 bits. That JavaScript has exact ones only up to 53 is none of theirs. */
function withFormat(schema: Schema): Schema {
  const { type, minimum, maximum, ...rest } = schema;
  if (type !== "integer") return schema;
  if (minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER) {
    return { type, format: "int64", ...rest };
  }
  const isSmall = Number(minimum) >= integerRange.minimum && Number(maximum) <= integerRange.maximum;
  return isSmall ? { type, format: "int32", minimum, maximum, ...rest } : schema;
}

/** A map that has all of the names that its keys can be. */
function withAllKeys(schema: Schema): Schema {
  const { propertyNames } = schema;
  if (!isSchema(propertyNames) || !Array.isArray(propertyNames.enum)) return schema;
  const { length } = propertyNames.enum;
  return { ...schema, minProperties: length, maxProperties: length };
}

/** What can be null is written as a list of types, where it is not a component: generators of clients know that best. */
function withNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [value, none]: unknown[] = anyOf;
  if (!isSchema(value) || !isSchema(none) || none.type !== "null" || typeof value.type !== "string")
    return schema;
  const names = Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {};
  return { ...value, ...rest, type: [value.type, "null"], ...names };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMembershipKind(value: unknown): value is MembershipKind {
  return membershipKinds.some((kind) => kind === value);
}
