/** The entries of a declared list as a file: an export, and an import of what is added and changed. */
import * as v from "valibot";
import { type EditFile, type Row, Sheet, toCell } from "../../backup/csv.ts";
import { type Entry, entryKey } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import type { Slices } from "../../domain/slices.ts";
import { comparisonIn, defaultLanguage, didYouMean, fold } from "../../domain/text.ts";
import { toUUID } from "../../domain/uuid.ts";
import { vocabularyOf } from "../../identity/memberships.ts";
import { findPlayer, formerName } from "../../identity/players.ts";
import { referringEntries } from "../../identity/references.ts";
import { tokenInText } from "../../identity/tokens.ts";
import { ListChanges } from "../../resources/common/list-changes.ts";
import { ListEntries } from "../../resources/common/list-entries.ts";
import { inputOf } from "../../resources/common/values.ts";
import type { Data, Draft } from "../../store/data.ts";
import { bases } from "../../table/base-types.ts";
import { nobody, type Vocabulary } from "../../table/caller.ts";
import type { Field, List } from "../../table/declared/lists.ts";
import { withPresentNames } from "../../table/declared/stored.ts";
import { parseParameter, refusalWords } from "../../table/parameters.ts";
import type { Input, ParameterValue } from "../../table/restriction/restriction.ts";
import { contradictionOf } from "../input.ts";

/** Returns a declared list. @throws Failure `UNKNOWN_ENTRY` */
export function requireList(lists: readonly List[], name: string): List {
  const list = lists.find((one) => one.name === name);
  if (list !== undefined) return list;
  const suggestion = didYouMean(
    name,
    lists.map((one) => one.name),
  );
  throw new Failure("UNKNOWN_ENTRY", `The route table declares no list "${name}".${suggestion}`);
}

/** Returns the columns and the entries of a list, as in an answer of the interface. */
export function exportEntries(data: Data, list: List) {
  const entries = new ListEntries(list);
  const sorted = entries.sorted(data, {}, comparisonIn(defaultLanguage));
  return { columns: columnsOf(list), entries: entries.answers(sorted, {}) };
}

const creatorColumns = ["creatorName", "creatorUUID"];

function columnsOf({ fields, creator }: List): string[] {
  const all = fields.flatMap(({ name, refersTo }) =>
    refersTo === "player" ? [name, `${name}UUID`] : [name],
  );
  return creator ? [...all, ...creatorColumns] : all;
}

/**
 * Adds and changes the entries of a file. Who added an entry stays; new ones are the operator's.
 * @throws Failure `PARAMETER_INVALID` with all faults of the file
 */
