/** What a table means for the entries that the data already has: data outlives the table, and no edit rewrites an entry. */
import * as v from "valibot";
import { type Entry, entryKey } from "../../domain/entry.ts";
import { integerRange } from "../../domain/limits.ts";
import { allOf, counted, fold } from "../../domain/text.ts";
import { bases } from "../base-types.ts";
import { noNames } from "../caller.ts";
import type { Path } from "../yaml/fault.ts";
import type { Field, List } from "./lists.ts";
import { storedValue, withPresentNames } from "./stored.ts";

/** A fault of a table beside some entries, or only a remark: on entries beyond narrower bounds, or of undeclared lists. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly isFault: boolean;
  /** Whether nobody sees what the data keeps while this table is in force. */
  readonly hides?: boolean;
}

/** The schemas of fields with bounds: an undo checks each entry by itself. */
const schemas = new WeakMap<Field, v.GenericSchema>();

/** Finds what lists mean for entries, one by one: for all of them together it would take longer than others can wait. */
export class EntryFindings {
  readonly #lists: ReadonlyMap<string, List>;
  /** The entries of each list. */
  readonly #sizes = new Map<string, number>();
  /** The creators of the entries of each list, and how many each has added. */
  readonly #creators = new Map<string, Map<string, { name: string; count: number }>>();
  /** What was found, by its place and message, in which `#` stands for the entries and `@` for values. */
  readonly #found = new Map<string, Finding & { readonly values: Set<string>; count: number }>();

  /** What defaults name that no entry had so far, by its key. */
  readonly #missing = new Map<string, Finding>();

  constructor(lists: readonly List[]) {
    this.#lists = new Map(lists.map((list) => [list.name, list]));
    for (const { name, fields } of lists) {
      for (const { name: field, list, default: value } of fields.filter(
        (known) => known.default !== undefined,
      )) {
        if (list === undefined) continue;
        const message = `the data has no ${list} "${value}": what is sent without "${field}" is refused`;
        const path = ["lists", name, "fields", field, "default"];
        this.#missing.set(`${list}/${fold(String(value))}`, { path, message, isFault: false });
      }
    }
  }

