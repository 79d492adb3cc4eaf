/** The schemas of answers: an operation's valibot schema as JSON Schema, in which titled schemas become components. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { integerRange } from "../domain/limits.ts";
import { kindOf, type Vocabulary } from "../table/caller.ts";
import { isMap } from "../table/yaml/wording.ts";
import type { Components, Schema } from "./document.ts";

/**
 * Converts the schema of an answer. Its metadata can add `format`; `base`, if a text is the name of a group, a faction or
 * a service, or of several of these kinds, which adds the names that exist; and `complete`, if a map always has all such
 * names as keys. A schema with a title becomes a component of that name.
 */
export function toAnswerSchema(
  answer: v.GenericSchema,
  vocabulary: Vocabulary,
  components: Components,
): Schema {
  const { $schema: _dialect, ...whole } = toJsonSchema(answer, {
    target: "draft-2020-12",
    errorMode: "ignore",
  });

  function refine({ title, description, base, complete, ...content }: Schema): Schema {
    const inner = Object.entries(content).map(([key, value]) => [key, within(key, value)] as const);
    const kinds = [base].flat().map(kindOf);
    const names = kinds.flatMap((kind) => (kind === undefined ? [] : vocabulary[kind]));
    const { examples } = content;
    const isExample = (name: string) => Array.isArray(examples) && examples.includes(name);
    const refined: Schema = {
      ...(description === undefined ? {} : { description }),
      ...Object.fromEntries(inner),
      // Nothing would be valid by an empty `enum`. The example was chosen before the names were known.
      ...(names.length === 0 ? {} : { enum: names }),
      ...(names.length === 0 || examples === undefined
        ? {}
        : { examples: [names.find(isExample) ?? names[0]] }),
    };
    const schema = withNull(withFormat(complete === true ? withAllKeys(refined) : refined));
    if (typeof title !== "string") return schema;
    return { ...components.use("schemas", title.replace(/[^\w.-]/g, ""), schema) };
  }

  function within(key: string, value: unknown): unknown {
    const refineIfSchema = (inner: unknown) => (isMap(inner) ? refine(inner) : inner);
    if (single.includes(key)) return refineIfSchema(value);
    if (several.includes(key) && Array.isArray(value)) return value.map(refineIfSchema);
    if (!named.includes(key) || !isMap(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, refineIfSchema(inner)]));
  }

  return refine(whole);
}

/** The keywords whose value is a schema, a list of schemas, or a map of schemas. */
const single = ["items", "additionalProperties", "propertyNames"];
const several = ["anyOf", "oneOf", "allOf", "prefixItems"];
const named = ["properties"];

/** Adds which whole numbers fit 32 bits, and removes the limits of JavaScript, which do not concern clients. */
function withFormat(schema: Schema): Schema {
  const { type, minimum, maximum, ...rest } = schema;
  if (type !== "integer") return schema;
  if (minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER) {
    return { type, format: "int64", ...rest };
  }
  const isSmall = Number(minimum) >= integerRange.minimum && Number(maximum) <= integerRange.maximum;
  return isSmall ? { type, format: "int32", minimum, maximum, ...rest } : schema;
}

function withAllKeys(schema: Schema): Schema {
  const { propertyNames } = schema;
  if (!isMap(propertyNames) || !Array.isArray(propertyNames.enum)) return schema;
  const { length } = propertyNames.enum;
  return { ...schema, minProperties: length, maxProperties: length };
}

/** Writes a schema that allows null as a list of types, if it is no component: client generators support that best. */
function withNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [value, none]: unknown[] = anyOf;
  if (!isMap(value) || !isMap(none) || none.type !== "null" || typeof value.type !== "string") return schema;
  const names = Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {};
  return { ...value, ...rest, type: [value.type, "null"], ...names };
}
