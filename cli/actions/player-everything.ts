/** Implements `player show --everything`. */
import type { AuditEntry } from "../../src/audit/entry.ts";
import { belongsTo, type PlayerNames } from "../../src/audit/names.ts";
import { readEntries, readNames } from "../../src/audit/read.ts";
import { Failure } from "../../src/domain/errors.ts";
import { oneOf } from "../../src/domain/text.ts";
import type { RecordChange } from "../../src/store/change.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import type { Context } from "../context.ts";

/** Prints everything that the data and the journal contain about a person, as one JSON document. */
export async function showEverything(context: Context, player: string): Promise<void> {
  const { read, output, workspace } = context;
  const folder = await workspace().dataFolder();
  const { names, warnings } = await readNames(nodeFiles, folder);
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const named = await read("player.everything", { player });
  // Who was renamed is found in the journal alone.
  const [uuid, ...others] = named.uuids.length === 0 ? names.person(player).uuids : [];
  if (uuid !== undefined && others.length > 0) {
    throw new Failure("CONFLICT", `The name "${player}" was that of ${others.length + 1} players.`, {
      hint: `Give the UUID of one of them: ${oneOf([uuid, ...others])}.`,
    });
  }
  const known =
    uuid === undefined ? named : await read("player.everything", { player: uuid, formerName: player });
  const references = uuid !== undefined || known.uuids.length === 0 ? [player, ...known.uuids] : known.uuids;
  const audit = await entriesOf(folder, names, references);
  if (audit.length === 0 && Object.values(known.records).every(({ length }) => length === 0)) {
    // Fails, and suggests the nearest name.
    await read("player.show", { player });
  }
  const document = { ...known, audit };
  output.verbatim(document, JSON.stringify(document, undefined, 2));
}

/**
 * Returns the changes by a person or to the person's records, as far back as the journal reaches. Of a change to many
 * records, such as a restore, it returns only the person's own: the others concern somebody else.
 */
async function entriesOf(
  folder: string,
  names: PlayerNames,
  references: readonly string[],
): Promise<AuditEntry[]> {
  const persons = references.map((reference) => names.person(reference));
  const isBy = ({ who }: AuditEntry) => persons.some(({ uuids }) => uuids.has(who));
  const isOf = ({ collection, before, after }: RecordChange) =>
    persons.some((person) => belongsTo(person, collection, before) || belongsTo(person, collection, after));
  const entries: AuditEntry[] = [];
  for await (const entry of readEntries(nodeFiles, folder, { all: true }, names)) {
    const changes = isBy(entry) ? entry.changes : entry.changes.filter(isOf);
    if (changes.length > 0) entries.push({ ...entry, changes });
  }
  return entries;
}
