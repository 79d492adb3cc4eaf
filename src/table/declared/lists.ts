/**
 * The lists that a route table declares: the form of a declaration, and the list that it is, with its fields and their types.
 * `docs/lists.md` describes what each key means.
 */
import * as v from "valibot";
import { playerNameLength, playerNameWords } from "../../domain/limits.ts";
import { oneOf } from "../../domain/text.ts";
import { bases, lengthsOf, type ParameterType } from "../base-types.ts";
import { kindOf, noNames, type Vocabulary } from "../caller.ts";
import { parseParameter, refusalWords } from "../parameters.ts";
import { Pattern } from "../pattern.ts";
import type { ParameterValue } from "../restriction/restriction.ts";
import { length, optional, scalar, type TypeDeclaration, text, typeEntries, words } from "../type-form.ts";
import type { Types } from "../types.ts";
import type { Path, Report } from "../yaml/fault.ts";
import { mapOf, mapWith } from "../yaml/maps.ts";
import type { ReadYAML } from "../yaml/read.ts";
import { unknownName } from "../yaml/wording.ts";
import { namesIn } from "./names.ts";

const [mostFields, longestText, mostEntries] = [24, 500, 50_000];
/** The most entries of a list whose declaration does not say. */
export const usualEntries = 1000;
export const mostOf = (what: string) =>
  optional(
    v.pipe(length(1, ""), v.maxValue(mostEntries, `at most ${mostEntries}`)),
    `${what}; default: ${usualEntries}, highest: ${mostEntries}.`,
  );

export const mostPerCreator = (what: string) => v.optional(length(1, what));

const { description: _, ...refinements } = typeEntries;
const fieldSchema = mapWith({
  ...refinements,
  list: v.optional(text("The list whose entries the field names. For entry.")),
  description: v.optional(text("What the field means, for the description of the interface.")),
  example: optional(scalar, "An example, for the description of the interface."),
  default: optional(scalar, "The value of a request, or an entry, without the field."),
  reserved: optional(v.array(v.string()), "Texts that nobody can add. For text."),
  round: optional(v.picklist(["down"]), "Whether decimals are accepted. For integer."),
});
type FieldDeclaration = v.InferOutput<typeof fieldSchema>;

const listSchema = mapWith({
  title: words("What an entry is called, such as wanted reason. In the singular."),
  description: v.optional(text("What an entry is, in one sentence.")),
  key: optional(
    v.union(
      [v.string(), v.pipe(v.array(v.string()), v.minLength(1, "at least one field"))],
      "a field, or a list of fields",
    ),
    "The fields that no two entries have in common. Without them, entries get numbers.",
  ),
  fields: v.pipe(
    mapOf(v.union([v.string(), fieldSchema], "a type's name, or a map of a field")),
    v.description("The fields, each with its type: a type of the table, a built-in one, player or entry."),
  ),
  creator: optional(v.boolean(), "Whether answers show who added an entry."),
  order: v.optional(
    text("The field that orders the list, with - in front for descending; default: the key."),
  ),
  keep: optional(
    v.pipe(mapOf(v.picklist(["lowest", "highest"], "lowest or highest")), v.maxEntries(1, "one field")),
    "The field for whose better value alone `set` changes an entry.",
  ),
  maxEntries: mostOf("The most entries"),
  maxEntriesPerCreator: mostPerCreator("The most entries that one player can add."),
  renamed: optional(mapOf(v.string()), "Fields with another name before: from: to."),
});
type ListDeclaration = v.InferOutput<typeof listSchema>;

export const listsSchema = mapOf(listSchema);

/**
 * A field. `refersTo` says whether it names a player, registered or not, or an entry of `list`; `type` is that of its
 * parameter.
 */
export type Field = Readonly<NonNullable<ReturnType<typeof toField>>>;

/**
 * A list. `key` has the fields of its key or, of a list without, the number; `fields` those of an answer, in order; and
 * `renamed` the present names of fields by their former ones.
 */
export type List = Readonly<NonNullable<ReturnType<typeof toList>>>;

/** The number of an entry of a list without a key. */
const numberField: Field = {
  name: "number",
  refersTo: undefined,
  list: undefined,
  type: { base: "integer", name: "integer", description: undefined, minimum: 1 },
  description: "The number of the entry.",
  example: 7,
  default: undefined,
  reserved: [],
};

/** The type of a player's name, as a parameter. */
const playerType: ParameterType = {
  ...{ base: "text", name: "player", ...playerNameLength, pattern: new Pattern("[\\p{L}\\p{Nd}_.-]+") },
  description: `a player name of ${playerNameWords.replace("1 to 32 ", "")}`,
};