export async function importEntries(
  draft: Draft,
  lists: readonly List[],
  name: string,
  file: EditFile,
  slices: Slices,
): Promise<void> {
  const list = requireList(lists, name);
  const columns = columnsOf(list);
  const sheet = new Sheet(file, columns, list.isNumbered ? [] : list.key.map(({ name }) => name));
  // Entries are set as the file says, by their numbers if they have some, even to a value that is worse than the one to keep.
  const free = { ...list, keep: undefined, isNumbered: false, maxEntries: Number.POSITIVE_INFINITY };
  const entries = new ListEntries(free);
  const changes = new ListChanges(free, entries, lists);
  const attempt = (at: number, run: () => void, row?: Row) => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const cell = error.parameter === undefined ? undefined : row?.get(error.parameter);
      // That of a default is not in the file.
      const whose =
        error.parameter === undefined || row === undefined || cell ? "" : `"${error.parameter}": `;
      sheet.fault(cell?.at ?? at, `${whose}${refusalWords(error).replace(/\.$/, "")}`);
    }
  };
  // What is as an export writes it stays, even if the list would no longer accept it.
  const compared = columns.filter(
    (column) => !creatorColumns.includes(column) && sheet.columns.includes(column),
  );
  const present = draft.entries.find("list", list.name);
  const exported = new Map<string, Entry>();
  for (const entry of compared.includes("number") || !list.isNumbered ? present : []) {
    if (slices.isOver) await slices.next();
    const answer = entries.answer(withPresentNames(entry, list), []);
    exported.set(JSON.stringify(compared.map((column) => toCell(answer[column]))), entry);
  }
  const read = readerOf(draft, list, sheet, attempt);
  const rows: { row: Row; at: number; same: Entry | undefined; input: Input }[] = [];
  for (const row of sheet.rows) {
    if (slices.isOver) await slices.next();
    const [{ at } = { at: 0 }] = row.values();
    const same = exported.get(JSON.stringify(compared.map((column) => row.get(column)?.text ?? "")));
    rows.push({ row, at, same, input: same === undefined ? read(row, at) : {} });
  }
  sheet.requireSound();

  const lines = new Map<string, number>();
  let number: number | undefined;
  const takeRow = ({ row, at, same, input }: (typeof rows)[number]) => {
    const isNew = list.isNumbered && input.number === undefined;
    const known = same ?? (isNew ? undefined : entries.find(draft, input));
    if (list.isNumbered && !isNew && known === undefined) {
      sheet.fault(at, `there is no entry ${input.number}; leave the number empty to add one`);
      return;
    }
    const whole: Record<string, ParameterValue> = { ...known?.values, ...input };
    if (same === undefined) {
      if (isNew) whole.number = number = changes.nextNumber(draft, number);
      for (const { name, refersTo, default: fallback } of list.fields) {
        const value = (refersTo === "player" ? (known?.uuid ?? known?.name) : undefined) ?? fallback;
        if (whole[name] === undefined && value !== undefined) whole[name] = value;
        if (whole[name] === undefined) sheet.fault(at, `expected a value of "${name}"`);
      }
      attempt(at, () => changes.set(draft, whole, { caller: nobody }, false), row);
    }
    const entry = same ?? entries.find(draft, whole);
    if (entry === undefined) return;
    const line = lines.get(entryKey(entry));
    if (line !== undefined) sheet.fault(at, `the same entry is in line ${line}`);
    lines.set(entryKey(entry), sheet.lineOf(at));
  };
  for (const taken of rows) {
    if (slices.isOver) await slices.next();
    attempt(taken.at, () => takeRow(taken), taken.row);
  }
  const missing = file.remove ? present.filter((entry) => !lines.has(entryKey(entry))) : [];
  const users = missing.length === 0 ? undefined : referringEntries(draft);
  for (const entry of missing) {
    const isUser = (user: Entry) => user.list !== list.name || lines.has(entryKey(user));
    if (users?.get(entryKey(entry))?.some(isUser))
      sheet.fault(0, `the ${entries.label(entry)} is missing, but in use`);
    draft.entries.delete(entryKey(entry));
  }
  const { length } = draft.entries.find("list", list.name);
  if (length > Math.max(present.length, list.maxEntries))
    sheet.fault(0, `the list would have ${length} entries, but can have ${list.maxEntries}`);
  sheet.requireSound();
}

/** Returns a function that returns the values of a row, those of its columns. It notes their faults. */
function readerOf(
  draft: Draft,
  { fields, key, isNumbered }: List,
  sheet: Sheet,
  attempt: (at: number, run: () => void) => void,
): (row: Row, at: number) => Input {
  const vocabulary = vocabularyOf(draft);
  const parsers = fields.map((field) => ({ field, parse: parserOf(field, vocabulary) }));
  return (row, start) => {
    const input: Record<string, ParameterValue> = {};
    for (const { field, parse } of parsers) {
      const { name, refersTo, default: fallback } = field;
      const cell = row.get(name);
      const isNumber = isNumbered && name === "number";
      if (cell === undefined && key.includes(field) && !isNumber)
        sheet.fault(start, `expected a value of "${name}"`);
      if (cell === undefined || (cell.text === "" && isNumber)) continue;
      const { text, at } = cell;
      const uuid = refersTo === "player" ? toUUID(row.get(`${name}UUID`)?.text ?? "") : undefined;
      // Of removed players, records have the UUID; one that nothing knows may be that of another server.
      const known = uuid && (draft.players.get(uuid)?.name ?? formerName(draft, uuid));
      const holder = uuid && findPlayer(draft, text);
      if (holder && holder.uuid !== uuid && (known === undefined || fold(known) !== fold(text))) {
        sheet.fault(at, contradictionOf(holder, known));
      } else if (text === "" && fallback !== undefined) input[name] = fallback;
      else
        attempt(at, () => {
          input[name] = parse(known === undefined ? text : (uuid ?? text));
        });
    }
    return input;
  };
}

/** Returns a function that returns a value as the list's declaration has it, or throws a Failure. */
function parserOf(field: Field, vocabulary: Vocabulary): (text: string) => ParameterValue {
  const { name, type } = field;
  const schema = bases[type.base].toSchema(type, () => vocabulary);
  const parameter = { name, type, in: "query", isReference: false, default: undefined, schema } as const;
  const form = inputOf(field, false);
  return (text) => {
    if (tokenInText.test(text)) throw new Failure("PARAMETER_INVALID", `"${name}" contains a token.`);
    const parsed = v.safeParse(form, parseParameter(parameter, text, vocabulary));
    if (parsed.success) return parsed.output;
    throw new Failure("PARAMETER_INVALID", `"${name}" is invalid: ${parsed.issues[0].message}.`);
  };
}
