/** What `player show --everything` does. */
import type { Entry } from "../../src/audit/entry.ts";
import { belongsTo } from "../../src/audit/names.ts";
import { readEntries, readNames } from "../../src/audit/read.ts";
import type { RecordChange } from "../../src/store/change.ts";
import { nodeFiles } from "../../src/store/folder/files.ts";
import { listData } from "../../src/store/listing.ts";
import type { Session } from "../context.ts";

/** Prints all that the data and the journal have of a person, as one JSON document. */
export async function showEverything(session: Session, player: string): Promise<void> {
  const { look, output, workplace } = session;
  await listData(nodeFiles, workplace().folder);
  const known = await look("player.everything", { player });
  const audit = await entriesOf(session, known.uuids.length === 0 ? [player] : known.uuids);
  if (audit.length === 0 && Object.values(known.records).every(({ length }) => length === 0)) {
    // Refuses with the nearest name.
    await look("player.show", { player });
  }
  const document = { ...known, audit };
  output.result(document, JSON.stringify(document, undefined, 2));
}

/**
 * The changes that a person has made, and what others have changed of the person's records, as far back as the journal
 * goes. Of a change to many, such as a restore, it is only what became of these: the rest is about others.
 */
async function entriesOf({ output, workplace }: Session, references: readonly string[]): Promise<Entry[]> {
  const { folder } = workplace();
  const { names, warnings } = await readNames(nodeFiles, folder);
  for (const warning of warnings) output.remark(`warning: ${warning}`);
  const persons = references.map((each) => names.person(each));
  const isBy = ({ who }: Entry) => persons.some(({ uuids }) => uuids.has(who));
  const isOf = ({ collection, before, after }: RecordChange) =>
    persons.some((each) => belongsTo(each, collection, before) || belongsTo(each, collection, after));
  const entries: Entry[] = [];
  for await (const entry of readEntries(nodeFiles, folder, { all: true }, names)) {
    const changes = isBy(entry) ? entry.changes : entry.changes.filter(isOf);
    if (changes.length > 0) entries.push({ ...entry, changes });
  }
  return entries;
}
