/** Removing a group, a faction or a service that nothing refers to, such as a mistyped one. */
import * as v from "valibot";
import { type AnyRecord, namedKinds } from "../domain/collection.ts";
import { Failure } from "../domain/errors.ts";
import { labelOf } from "../domain/label.ts";
import { allOf, asArgument, compareTexts, counted, fold } from "../domain/text.ts";
import { namesOf } from "../identity/memberships.ts";
import { collectionsOf } from "../identity/references.ts";
import type { Data } from "../store/data.ts";
import { unknownNamed } from "../table/parameters.ts";
import type { References, ReferredName } from "../table/restriction/references.ts";
import { type DraftContext, defineChange } from "./define.ts";

/** The references of each sort that a message lists. */
const mostListed = 5;

/** Returns the name as it is stored. @throws Failure if there is none, or something refers to it */
function requireRemovable(draft: Data, { kind, name: typed }: ReferredName, context: DraftContext): string {
  const stored = draft.names.get(`${kind}/${fold(typed)}`);
  if (stored === undefined) {
    const code = kind === "group" ? "UNKNOWN_GROUP" : "UNKNOWN_FACTION";
    throw unknownNamed(code, kind, typed, namesOf(draft, kind));
  }
  const { name } = stored;
  const uses = [...routesOf(context.referencesTo({ kind, name })), ...recordsOf(draft, { kind, name })];
  if (uses.length === 0) return name;
  const words = uses.map((use) => use.words).join("; ");
  const hint = [...new Set(uses.map(({ remedy }) => remedy))].join(" ");
  throw new Failure("CONFLICT", `The ${kind} ${name} is in use: ${words}.`, { hint });
}

export const removeName = defineChange({
  usesTable: true,
  /** `dryRun`: whether only to refuse what a removal would refuse, before a question. */
  input: v.strictObject({ kind: v.picklist(namedKinds), name: v.string(), dryRun: v.optional(v.boolean()) }),
  change(draft, { kind, name: typed, dryRun }, context) {
    const name = requireRemovable(draft, { kind, name: typed }, context);
    if (dryRun !== true) draft.names.delete(`${kind}/${fold(name)}`);
    return { info: `Removed the ${kind} ${name}.`, kind, name, sequence: context.sequence };
  },
});

/** Returns the uses of a name in the route table, in words, each with a sentence about how to remove it. */
function routesOf({ routes, lists, isExcluded }: References) {
  const words = [
    ...(isExcluded ? ["the route table excludes its members"] : []),
    ...(lists.length === 0 ? [] : [`defaults of ${counted(lists.length, "list")} (${firstOf(lists)})`]),
    ...(routes.length === 0
      ? []
      : [`${counted(routes.length, "route")} of the route table (${firstOf(routes)})`]),
  ];
  return words.map((word) => ({ words: word, remedy: "Change the route table first." }));
}

/** Returns the uses of a name in the data. */
function recordsOf(data: Data, { kind, name }: ReferredName) {
  const members = `\`addon-cli ${kind === "group" ? "group" : "member"} remove <player> ${asArgument(name)}\` removes a member.`;
  return collectionsOf(data).flatMap((collection) => {
    const { noun, refersTo, rows, key } = collection;
    const { named, player, subject } = refersTo;
    const names = (record: AnyRecord) =>
      named?.(record).some((other) => other.name === name && other.kinds.includes(kind)) === true;
    const found = named === undefined ? [] : Array.from(rows.values()).filter(names);
    if (found.length === 0) return [];
    const nameOf = (uuid: string) => data.players.get(uuid)?.name ?? uuid;
    const isMembership = collection.name !== "entries" && (player !== undefined || subject !== undefined);
    const withoutPlace = { organisation: undefined, group: undefined };
    const labels = found.map((record) => labelOf({ ...record, ...withoutPlace }, key(record), nameOf));
    const words = `${counted(labels.length, isMembership ? "member" : noun)} (${firstOf(labels)})`;
    return [{ words, remedy: isMembership ? members : "`addon-cli call` removes an entry." }];
  });
}

function firstOf(texts: readonly string[]): string {
  return allOf(texts.toSorted(compareTexts), mostListed);
}