/** What declarations are checked with. */
export interface DeclarationContext {
  readonly types: Types;
  /** The names of coded resources. */
  readonly resources: readonly string[];
  /** The names in the data; undefined to accept any. */
  readonly vocabulary?: Vocabulary;
  readonly report: Report;
  readonly textOf: ReadYAML["textOf"];
}

type ListContext = DeclarationContext & { readonly declared: Readonly<Record<string, ListDeclaration>> };

/** Returns the declared lists without a fault. */
export function toLists(declared: v.InferOutput<typeof listsSchema>, context: DeclarationContext): List[] {
  const { resources, report } = context;
  const isName = namesIn(report, {
    form: /^[a-z][a-z0-9]{0,31}$/,
    words: "at most 32 lower-case letters and digits, the first a letter",
    // The last is that of the top list in a bundle.
    reserved: [...resources, "top"],
  });
  const lists = Object.entries(declared).flatMap(([name, declaration]) => {
    const at = ["lists", name];
    return isName(name, at, "key") ? (toList(name, at, declaration, { ...context, declared }) ?? []) : [];
  });
  const targetOf = (list: List | undefined) => lists.find(({ name }) => name === list?.key[0]?.list);
  for (const list of lists) {
    const { name, fields } = list;
    let target = targetOf(list);
    for (let steps = 0; steps < lists.length && target !== list; steps += 1) target = targetOf(target);
    if (target === list)
      report(["lists", name, "key"], "the key names an entry of the list itself, so that none can be added");
    for (const field of fields) {
      const other = lists.find((known) => known.name === field.list);
      if (other !== undefined && !isNamed(other))
        report(
          ["lists", name, "fields", field.name],
          `expected a list whose key is one text, got "${other.name}"`,
        );
    }
  }
  return lists;
}

/** Whether others can name the entries of a list: their key is one text. */
export function isNamed({ key: [first, ...more] }: List): boolean {
  return first?.type.base === "text" && first.refersTo !== "player" && more.length === 0;
}

function toList(name: string, at: readonly string[], declaration: ListDeclaration, context: ListContext) {
  const { title, description, order, renamed = {} } = declaration;
  const { maxEntries = usualEntries, maxEntriesPerCreator, creator = false } = declaration;
  const isNumbered = declaration.key === undefined;
  let isSound = true;
  const fault: Report = (path, message, side) => {
    isSound = false;
    return context.report([...at, ...path], message, side);
  };
  const { length } = Object.keys(declaration.fields);
  if (length === 0 || length > mostFields)
    fault(["fields"], `expected 1 to ${mostFields} fields, got ${length}`, "key");
  const isName = namesIn(fault, {
    ...{ form: /^[A-Za-z]\w{0,31}$/, words: 'at most 32 letters, digits and "_", the first a letter' },
    reserved: ["limit", "creatorName", "creatorUUID", ...(isNumbered ? ["number"] : [])],
  });
  const fields = Object.entries(declaration.fields).flatMap(([field, form]) => {
    if (!isName(field, ["fields", field], "key")) return [];
    const whole = typeof form === "string" ? { type: form } : form;
    const parsed = toField(field, whole, [...at, "fields", field], context);
    isSound &&= parsed !== undefined;
    return parsed ?? [];
  });
  const fieldOf = (wanted: string, path: Path) => {
    const found = fields.find((field) => field.name === wanted);
    if (found === undefined && isSound)
      fault(path, unknownName("field", wanted, Object.keys(declaration.fields)));
    return found;
  };
  const names = [declaration.key ?? []].flat();
  const key = isNumbered ? [numberField] : names.flatMap((field) => fieldOf(field, ["key"]) ?? []);
  if (new Set(names).size < names.length) fault(["key"], "a field can be in the key only once");
  for (const field of key.filter((part) => part.default !== undefined))
    fault(["fields", field.name], "a field of the key takes no default");
  const [player, ...others] = fields.filter(({ refersTo }) => refersTo === "player");
  if (others.length > 0) fault(["fields"], "a list can have one field of type player", "key");
  if (player !== undefined && fields.some((field) => field.name === `${player.name}UUID`))
    fault(["fields", `${player.name}UUID`], `the UUID of "${player.name}" has this name`, "key");
  const [[kept, best] = []] = Object.entries(declaration.keep ?? {});
  const keptField = kept === undefined ? undefined : fieldOf(kept, ["keep"]);
  if (keptField !== undefined && !["integer", "instant"].includes(keptField.type.base))
    fault(
      ["keep", keptField.name],
      `expected a field of type integer or instant, got ${keptField.type.base}`,
      "key",
    );
  if (kept !== undefined && isNumbered) fault(["keep"], "a list without a key has no `set`", "key");
  for (const [from, to] of Object.entries(renamed)) {
    if (fields.some((field) => field.name === from))
      fault(["renamed", from], `"${from}" is still a field of the list`, "key");
    fieldOf(to, ["renamed", from]);
    const twin = Object.keys(renamed).find((other) => other !== from && renamed[other] === to);
    if (twin !== undefined) fault(["renamed", from], `"${twin}" is renamed to "${to}" as well`, "key");
  }
  const by = order?.replace(/^-/, "");
  const descending = by !== order;
  const ordered = by === undefined || (isNumbered && by === "number") ? undefined : fieldOf(by, ["order"]);
  const byKey = key.map((field) => ({ field, descending: isNumbered && descending }));
  if (!isSound) return undefined;
  return {
    ...{ name, title, description, key, isNumbered, creator, maxEntries, maxEntriesPerCreator, renamed },
    fields: isNumbered ? [numberField, ...fields] : fields,
    order: ordered === undefined ? byKey : [{ field: ordered, descending }, ...byKey],
    keep: keptField && best && { field: keptField, best },
  };
}

