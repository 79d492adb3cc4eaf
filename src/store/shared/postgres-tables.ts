/** What operators do with the shared journal in PostgreSQL: its tables, its beginning, and its state. */
import { randomUUID } from "node:crypto";
import { Failure } from "../../domain/errors.ts";
import { journalVersion } from "../journal/segment.ts";
import { withoutPassword } from "./connection.ts";
import { insertSnapshot, PostgresSequencer } from "./postgres.ts";
import { type Head, unusableJournal } from "./sequencer.ts";

/** Creates the tables, and with a name a role with the fewest rights. */
export function schemaSQL(role?: string): string {
  const tables = `create schema gameaddon;
create table gameaddon.head (
  id uuid not null,
  journal_version int not null,
  sequence bigint not null,
  chain bigint not null
) with (fillfactor = 10);
create unique index head_has_one_row on gameaddon.head ((true));
create table gameaddon.batches (
  sequence bigint not null,
  part int not null,
  first bigint not null,
  lines text not null,
  appended timestamptz not null default clock_timestamp(),
  primary key (sequence, part)
);
alter table gameaddon.batches alter column lines set storage external;
create table gameaddon.snapshots (
  sequence bigint not null,
  part int not null,
  chain bigint not null,
  bytes bytea not null,
  primary key (sequence, part)
);
create table gameaddon.nodes (
  name text primary key,
  sequence bigint not null,
  revision text,
  seen timestamptz not null
);
`;
  if (role === undefined) return tables;
  return `${tables}create role ${role} login;
grant usage on schema gameaddon to ${role};
grant select, insert, update on gameaddon.head to ${role};
grant select, insert, delete on gameaddon.batches, gameaddon.snapshots to ${role};
grant select, insert, update, delete on gameaddon.nodes to ${role};
`;
}

/**
 * Creates the tables, and begins the journal with data.
 * @returns the id of the journal
 * @throws Failure `CONFLICT` where there is a journal already, unless it ends where the data does; `STORE_UNAVAILABLE` where
 *   PostgreSQL refuses
 */
export function createJournal(url: string, head: Head, snapshot: AsyncIterable<Uint8Array>): Promise<string> {
  const id = randomUUID();
  return withJournal(url, (sequencer) =>
    sequencer.transaction(async (sql) => {
      const [{ encoding = "", exists = false } = {}] = await sql<{ encoding: string; exists: boolean }[]>`
      select current_setting('server_encoding') as encoding, to_regclass('gameaddon.head') is not null as exists`;
      if (encoding !== "UTF8") throw new Error(`the database has the encoding ${encoding}, not UTF8`);
      if (!exists) await sql.unsafe(schemaSQL());
      const [found] = await sql<(Head & { id: string })[]>`
      select id::text, sequence::float8, chain::float8 from gameaddon.head`;
      // Whoever lost the answer tries again.
      if (found?.sequence === head.sequence && found.chain === head.chain) return found.id;
      if (found !== undefined) {
        throw new Failure("CONFLICT", `${withoutPassword(url)} has a journal already.`, {
          hint: "`addon-cli serve --journal` with an empty data folder begins another machine of it.",
        });
      }
      await sql`insert into gameaddon.head values (${id}, ${journalVersion}, ${head.sequence}, ${head.chain})`;
      await insertSnapshot(sql, head, snapshot);
      await sql`commit`;
      return id;
    }),
  );
}

/** Returns the state of a journal, and its nodes. @throws Failure `STORE_UNAVAILABLE` */
export function readJournal(url: string) {
  return withJournal(url, async (sequencer) => {
    const [{ id, head }, nodes] = await Promise.all([sequencer.state(), sequencer.nodes()]);
    return { id, head, nodes };
  });
}

async function withJournal<T>(url: string, work: (sequencer: PostgresSequencer) => Promise<T>): Promise<T> {
  const sequencer = new PostgresSequencer(url, "");
  try {
    return await work(sequencer);
  } catch (error) {
    throw error instanceof Failure ? error : unusableJournal(sequencer.name, error);
  } finally {
    await sequencer.close();
  }
}