  add(stored: Entry): void {
    const { list: name } = stored;
    this.#missing.delete(entryKey(stored));
    this.#sizes.set(name, (this.#sizes.get(name) ?? 0) + 1);
    const list = this.#lists.get(name);
    if (list === undefined) {
      const drop = `\`addon-cli list drop ${name}\` removes what is kept`;
      this.#find(["lists"], `the data keeps # of "${name}", which no list declares; ${drop}`, "hidden");
      return;
    }
    this.#countFor(stored);
    const at = ["lists", name];
    const entry = withPresentNames(stored, list);
    if (entry !== stored) {
      const has = (field: string) => Object.hasOwn(stored.values, field);
      for (const [from, to] of Object.entries(list.renamed).filter((names) => names.every(has)))
        this.#find(
          [...at, "renamed", from],
          `the data has a value of "${to}" already, in #; rename "${from}" to another name, or undo what renamed it: \`addon-cli audit --operation list.rename\` shows the change`,
        );
    }
    const isOtherKey = entry.key.join() !== list.key.map((field) => field.name).join();
    if (isOtherKey) {
      const key = allOf(entry.key);
      this.#find([...at, "key"], `the key cannot change while the data has entries: that of # is ${key}`);
    }
    for (const field of list.fields)
      this.#addField([...at, "fields", field.name], entry, field, isOtherKey && list.key.includes(field));
    const lacked = list.fields.find(({ name }) => storedValue(entry, name) === undefined);
    const kept = Object.keys(entry.values).find(
      (name) =>
        list.fields.every((field) => field.name !== name) && lacked && isStoredAs(entry, { ...lacked, name }),
    );
    if (kept === undefined || lacked === undefined) return;
    const advice = `if that is its new name, add \`renamed: { ${kept}: ${lacked.name} }\` to the list`;
    const message = `the data keeps a value of "${kept}" in #, which nobody sees, and none of "${lacked.name}": ${advice}`;
    this.#find([...at, "fields", lacked.name], message, "hidden");
  }

  #countFor({ list, creatorName, creatorUUID }: Entry): void {
    if (creatorUUID == null) return;
    const creators = this.#creators.get(list) ?? new Map();
    const { count } = creators.get(creatorUUID) ?? { count: 0 };
    creators.set(creatorUUID, { name: creatorName ?? creatorUUID, count: count + 1 });
    this.#creators.set(list, creators);
  }

  /** Finds the creators of a list who have more entries than one may have. */
  #full({ name, maxEntriesPerCreator: most }: List): Finding[] {
    const full = [...(this.#creators.get(name)?.values() ?? [])]
      .filter(({ count }) => most !== undefined && count > most)
      .sort((a, b) => b.count - a.count)
      .map((creator) => `${creator.name} (${creator.count})`);
    const message = `the data has more entries of ${allOf(full)}, who can add none`;
    return full.length === 0
      ? []
      : [{ path: ["lists", name, "maxEntriesPerCreator"], message, isFault: false }];
  }

  /** @param isOfOtherKey whether it is in a key that the entries do not have: a default would not help there */
  #addField(path: Path, entry: Entry, field: Field, isOfOtherKey: boolean): void {
    const { name, type, default: fallback } = field;
    const value = storedValue(entry, name);
    if (value === undefined) {
      if (fallback === undefined && !isOfOtherKey)
        this.#find(path, `the data has # without "${name}"; give it a default`);
    } else if (!isStoredAs(entry, field)) {
      const stored = storedType(entry, name);
      const advice =
        stored === (field.refersTo ?? type.base) ? "" : ` (${stored}); declare that type, or another field`;
      this.#find(path, `the data has # with another type of "${name}"${advice}`);
    } else if (type.values !== undefined) {
      const isKnown = type.values.includes(String(value));
      if (!isKnown) this.#find(path, `the values of "${name}" lack @, used by #`, "fault", String(value));
    } else if ((type.base === "text" && field.refersTo === undefined) || type.base === "integer") {
      const schema = schemas.get(field) ?? bases[type.base].toSchema(type, () => noNames);
      schemas.set(field, schema);
      if (!v.is(schema, String(value)))
        this.#find(path, `the bounds of "${name}" exclude #; what is stored stays as it is`, "remark");
    }
  }

  #find(path: Path, message: string, kind: "fault" | "remark" | "hidden" = "fault", value?: string): void {
    const key = `${path.join()} ${message}`;
    const found = this.#found.get(key) ?? {
      path,
      message,
      isFault: kind === "fault",
      hides: kind === "hidden",
      values: new Set(),
      count: 0,
    };
    found.count += 1;
    if (value !== undefined) found.values.add(value);
    this.#found.set(key, found);
  }

  /** Of all entries: the defaults that name none. */
  get missing(): readonly Finding[] {
    return [...this.#missing.values()];
  }

  /** What was found. */
  get all(): readonly Finding[] {
    const full = Array.from(this.#lists.values()).flatMap(({ name, maxEntries }) => {
      const size = this.#sizes.get(name) ?? 0;
      const message = `the data has ${counted(size, "entry")}: none can be added`;
      return size > maxEntries ? [{ path: ["lists", name, "maxEntries"], message, isFault: false }] : [];
    });
    const found = Array.from(this.#found.values(), ({ values, count, ...finding }) => {
      const parts: Readonly<Record<string, string>> = {
        "#": counted(count, "entry"),
        "@": allOf([...values].map((value) => value || '""')),
      };
      return { ...finding, message: finding.message.replace(/[#@]/g, (part) => parts[part] ?? part) };
    });
    return [...found, ...full, ...Array.from(this.#lists.values()).flatMap((list) => this.#full(list))];
  }
}

/** Returns the type with which an entry stores a value. */
function storedType(entry: Entry, name: string): string {
  const { player, entries = {}, names = {}, instants = [], values } = entry;
  if (name === player) return "player";
  if (Object.hasOwn(entries, name)) return "entry";
  if (instants.includes(name)) return "instant";
  const kind = Object.hasOwn(names, name) ? names[name] : undefined;
  return kind ?? { number: "integer", boolean: "boolean" }[typeof values[name] as string] ?? "text";
}

/** Whether an entry stores a value as its field does: as a reference of the same kind, or of the same type. */
function isStoredAs(entry: Entry, { name, type: { base }, refersTo, list }: Field): boolean {
  if (storedType(entry, name) !== (refersTo ?? (base === "enum" ? "text" : base))) return false;
  if (refersTo !== undefined) return refersTo === "player" || entry.entries?.[name] === list;
  const value = storedValue(entry, name);
  const { minimum, maximum } = integerRange;
  if (base === "integer") return typeof value === "number" && value >= minimum && value <= maximum;
  return typeof value === ({ boolean: "boolean", instant: "number" }[base as string] ?? "string");
}
