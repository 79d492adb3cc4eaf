/** What the operations of a declared list do with its entries. */
import {
  comparisonKey,
  type Entry,
  type EntryValue,
  entryKey,
  entryLabel,
  numberCounter,
  partKey,
} from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import type { Subject } from "../../domain/model.ts";
import { type Comparison, comparisonForm, didYouMean, fold, pluralOf } from "../../domain/text.ts";
import { toUUID } from "../../domain/uuid.ts";
import { requireName } from "../../identity/memberships.ts";
import {
  findPlayer,
  onlyRemoved,
  requireVisibleSubject,
  withLatestSpelling,
} from "../../identity/players.ts";
import { referringEntries } from "../../identity/references.ts";
import type { Rows } from "../../store/collection.ts";
import type { Data, Draft } from "../../store/data.ts";
import { kindOf } from "../../table/caller.ts";
import type { Field, List } from "../../table/declared/lists.ts";
import { storedValue, withPresentNames } from "../../table/declared/stored.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import { creatorInAnswer, creatorOf } from "./creator.ts";
import type { ChangeContext } from "./define.ts";
import { requireSpace } from "./space.ts";

type Entries = Rows<Entry, "list" | "text" | "part">;

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

/** What the handlers of a list do. */
export class ListOperations {
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

  /** Returns an entry in words: `track Monza`. */
  label(entry: Pick<Entry, "values" | "player" | "name">): string {
    const { key, title, name } = this.#list;
    const parts = key.filter(({ type }) => kindOf(type.base) === undefined);
    const whole = { list: name, key: this.#key, ...entry };
    return `${title} ${parts.map((part) => storedValue(whole, part.name)).join(", ")}`.trim();
  }

  /** Returns the form in which the texts of a field are compared: players and names as everywhere else. */
  readonly formOf = (name: string): typeof fold => {
    const isName = name === this.#player?.name || this.#references.names?.[name] !== undefined;
    return isName ? fold : comparisonForm;
  };

  /** Returns the entries with certain values in fields of the key, in the order of the list. */
  sorted(data: { readonly entries: Entries }, wanted: Input, compare: Comparison): readonly Entry[] {
    const { order } = this.#list;
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
    const all = this.#among(data, wanted).map((entry) => withPresentNames(entry, this.#list));
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

  /** Returns the answer of {@link sorted} entries. */
  answers(entries: readonly Entry[], wanted: Input): Record<string, unknown>[] {
    const given = this.#given(wanted);
    return entries.map((entry) => this.answer(entry, given));
  }

  #given(wanted: Input): readonly Field[] {
    return this.#list.key.filter((part) => wanted[part.name] !== undefined);
  }

  /** Returns entries that include those wanted. Anybody can ask for what does not exist, which must not take long. */
  #among({ entries }: { readonly entries: Entries }, wanted: Input): readonly Entry[] {
    const { name: list, key } = this.#list;
    const found = key.flatMap(({ name }, place) => {
      const value = wanted[name];
      if (value === undefined) return [];
      const uuid = name === this.#player?.name ? toUUID(String(value)) : undefined;
      const text = uuid ?? String(value);
      return [entries.find("part", partKey(list, place, text))];
    });
    const [fewest = entries.find("list", list)] = found.sort((one, other) => one.length - other.length);
    return fewest;
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

  /** Returns the entry of a key. @throws Failure `UNKNOWN_ENTRY` */
  require(data: Data, input: Input): Entry {
    const known = this.find(data, input);
    if (known !== undefined) return known;
    throw new Failure("UNKNOWN_ENTRY", `There is no ${this.label(this.#named(data, input))}.`);
  }

  readonly find = (data: Data, input: Input) => this.#find(data, this.#named(data, input));

  #named(data: Data, input: Input): Entry {
    const player = this.#player;
    if (player === undefined || !this.#key.includes(player.name)) return this.#toEntry(input, undefined);
    const reference = String(input[player.name]);
    const { name = reference, uuid = toUUID(reference) ?? null } = findPlayer(data, reference) ?? {};
    const named = (who: Partial<Entry>) =>
      this.#toEntry(input, { name: who.name ?? "", uuid: who.uuid ?? null });
    // Data can have an entry of the name alone beside a player who is registered.
    for (const one of [named({ name, uuid }), named({ name: reference })])
      if (findEntry(data.entries, one) !== undefined) return one;
    const isMeant = (entry: Entry) =>
      fold(entry.name ?? "") === fold(reference) && comparisonKey(named(entry)) === comparisonKey(entry);
    const removed = uuid === null ? onlyRemoved(this.#among(data, input).filter(isMeant)) : undefined;
    return named(removed ?? { name, uuid });
  }

  add(draft: Draft, input: Input, context: Pick<ChangeContext, "caller">): string {
    const { entry, known } = this.#read(draft, input);
    if (known === undefined) return this.#put(draft, entry, context);
    const label = this.label(known);
    if (!this.#isSame(known, entry)) {
      throw new Failure("CONFLICT", `The ${label} already exists with different values.`, {
        hint: "Remove it first, then add it with the new values.",
      });
    }
    draft.entries.put(known);
    return `The ${label} already exists.`;
  }

  /** @param isOwn whether only the creator of an entry can change it */
  set(draft: Draft, input: Input, context: Pick<ChangeContext, "caller">, isOwn: boolean): string {
    const { entry, known } = this.#read(draft, input);
    if (known === undefined) return this.#put(draft, entry, context);
    const label = this.label(known);
    if (isOwn && (context.caller.id === null || known.creatorUUID !== context.caller.id))
      throw new Failure("CONFLICT", `The ${label} is not yours: somebody else added it.`);
    const { keep } = this.#list;
    if (keep !== undefined) {
      const [stored, reported] = [valueIn(known, keep.field), valueIn(entry, keep.field)];
      const isLowest = keep.best === "lowest";
      if (isLowest ? reported >= stored : reported <= stored)
        return `The ${label} stays: its ${keep.field.name} is ${stored}, and only a ${isLowest ? "lower" : "higher"} one replaces it.`;
    }
    if (this.#isSame(known, entry)) {
      draft.entries.put(known);
      return `The ${label} already has these values.`;
    }
    // The first spelling of the key stays, and what the table does not declare any more.
    const key = this.#list.key.filter((part) => part !== this.#player);
    const spelled = Object.fromEntries(key.map((part) => [part.name, valueIn(known, part)]));
    draft.entries.put({
      ...{ ...known, ...entry, values: { ...known.values, ...entry.values, ...spelled } },
      ...(known.names && { names: { ...known.names, ...entry.names } }),
      ...(known.entries && { entries: { ...known.entries, ...entry.entries } }),
      ...(known.instants && { instants: [...new Set([...known.instants, ...(entry.instants ?? [])])] }),
    });
    return `Changed the ${label}.`;
  }

  /** @param owner the player whose entry it must be; null for nobody's, undefined for anybody's */
  remove(draft: Draft, input: Input, owner: string | null | undefined): string {
    const known = this.require(draft, input);
    const label = this.label(known);
    if (owner === null || (owner !== undefined && known.creatorUUID !== owner))
      throw new Failure("UNKNOWN_ENTRY", `You have no ${label}.`);
    const key = entryKey(known);
    const users = referringEntries(draft).get(key) ?? [];
    const [user] = users;
    if (user !== undefined) {
      const count = users.length === 1 ? "an entry refers" : `${users.length} entries refer`;
      throw new Failure("CONFLICT", `The ${label} is in use: ${count} to it, such as ${entryLabel(user)}.`);
    }
    draft.entries.delete(key);
    return `Removed the ${label}.`;
  }

  /** Returns the number of a new entry: none is given twice. @param last the highest one so far, if that is known */
  nextNumber({ entries, counters }: Draft, last?: number): number {
    const list = this.#list.name;
    const name = numberCounter(list);
    const numbers = () => entries.find("list", list).map(({ values }) => Number(values.number));
    const highest = last ?? counters.get(name)?.value;
    let value = (highest ?? numbers().reduce((one, other) => Math.max(one, other), 0)) + 1;
    // A restore by an older version left higher numbers than the counter's.
    while (entries.has(entryKey({ list, key: ["number"], values: { number: value } }))) value += 1;
    counters.put({ name, value });
    return value;
  }

  /** Returns the entry of an input, and the one that is stored under its key, with the latest spelling of a name. */
  #read(draft: Draft, input: Input): { entry: Entry; known: Entry | undefined } {
    const { fields, isNumbered } = this.#list;
    const values: Record<string, EntryValue> = { ...input };
    for (const { name: key, type, list } of fields) {
      const value = String(input[key]);
      const kind = kindOf(type.base);
      // It may have been removed after the request was parsed.
      if (kind !== undefined) requireName(draft, value, kind);
      if (list !== undefined) values[key] = requireNamed(draft, key, list, value);
    }
    if (isNumbered) values.number = this.nextNumber(draft);
    const subject =
      this.#player && requireVisibleSubject(draft, String(input[this.#player.name]), this.#player.name);
    const entry = this.#toEntry(values, subject);
    const known = this.#find(draft, entry);
    if (known?.name === undefined || subject === undefined) return { entry, known };
    const { name: spelled } = withLatestSpelling({ name: known.name, uuid: known.uuid ?? null }, subject);
    return { entry, known: spelled === known.name ? known : { ...known, name: spelled } };
  }

  #find(data: Data, wanted: Entry): Entry | undefined {
    const known = findEntry(data.entries, wanted);
    return known && withPresentNames(known, this.#list);
  }

  /** Returns the record of an input; of an input without all fields, only its key is meant. */
  #toEntry(input: Input, subject: Subject | undefined): Entry {
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

  #isSame(known: Entry, entry: Entry): boolean {
    const others = this.#list.fields.filter(({ name }) => !this.#key.includes(name));
    return others.every((other) =>
      other === this.#player
        ? known.uuid === entry.uuid && fold(String(known.name)) === fold(String(entry.name))
        : valueIn(known, other) === valueIn(entry, other),
    );
  }

