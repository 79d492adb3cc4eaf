/** What the operations of a declared list change of its entries. */
import { type Entry, type EntryValue, entryKey, entryLabel, numberCounter } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { instantText } from "../../domain/instant.ts";
import type { Subject } from "../../domain/model.ts";
import { didYouMean, fold, mostCompared, pluralOf } from "../../domain/text.ts";
import { requireName } from "../../identity/memberships.ts";
import { requireVisibleSubject, withLatestSpelling } from "../../identity/players.ts";
import { referringEntries } from "../../identity/references.ts";
import type { Data, Draft } from "../../store/data.ts";
import { kindOf } from "../../table/caller.ts";
import type { Field, List } from "../../table/declared/lists.ts";
import type { Input } from "../../table/restriction/restriction.ts";
import { creatorOf } from "./creator.ts";
import type { ChangeContext } from "./define.ts";
import { entryNamed, ListEntries, nameIn, valueIn } from "./list-entries.ts";
import { requireSpace } from "./space.ts";

/** Adds, changes and removes the entries of a list. */
export class ListChanges {
  readonly #list: List;
  readonly #entries: ListEntries;
  readonly #lists: readonly List[];
  readonly #player: Field | undefined;

  /** @param lists all lists of the table */
  constructor(list: List, entries: ListEntries, lists: readonly List[]) {
    this.#list = list;
    this.#entries = entries;
    this.#lists = lists;
    this.#player = list.fields.find(({ refersTo }) => refersTo === "player");
  }

  add(draft: Draft, input: Input, context: Pick<ChangeContext, "caller">): string {
    const { entry, known } = this.#read(draft, input);
    if (known === undefined) return this.#put(draft, entry, context);
    const label = this.#entries.label(known);
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
    const label = this.#entries.label(known);
    if (isOwn && (context.caller.id === null || known.creatorUUID !== context.caller.id))
      throw new Failure("CONFLICT", `The ${label} can be changed only by the player who added it.`);
    const { keep } = this.#list;
    if (keep !== undefined) {
      const [stored, reported] = [valueIn(known, keep.field), valueIn(entry, keep.field)];
      const isLowest = keep.best === "lowest";
      if (isLowest ? reported >= stored : reported <= stored) {
        draft.entries.put(known);
        return `The ${label} stays: its ${keep.field.name} is ${valueText(keep.field, stored)}, and only ${betterThan(keep)} replaces it.`;
      }
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

  /** @param owner the player whose entry it must be; null for a caller who is none, undefined for anybody's */
  remove(draft: Draft, input: Input, owner: string | null | undefined): string {
    const known = this.#entries.require(draft, input);
    const label = this.#entries.label(known);
    if (owner === null || (owner !== undefined && known.creatorUUID !== owner))
      throw new Failure("UNKNOWN_ENTRY", `You have no ${label}.`, { parameter: this.#entries.parameter });
    const key = entryKey(known);
    const users = referringEntries(draft).get(key) ?? [];
    const [user] = users;
    if (user !== undefined) {
      const count = users.length === 1 ? "an entry refers" : `${users.length} entries refer`;
      throw new Failure(
        "CONFLICT",
        `The ${label} is in use: ${count} to it, such as ${this.#labelOf(user)}.`,
      );
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
      if (list !== undefined) values[key] = this.#requireNamed(draft, key, list, value);
    }
    if (isNumbered) values.number = this.nextNumber(draft);
    const subject = this.#player && this.#subject(draft, values, this.#player.name);
    const entry = this.#entries.toEntry(values, subject);
    const known = this.#entries.findStored(draft, entry);
    if (known?.name === undefined || subject === undefined) return { entry, known };
    const { name: spelled } = withLatestSpelling({ name: known.name, uuid: known.uuid ?? null }, subject);
    return { entry, known: spelled === known.name ? known : { ...known, name: spelled } };
  }

  /** Returns the player of an entry. @param field the field that has the reference */
  #subject(draft: Draft, values: Input, field: string): Subject {
    const reference = String(values[field]);
    return requireVisibleSubject(draft, reference, field, () => {
      const known = this.#entries.find(draft, values);
      return fold(known?.name ?? "") === fold(reference) ? known : undefined;
    });
  }

  /** Returns the key of an entry that a parameter names, as it is spelled. @throws Failure `UNKNOWN_ENTRY` */
  #requireNamed({ entries }: Data, parameter: string, list: string, name: string): string {
    const known = entryNamed(entries, list, name);
    if (known !== undefined) return nameIn(known);
    // An import can have thousands of such rows.
    const isLong = entries.count("list", list) > mostCompared;
    const suggestion = didYouMean(name, isLong ? [] : entries.find("list", list).map(nameIn));
    const title = this.#lists.find((other) => other.name === list)?.title ?? list;
    throw new Failure("UNKNOWN_ENTRY", `There is no ${title} ${name}.${suggestion}`, { parameter });
  }

  /** Returns an entry of any list in words. */
  #labelOf(entry: Entry): string {
    const list = this.#lists.find(({ name }) => name === entry.list);
    return list === undefined ? entryLabel(entry) : `the ${new ListEntries(list).label(entry, true)}`;
  }

  #isSame(known: Entry, entry: Entry): boolean {
    const { key, fields } = this.#list;
    const others = fields.filter((other) => !key.includes(other));
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
    return `Added the ${this.#entries.label(entry)}.`;
  }
}

const valueText = ({ type }: Field, value: EntryValue) =>
  type.base === "instant" ? instantText(Number(value)) : value;

/** Says which values are better than a stored one. */
function betterThan({ field, best }: NonNullable<List["keep"]>): string {
  if (field.type.base === "instant") return best === "lowest" ? "an earlier one" : "a later one";
  return best === "lowest" ? "a lower one" : "a higher one";
}
