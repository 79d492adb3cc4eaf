/** What the operations of a declared list read of its entries. */
import { comparisonKey, type Entry, type EntryValue, entryKey, partKey } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import type { Subject } from "../../domain/model.ts";
import { type Comparison, comparisonForm, fold } from "../../domain/text.ts";
import { toUUID } from "../../domain/uuid.ts";
import { findPlayer, onlyRemoved } from "../../identity/players.ts";
import type { Rows } from "../../store/collection.ts";
import type { Data } from "../../store/data.ts";
import { kindOf } from "../../table/caller.ts";
import type { Field, List } from "../../table/declared/lists.ts";
import { storedValue, withPresentNames } from "../../table/declared/stored.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import { creatorInAnswer } from "./creator.ts";

type Entries = Rows<Entry, "list" | "text" | "part" | "name">;

/** Returns the entry of the key of another one. An exact spelling comes first: older data may have two that differ only in U+FE0F. */
function findEntry(rows: Entries, wanted: Parameters<typeof entryKey>[0]): Entry | undefined {
  return rows.get(entryKey(wanted)) ?? rows.find("text", comparisonKey(wanted))[0];
}

/** Returns the entry of a list whose key is one text, as {@link findEntry} does. */
export function entryNamed(rows: Entries, list: string, name: string): Entry | undefined {
  return findEntry(rows, { list, key: ["key"], values: { key: name } });
}

/** Returns the text that is the key of an entry. */
export function nameIn({ key: [field = ""], values }: Entry): string {
  return String(values[field]);
}

/** Returns a value of an entry; one from before the field was added has its default. */
export function valueIn(entry: Entry, field: Field): EntryValue {
  // An entry can lack a field only if it was added while another table was put in force.
  const none = { integer: 0, instant: 0, boolean: false }[field.type.base as string] ?? "";
  return storedValue(entry, field.name) ?? field.default ?? none;
}

export class ListEntries {
  readonly #list: List;
  readonly #key: string[];
  readonly #player: Field | undefined;
  /** What entries refer to, as each of them stores it. */
  readonly #references: Pick<Entry, "names" | "entries" | "instants">;

