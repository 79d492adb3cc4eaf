/** The operations of a declared list: `docs/lists.md` describes them. */
import * as v from "valibot";
import { allOf, capitalised, oneOf, pluralOf } from "../domain/text.ts";
import { uuid } from "../domain/uuid.ts";
import type { Field, List } from "../table/declared/lists.ts";
import type { Failures } from "../table/operation.ts";
import type { Input } from "../table/restriction/restriction.ts";
import { creatorFields } from "./common/creator.ts";
import { defineCachedRead, defineChange, defineRead, type Handler } from "./common/define.ts";
import { ListChanges } from "./common/list-changes.ts";
import { ListEntries } from "./common/list-entries.ts";
import { keyOf } from "./common/response-cache.ts";
import { anyUUID, count, field, inputOf, ofPerson, outputOf } from "./common/values.ts";

/**
 * Returns the handlers of a list by the names of their operations.
 * @param lists all lists of the table, whose entries can refer to those of this one
 */
export function listHandlers(list: List, lists: readonly List[]): Readonly<Record<string, Handler>> {
  const { key, title, fields, isNumbered, creator, maxEntriesPerCreator } = list;
  const entries = new ListEntries(list);
  const changes = new ListChanges(list, entries, lists);
  const isReferred = lists.some((other) => other.fields.some((known) => known.list === list.name));
  const given = fields.filter((known) => !isNumbered || known !== key[0]);
  const [named, all] = [inputsOf(key, true), inputsOf(given, false)];
  const examples = fields.map(({ name, example }) => [name, example] as const);
  const label = entries.label({ values: Object.fromEntries(examples) });
  const missing = { UNKNOWN_ENTRY: `There is no such ${title}.` };
  const full = isNumbered ? "The list is full." : "The entry exists with other values, or the list is full.";
  const references = referenceFailures(list);
  const about = (named: readonly Field[], failures: Failures) =>
    named.some(({ refersTo }) => refersTo === "player") ? ofPerson(failures) : failures;
  const recordsCaller = creator || maxEntriesPerCreator !== undefined;
  const remove = (isOwn: boolean) =>
    defineChange({
      list,
      example: `Removed the ${label}.`,
      input: named,
      failures: about(key, isReferred ? { ...missing, CONFLICT: "Other entries refer to it." } : missing),
      change: (draft, input, { caller }) => changes.remove(draft, input, isOwn ? caller.id : undefined),
    });
  const set = (isOwn: boolean) =>
    defineChange({
      list,
      example: `Added the ${label}.`,
      input: all,
      failures: about(fields, {
        CONFLICT: "The list is full, or the entry is that of another player.",
        ...references,
      }),
      recordsCaller,
      change: (draft, input, context) => changes.set(draft, input, context, isOwn),
    });
  return {
    list: listHandler(list, entries),
    show: defineRead({
      input: named,
      answer: answerOf(list, new Set()),
      failures: about(key, missing),
      versionFor: (data, given) => data.lists.version(list.name, given),
      read: (data, input) => entries.answer(entries.require(data, input), []),
    }),
    add: defineChange({
      list,
      example: `Added the ${label}.`,
      input: all,
      failures: about(fields, { CONFLICT: full, ...references }),
      recordsCaller,
      counts: isNumbered,
      change: (draft, input, context) => changes.add(draft, input, context),
    }),
    remove: remove(false),
    removeOwn: remove(true),
    ...(!isNumbered && { set: set(false), setOwn: set(true) }),
  };
}

/** Reads all entries, or those with certain values in fields of the key, which the answer leaves out. */
function listHandler(list: List, entries: ListEntries): Handler {
  const { name, title, key, order } = list;
  const limit = v.optional(field(count, "How many entries to return, at most.", 10));
  const byKey = key.map((known) => [known.name, v.optional(inputOf(known, true))] as const);
  const by = (given: ReadonlySet<string>) =>
    allOf(
      order
        .filter((part) => !given.has(part.field.name))
        .map((part) => `${part.field.name}${part.descending ? ", descending" : ""}`),
    );
  const answerFor = (given: ReadonlySet<string>) =>
    v.pipe(v.array(answerOf(list, given)), v.description(`The ${pluralOf(title)}, ordered by ${by(given)}.`));
  const { formOf } = entries;
  return defineCachedRead({
    dependsOn: ["entries"],
    version: (data, given) => data.lists.version(name, given),
    formOf,
    input: { ...Object.fromEntries(byKey), limit },
    answer: answerFor(new Set()),
    answerFor,
    read(data, { limit, ...wanted }: Input, { compare }) {
      const sort = () => entries.sorted(data, wanted, compare);
      if (limit === undefined) return entries.answers(sort(), wanted);
      // Each table has a comparison of its own, and may order the list by another field.
      const dependencies = [data.lists.version(name), compare];
      const sorted = data.lists.orders.get(`${name} ${keyOf(wanted, formOf)}`, dependencies, sort);
      return entries.answers(sorted.slice(0, Number(limit)), wanted);
    },
  });
}

function inputsOf(fields: readonly Field[], isReference: boolean) {
  return Object.fromEntries(fields.map((known) => [known.name, inputOf(known, isReference)]));
}

function answerOf({ name, title, description, fields, creator }: List, given: ReadonlySet<string>) {
  const left = fields.filter((known) => !given.has(known.name));
  const schemas = left.flatMap((known) => {
    const own = [known.name, outputOf(known)] as const;
    const words = `The game UUID in ${known.name}; null if unknown.`;
    const second = [`${known.name}UUID`, field(v.nullable(uuid), words, anyUUID)] as const;
    return known.refersTo === "player" ? [own, second] : [own];
  });
  return v.pipe(
    v.object(Object.fromEntries([...schemas, ...(creator ? Object.entries(creatorFields) : [])])),
    v.title(componentName(title) || componentName(name)),
    v.description(description ?? `An entry of the list ${name}.`),
  );
}

/** Returns a name for the component of the description: `LapTime`. */
function componentName(title: string): string {
  const words = title.split(/[^A-Za-z0-9]+/);
  return words.map(capitalised).join("");
}

function referenceFailures({ fields }: List): Partial<Record<"UNKNOWN_ENTRY", string>> {
  const names = fields.filter(({ refersTo }) => refersTo === "entry").map(({ name }) => `\`${name}\``);
  return names.length === 0 ? {} : { UNKNOWN_ENTRY: `There is no entry with the name in ${oneOf(names)}.` };
}
