/** What a table means for the entries that the data already has: data outlives the table, and no edit rewrites an entry. */
import * as v from "valibot";
import type { Entry } from "../../domain/entry.ts";
import { integerRange } from "../../domain/limits.ts";
import { counted, oneOf } from "../../domain/text.ts";
import { bases, type ParameterType } from "../base-types.ts";
import { kindOf } from "../caller.ts";
import type { Path } from "../yaml/fault.ts";
import { type Field, type List, noNames } from "./lists.ts";
import { type Rows, storedValue, undeclaredIn, withPresentNames } from "./stored.ts";

/** A fault of a table beside some entries, or only a remark about them. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly isFault: boolean;
}

/**
 * Returns what lists mean for entries.
 * @param remarks whether to return what is not a fault: entries beyond narrower bounds, and those of undeclared lists
 */
export function findingsOf(lists: readonly List[], rows: Rows, remarks: boolean): Finding[] {
  const found = lists.flatMap((list) => findingsIn(list, rows.find("list", list.name), remarks));
  const kept = remarks ? undeclaredIn(lists, rows) : [];
  return [...found, ...kept.map((message) => ({ path: ["lists"], message, isFault: false }))];
}

function findingsIn(list: List, stored: readonly Entry[], remarks: boolean): Finding[] {
  const entries = stored.map((entry) => withPresentNames(entry, list));
  const found: Finding[] = [];
  const find = (path: Path, those: readonly Entry[], message: (count: string) => string, isFault = true) => {
    const count = counted(those.length, "entry");
    if (those.length > 0)
      found.push({ path: ["lists", list.name, ...path], message: message(count), isFault });
  };
  for (const [from, to] of Object.entries(list.renamed)) {
    const both = stored.filter(({ values }) => Object.hasOwn(values, from) && Object.hasOwn(values, to));
    const message = `the data has a value of "${to}" already, in`;
    find(["renamed", from], both, (count) => `${message} ${count}; rename "${from}" to another name`);
  }
  const key = list.key.map(({ name }) => name).join();
  const rekeyed = entries.filter((entry) => entry.key.join() !== key);
  const formerKey = oneOf(rekeyed[0]?.key ?? [], "and");
  find(["key"], rekeyed, (count) => {
    return `the key cannot change while the data has entries: that of ${count} is ${formerKey}`;
  });
  for (const { name, type, default: fallback, ...field } of list.fields) {
    const path = ["fields", name];
    const valueIn = (entry: Entry) => storedValue(entry, name) ?? fallback;
    const lacking = entries.filter((entry) => valueIn(entry) === undefined);
    find(path, lacking, (count) => `the data has ${count} without "${name}"; give it a default`);
    const storing = entries.filter((entry) => storedValue(entry, name) !== undefined);
    const isFit = (entry: Entry) => isStoredAs(entry, name, type, field);
    const others = storing.filter((entry) => !isFit(entry));
    find(path, others, (count) => `the data has ${count} with another type of "${name}"`);
    const fit = storing.filter(isFit);
    if (type.values !== undefined) {
      const unknown = fit.filter((entry) => type.values?.includes(String(valueIn(entry))) !== true);
      const named = oneOf([...new Set(unknown.map((entry) => String(valueIn(entry))))], "and");
      find(path, unknown, (count) => {
        const have = unknown.length === 1 ? "has" : "have";
        return `the values of "${name}" lack ${named}, which ${count} ${have}`;
      });
    } else if (remarks && (type.base === "text" || type.base === "integer")) {
      const schema = bases[type.base].toSchema(type, () => noNames);
      const beyond = fit.filter((entry) => !v.is(schema, String(valueIn(entry))));
      const words = (count: string) =>
        `the bounds of "${name}" exclude ${count}; what is stored stays as it is`;
      find(path, beyond, words, false);
    }
  }
  if (remarks && entries.length > list.maxEntries)
    find(["maxEntries"], entries, (count) => `the data has ${count}: none can be added`, false);
  return found;
}

/** Whether an entry stores a value as a field of a type does: as a reference of the same kind, or of the same type. */
function isStoredAs(
  entry: Entry,
  name: string,
  { base }: ParameterType,
  field: Pick<Field, "refersTo" | "list">,
) {
  const { player, entries = {}, names = {} } = entry;
  const isPlayer = name === player;
  if (isPlayer || field.refersTo === "player") return isPlayer && field.refersTo === "player";
  const [list, kind] = [entries, names].map((map) => (Object.hasOwn(map, name) ? map[name] : undefined));
  if (list !== field.list || kind !== kindOf(base)) return false;
  const value = storedValue(entry, name);
  const { minimum, maximum } = integerRange;
  if (base === "integer") return typeof value === "number" && value >= minimum && value <= maximum;
  return typeof value === ({ boolean: "boolean", instant: "number" }[base as string] ?? "string");
}