  constructor(list: List) {
    this.#list = list;
    this.#key = list.key.map(({ name }) => name);
    this.#player = list.fields.find(({ refersTo }) => refersTo === "player");
    const named = list.fields.flatMap(({ name, type }) => {
      const kind = kindOf(type.base);
      return kind === undefined ? [] : [[name, kind] as const];
    });
    const entries = list.fields.flatMap(({ name, list: other }) =>
      other === undefined ? [] : [[name, other] as const],
    );
    const instants = list.fields.filter(({ type }) => type.base === "instant").map(({ name }) => name);
    this.#references = {
      ...(instants.length > 0 && { instants }),
      ...(named.length > 0 && { names: Object.fromEntries(named) }),
      ...(entries.length > 0 && { entries: Object.fromEntries(entries) }),
    };
  }

  /**
   * Returns an entry in words: `track Monza`.
   * @param isWhole whether to name groups and organisations as well: an operation of the list itself has them in its path
   */
  label(entry: Pick<Entry, "values" | "player" | "name">, isWhole = false): string {
    const { key, title, name } = this.#list;
    const parts = key.filter(({ type }) => isWhole || kindOf(type.base) === undefined);
    const whole = { list: name, key: this.#key, ...entry };
    return `${title} ${parts.map((part) => storedValue(whole, part.name)).join(", ")}`.trim();
  }

  /** Returns the form in which the texts of a field are compared: players and names as everywhere else. */
  readonly formOf = (name: string): typeof fold => {
    const isName = name === this.#player?.name || this.#references.names?.[name] !== undefined;
    return isName ? fold : comparisonForm;
  };

  /** Returns the entries with certain values in fields of the key, in the order of the list. */
  sorted({ entries }: { readonly entries: Entries }, wanted: Input, compare: Comparison): readonly Entry[] {
    const { name, order } = this.#list;
    const uuid = this.#player && toUUID(String(wanted[this.#player.name]));
    const values = this.#given(wanted).map((part) => {
      const form = this.formOf(part.name);
      return { part, form, value: form(String(wanted[part.name])) };
    });
    const isWanted = (entry: Entry) =>
      values.every(
        ({ part, form, value }) =>
          form(String(valueIn(entry, part))) === value ||
          (part === this.#player && uuid !== undefined && entry.uuid === uuid),
      );
    const fewest = this.#fewest(entries, wanted);
    const among = fewest === undefined ? entries.find("list", name) : entries.find("part", fewest.part);
    const all = among.map((entry) => withPresentNames(entry, this.#list));
    return all.filter(isWanted).sort((a, b) => {
      for (const { field: by, descending } of order) {
        const [left, right] = [valueIn(a, by), valueIn(b, by)];
        const difference =
          typeof left === "number" && typeof right === "number"
            ? left - right
            : compare(String(left), String(right));
        if (difference !== 0) return descending ? -difference : difference;
      }
      return 0;
    });
  }

  answers(entries: readonly Entry[], wanted: Input): Record<string, unknown>[] {
    const given = this.#given(wanted);
    return entries.map((entry) => this.answer(entry, given));
  }

  #given(wanted: Input): readonly Field[] {
    return this.#list.key.filter((part) => wanted[part.name] !== undefined);
  }

  /** Returns the part of a key that the fewest entries have. Anybody can ask for what does not exist, which must not take long. */
  #fewest(entries: Entries, wanted: Input) {
    const { name: list, key } = this.#list;
    const parts = key.flatMap(({ name }, place) => {
      const value = wanted[name];
      if (value === undefined) return [];
      const uuid = name === this.#player?.name ? toUUID(String(value)) : undefined;
      const part = partKey(list, place, uuid ?? String(value));
      return [{ part, count: entries.count("part", part) }];
    });
    return parts.sort((one, other) => one.count - other.count)[0];
  }

  answer(entry: Entry, without: readonly Field[]): Record<string, unknown> {
    const answer: Record<string, unknown> = {};
    for (const known of this.#list.fields) {
      if (without.includes(known)) continue;
      answer[known.name] = valueIn(entry, known);
      if (known.refersTo === "player") answer[`${known.name}UUID`] = entry.uuid ?? null;
    }
    return this.#list.creator ? Object.assign(answer, creatorInAnswer(entry)) : answer;
  }

  /** The parameter that names an entry; of several, nobody knows which is wrong. */
  get parameter(): string | undefined {
    return this.#key.length === 1 ? this.#key[0] : undefined;
  }

  /** Returns the entry of a key. @throws Failure `UNKNOWN_ENTRY` */
  require(data: Data, input: Input): Entry {
    const wanted = this.#named(data, input);
    const known = this.findStored(data, wanted);
    if (known !== undefined) return known;
    throw new Failure("UNKNOWN_ENTRY", `There is no ${this.label(wanted)}.`, { parameter: this.parameter });
  }

  find(data: Data, input: Input): Entry | undefined {
    return this.findStored(data, this.#named(data, input));
  }

  #named(data: Data, input: Input): Entry {
    const player = this.#player;
    if (player === undefined || !this.#key.includes(player.name)) return this.toEntry(input, undefined);
    const reference = String(input[player.name]);
    const { name = reference, uuid = toUUID(reference) ?? null } = findPlayer(data, reference) ?? {};
    const named = (who: Partial<Entry>) =>
      this.toEntry(input, { name: who.name ?? "", uuid: who.uuid ?? null });
    // Data can have an entry of the name alone beside a player who is registered.
    for (const one of [named({ name, uuid }), named({ name: reference })])
      if (findEntry(data.entries, one) !== undefined) return one;
    const uuids = new Set(uuid === null ? this.#formerUUIDs(data.entries, input, fold(reference)) : []);
    const entryOf = (uuid: string) => findEntry(data.entries, named({ name: reference, uuid })) ?? [];
    const removed = onlyRemoved(Array.from(uuids).flatMap(entryOf));
    return named(removed ?? { name, uuid });
  }

  /** Returns the UUIDs that had a name, in entries of which one may be meant. */
  #formerUUIDs(entries: Entries, input: Input, name: string): string[] {
    const { [this.#player?.name ?? ""]: _, ...others } = input;
    const fewest = this.#fewest(entries, others);
    const isOfPart = fewest !== undefined && fewest.count < entries.count("name", name);
    const found = isOfPart ? entries.find("part", fewest.part) : entries.find("name", name);
    return found.flatMap(
      (entry) => (entry.list === this.#list.name && fold(entry.name ?? "") === name && entry.uuid) || [],
    );
  }

  /** Returns what is stored under the key of an entry. */
  findStored(data: Data, wanted: Entry): Entry | undefined {
    const known = findEntry(data.entries, wanted);
    return known && withPresentNames(known, this.#list);
  }

  /** Returns the record of an input; of an input without all fields, only its key is meant. */
  toEntry(input: Input, subject: Subject | undefined): Entry {
    const { name: list, fields } = this.#list;
    const values = fields.flatMap((known) => {
      const value = known === this.#player ? undefined : input[known.name];
      return value === undefined ? [] : [[known.name, value] as const];
    });
    return {
      list,
      key: this.#key,
      values: Object.fromEntries(values),
      ...this.#references,
      ...(subject && this.#player && { player: this.#player.name, ...subject }),
    };
  }
}