/** Returns the type of the text by which others name the entries of a list. */
function nameType(list: ListDeclaration | undefined, types: Types): TypeDeclaration {
  const key = list?.fields[[list.key ?? []].flat()[0] ?? ""] ?? "text";
  const { type, minLength, maxLength, pattern, example } = typeof key === "string" ? { type: key } : key;
  // What else is wrong with it is reported there.
  if (types.named(type)?.base !== "text") return { type: "text" };
  return { minLength, maxLength, pattern, example, type };
}

function toField(
  name: string,
  form: FieldDeclaration,
  at: readonly string[],
  { declared, types, report, vocabulary, textOf }: ListContext,
) {
  const { list, description, example, default: fallback, reserved = [], round, ...declaration } = form;
  const refersTo =
    declaration.type === "player" || declaration.type === "entry" ? declaration.type : undefined;
  if ((list !== undefined) !== (refersTo === "entry"))
    return report([...at, "list"], "`list` names the list of a field of type entry", "key");
  if (list !== undefined && !Object.hasOwn(declared, list))
    return report([...at, "list"], unknownName("list", list, Object.keys(declared)));
  const own = list === undefined ? declaration : nameType(declared[list], types);
  const base = refersTo === "player" ? playerType : types.refined(own, at);
  if (base === undefined) return undefined;
  const wrong = (key: string, kind: string) => {
    const message = `"${key}" does not apply to the type ${refersTo ?? base.base}; it is for ${kind}`;
    return report([...at, key], message, "key");
  };
  const [narrowing] = Object.keys(declaration).filter((key) => key !== "type");
  if (refersTo !== undefined && narrowing !== undefined) return wrong(narrowing, "other types");
  if (round !== undefined && base.base !== "integer") return wrong("round", "integer");
  if (reserved.length > 0 && (base.base !== "text" || refersTo !== undefined))
    return wrong("reserved", "text");
  if (base.base === "text" && lengthsOf(base).maxLength > longestText)
    return report(
      at,
      `expected texts of at most ${longestText} characters, got a maxLength of ${base.maxLength}`,
    );
  const type: ParameterType = round === undefined ? base : { ...base, roundsDown: true };
  const schema = bases[type.base].toSchema(type, () => vocabulary ?? noNames);
  let isSound = true;
  const parse = (key: string, value: ParameterValue | undefined, isExample: boolean) => {
    if (value === undefined) return undefined;
    const text = bases[type.base].isTextual ? textOf(value, [...at, key]) : String(value);
    // The examples of a table need not be names in the data.
    if (text !== undefined && kindOf(type.base) !== undefined && (isExample || vocabulary === undefined))
      return text;
    try {
      if (text !== undefined) return parseParameter({ name: key, type, schema }, text, vocabulary ?? noNames);
    } catch (error) {
      report([...at, key], refusalWords(error));
    }
    isSound = false;
    return undefined;
  };
  const [shown, value] = [parse("example", example, true), parse("default", fallback, false)];
  if (!isSound) return undefined;
  const examples = refersTo === "player" ? [] : bases[type.base].examples(type, noNames);
  const first = refersTo === "player" ? "Mallory" : (type.example ?? "");
  const valid =
    [first, ...examples].find((one) => v.is(schema, String(one))) ?? oneOf(type.values ?? ["example"]);
  return {
    ...{ name, refersTo, list, type, default: value, reserved },
    description: description ?? `The ${name}.`,
    example: shown ?? valid,
  };
}
