/** A shared journal in PostgreSQL for each data folder of the store's own tests. */
import postgres from "postgres";
import type { Model } from "../../../src/domain/collection.ts";
import { Database } from "../../../src/store/collection.ts";
import { PostgresSequencer } from "../../../src/store/shared/postgres.ts";
import { createJournal } from "../../../src/store/shared/postgres-tables.ts";
import type { SharedOptions } from "../../../src/store/shared/shared-journal.ts";
import { encodeSnapshot } from "../../../src/store/snapshot.ts";

/** The names of the databases by server and folder. */
const databases = new Map<string, string>();

/**
 * Returns the journal of a folder, which is created for a new one.
 * @param server the URL of a server, without a database
 * @param now the clock of the journal, which the tests set
 */
export async function journalOf(
  server: string,
  folder: string,
  model: Model,
  now: () => number,
): Promise<SharedOptions> {
  const place = `${server} ${folder}`;
  let name = databases.get(place);
  if (name === undefined) {
    name = `journal_${process.pid}_${databases.size}`;
    databases.set(place, name);
    const sql = postgres(`${server}/postgres`, { max: 1, onnotice: () => {} });
    await sql.unsafe(`create database ${name}`);
    await sql.end();
    const snapshot = encodeSnapshot(new Database(model), 0);
    await createJournal(`${server}/${name}`, { sequence: 0, chain: 0 }, snapshot);
  }
  const sequencer = new PostgresSequencer(`${server}/${name}`, folder);
  const state = sequencer.state.bind(sequencer);
  sequencer.state = async () => ({ ...(await state()), now: now() });
  return { sequencer, maxStaleness: 60_000 };
}