  /** Adds an entry. @throws Failure `CONFLICT` if the list is full */
  #put(draft: Draft, entry: Entry, { caller }: Pick<ChangeContext, "caller">): string {
    const { name, title, maxEntries, maxEntriesPerCreator } = this.#list;
    // An import bounds the list as a whole: counting at each entry would take quadratic time.
    if (Number.isFinite(maxEntries)) {
      requireSpace(draft.entries.count("list", name), maxEntries, `list of ${pluralOf(title)}`);
      const own = draft.entries.count("creator", `${name}/${caller.id}`);
      requireSpace(own, maxEntriesPerCreator, `list of your ${pluralOf(title)}`);
    }
    draft.entries.put({ ...entry, ...creatorOf(draft, caller) });
    return `Added the ${this.label(entry)}.`;
  }
}

/** Returns the key of an entry that a parameter names, as it is spelled. @throws Failure `UNKNOWN_ENTRY` */
function requireNamed({ entries }: Data, parameter: string, list: string, name: string): string {
  const known = entryNamed(entries, list, name);
  if (known !== undefined) return nameIn(known);
  const suggestion = didYouMean(name, entries.find("list", list).map(nameIn));
  throw new Failure("UNKNOWN_ENTRY", `There is no ${list} ${name}.${suggestion}`, { parameter });
}
