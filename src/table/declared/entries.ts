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
    for (const [from, to] of Object.entries(list.renamed)) {
      if (storedValue(entry, from) === undefined) continue;
      const message = `the data keeps a value of "${from}" in #, which nobody sees, beside one of "${to}"`;
      this.#find([...at, "renamed", from], message, "hidden");
    }
    const lacked = list.fields.filter(({ name }) => storedValue(entry, name) === undefined);
    const former = lacked.length === 0 ? undefined : formerNames(entry, list, lacked);
    const adviceOn = ({ name }: Field) => {
      const from = former?.get(name);
      const present = Object.keys(list.renamed).find((other) => list.renamed[other] === name);
      const how = present === undefined ? "add" : `replace "${present}" by "${from}" in`;
      const renamed = present === undefined ? `renamed: { ${from}: ${name} }` : "renamed";
      return from && `if "${name}" is the new name of "${from}", ${how} \`${renamed}\``;
    };
    if (entry.key.join() !== list.key.map((field) => field.name).join()) {
      const blocked = entry.key
        .filter((from) => Object.hasOwn(list.renamed, from))
        .map(
          (from) =>
            `"${from}" cannot become "${list.renamed[from]}", of which there is a value already: give it another name`,
        );
      const key = [
        `that of # is ${allOf(entry.key)}`,
        ...blocked,
        ...list.key.flatMap((field) => adviceOn(field) ?? []),
      ];
      const message = `the key cannot change while the data has entries: ${key.join("; ")}`;
      this.#find([...at, "key"], message);
    }
    for (const field of list.fields) {
      const place = [...at, "fields", field.name];
      const advice = adviceOn(field);
      if (!lacked.includes(field)) this.#checkValue(place, entry, field);
      // A default would not help in a key that the entries do not have.
      else if (list.key.includes(field)) continue;
      else if (field.default === undefined) {
        const remedy = `give it a default${advice ? `, or ${advice}` : ""}`;
        this.#find(place, `the data has # without "${field.name}"; ${remedy}`);
      } else if (advice) {
        const kept = `the data keeps a value of "${former?.get(field.name)}" in #, which nobody sees`;
        this.#find(place, `${kept}; ${advice}`, "hidden");
      }
    }
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

  #checkValue(path: Path, entry: Entry, field: Field): void {
    const { name, type } = field;
    const value = storedValue(entry, name);
    if (!isStoredAs(entry, field)) {
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

/** Returns, for fields that an entry lacks, which of its values may be theirs under a former name. */
function formerNames(entry: Entry, list: List, lacked: readonly Field[]): ReadonlyMap<string, string> {
  const isLeft = (name: string) =>
    !Object.hasOwn(list.renamed, name) && list.fields.every((field) => field.name !== name);
  const held = [...Object.keys(entry.values), ...(entry.player === undefined ? [] : [entry.player])];
  const left = new Set(held.filter((name) => isLeft(name) && !entry.key.includes(name)));
  // A part of the key can only have taken the place of another one.
  const isSameKey = !list.isNumbered && entry.key.length === list.key.length;
  const former = new Map<string, string>();
  for (const field of lacked) {
    const position = list.key.indexOf(field);
    const parts = isSameKey ? entry.key.slice(position, position + 1).filter(isLeft) : [];
    const names = position === -1 ? [...left] : parts;
    const name = names.find((name) => isStoredAs(entry, { ...field, name }));
    if (name === undefined) continue;
    former.set(field.name, name);
    left.delete(name);
  }
  return former;
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
