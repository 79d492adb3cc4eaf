/** The entries of a declared list as a file: an export, and an import of what is added and changed. */
import * as v from "valibot";
import { Sheet } from "../../backup/csv.ts";
import { entryKey } from "../../domain/entry.ts";
import { Failure } from "../../domain/errors.ts";
import { comparisonIn, defaultLanguage, didYouMean } from "../../domain/text.ts";
import { vocabularyOf } from "../../identity/memberships.ts";
import { referringEntries } from "../../identity/references.ts";
import { ListOperations } from "../../resources/shared/list-operations.ts";
import { inputOf } from "../../resources/shared/values.ts";
import type { Data, Draft } from "../../store/data.ts";
import { bases } from "../../table/base-types.ts";
import { nobody, type Vocabulary } from "../../table/caller.ts";
import type { Field, List } from "../../table/declared/lists.ts";
import { parseParameter } from "../../table/parameters.ts";
import type { Input, ParameterValue } from "../../table/restriction/restriction.ts";
import type { FileEdit } from "../input.ts";

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
  const entries = new ListOperations(list).list(data, {}, comparisonIn(defaultLanguage));
  return { columns: columnsOf(list), entries };
}

function columnsOf({ fields, creator }: List): string[] {
  const all = fields.flatMap(({ name, refersTo }) =>
    refersTo === "player" ? [name, `${name}UUID`] : [name],
  );
  return creator ? [...all, "creatorName", "creatorUUID"] : all;
}

/**
 * Adds and changes the entries of a file. Who added an entry stays; new ones are the operator's.
 * @throws Failure `PARAMETER_INVALID` with all faults of the file
 */
export function importEntries(
  draft: Draft,
  list: List,
  { file, text, remove }: Omit<FileEdit, "only">,
): void {
  const sheet = new Sheet(
    file,
    text,
    columnsOf(list),
    list.isNumbered ? [] : list.key.map(({ name }) => name),
  );
  // Entries are set as the file says, by their numbers if they have some, even to a value that is worse than the one to keep.
  const operations = new ListOperations({ ...list, keep: undefined, isNumbered: false });
  const numbering = new ListOperations(list);
  const attempt = (at: number, run: () => void) => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      sheet.fault(at, error.message.replace(/\.$/, ""));
    }
  };
  const vocabulary = vocabularyOf(draft);
  const rows = sheet.rows.map((row) => {
    const input: Record<string, ParameterValue> = {};
    for (const field of list.fields) {
      const { text, at } = row.get(field.name) ?? { text: "", at: 0 };
      const uuid = row.get(`${field.name}UUID`)?.text ?? "";
      const isKnown = field.refersTo === "player" && draft.players.has(uuid);
      if (!row.has(field.name) || (text === "" && field.name === "number" && list.isNumbered)) continue;
      if (text === "" && field.default !== undefined) input[field.name] = field.default;
      else attempt(at, () => (input[field.name] = toValue(field, isKnown ? uuid : text, vocabulary)));
    }
    const [first] = row.values();
    return { input, at: first?.at ?? 0 };
  });
  sheet.requireSound();

  const isNew = (input: Input) => list.isNumbered && input.number === undefined;
  const found = rows.map((row) => ({
    ...row,
    known: isNew(row.input) ? undefined : operations.find(draft, row.input),
  }));
  if (remove) {
    const kept = new Set(found.flatMap(({ known }) => (known === undefined ? [] : entryKey(known))));
    const users = referringEntries(draft);
    for (const entry of draft.entries.find("list", list.name).filter((one) => !kept.has(entryKey(one)))) {
      if (users.has(entryKey(entry))) sheet.fault(0, `the ${operations.label(entry)} is missing, but in use`);
      draft.entries.delete(entryKey(entry));
    }
  }
  const lines = new Map<string, number>();
  for (const { input, at, known } of found) {
    const whole: Record<string, ParameterValue> = { ...known?.values, ...input };
    for (const { name, refersTo, default: fallback } of list.fields) {
      const value = (refersTo === "player" ? (known?.uuid ?? known?.name) : undefined) ?? fallback;
      if (whole[name] === undefined && value !== undefined) whole[name] = value;
      if (whole[name] === undefined && name !== "number") sheet.fault(at, `expected a value of "${name}"`);
    }
    if (isNew(input)) attempt(at, () => numbering.add(draft, whole, { caller: nobody }));
    else if (list.isNumbered && known === undefined) sheet.fault(at, `there is no entry ${input.number}`);
    else attempt(at, () => operations.set(draft, whole, { caller: nobody }, false));
    const entry = isNew(input) ? undefined : operations.find(draft, input);
    const line = entry && lines.get(entryKey(entry));
    if (line !== undefined) sheet.fault(at, `the same entry is in line ${line}`);
    if (entry !== undefined) lines.set(entryKey(entry), sheet.lineOf(at));
  }
  sheet.requireSound();
}

/** Returns a value as the list's declaration has it. @throws Failure */
function toValue(field: Field, text: string, vocabulary: Vocabulary): ParameterValue {
  const { name, type } = field;
  const schema = bases[type.base].toSchema(type, () => vocabulary);
  const parameter = { name, type, in: "query", isReference: false, default: undefined, schema } as const;
  const parsed = v.safeParse(inputOf(field, false), parseParameter(parameter, text, vocabulary));
  if (parsed.success) return parsed.output;
  throw new Failure("PARAMETER_INVALID", `"${name}" is invalid: ${parsed.issues[0].message}.`);
}
