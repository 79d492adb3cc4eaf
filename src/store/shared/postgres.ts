/**
 * The shared journal in PostgreSQL. One row has the head, and an append is one statement that moves it on if it is the
 * expected one; whoever comes second waits for that row, and then finds that it has moved. So the rows of `batches` have
 * one order, which a `serial` would not give. A notification has no contents: payloads end at 8,000 bytes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "postgres";
import { errorCode } from "../../domain/system-error.ts";
import { journalVersion } from "../journal/segment.ts";
import { connect, connectAlone, withoutPassword } from "./connection.ts";
import { definite, ofStatement } from "./postgres-errors.ts";
import {
  type Append,
  AppendRefused,
  type Batch,
  type Head,
  type JournalState,
  type Lines,
  type NodeReport,
  type NodeState,
  type Sequencer,
} from "./sequencer.ts";

/** The time limit for the answer to a question that waits for nobody, in milliseconds: later, the connection is dead. */
const silenceTimeout = 5_000;
/** That for as much as is read at once, in milliseconds. */
const transferTimeout = 30_000;
/** The rows that are read at once. One has at most 256 changes, or 1 MiB of a bulk change. */
const rowsAtOnce = 8;
/** The largest value of a part, PostgreSQL's `int`. */
const largestPart = 2 ** 31 - 1;
/** A node offers its snapshot to new ones if it is ahead of the last one by this many changes. */
const changesPerSnapshot = 10_000;

export class PostgresSequencer implements Sequencer {
  readonly name: string;
  readonly #url: string;
  readonly #node: string;
  #sql: Sql;
  readonly #transactions = new Set<Sql>();
  #wake: (() => void) | undefined;
  #isListening = false;
  #isClosed = false;

  /**
   * @param url such as `postgres://host1,host2/addon?target_session_attrs=primary`
   * @param node the name of this node, which no other has
   */
  constructor(url: string, node: string) {
    this.name = withoutPassword(url);
    this.#url = url;
    this.#node = node;
    this.#sql = connect(url);
  }

  readonly append: Append = async (after, batch) => {
    if (batch.pieces.length > 1) return (await this.hold()).append(after, batch);
    return definite(() => this.#unlessLost(appendIn(this.#sql, after, batch)));
  };

  async hold() {
    const sql = await this.#begin(true);
    const release = () => this.#end(sql);
    const append: Append = async (after, batch) => {
      try {
        const result = await definite(() => this.#unlessLost(appendIn(sql, after, batch)));
        if (result === "appended") await this.#unlessLost(sql`commit`);
        return result;
      } finally {
        // A repetition must not wait for the head that this one holds.
        await release();
      }
    };
    return { append, release };
  }

  async *read(after: number): AsyncGenerator<Lines> {
    let last = { sequence: after, part: largestPart };
    for (;;) {
      const select = (sql: Sql) => sql<{ sequence: number; part: number; first: number; lines: string }[]>`
        select sequence::float8, part, first::float8, lines from gameaddon.batches
        where (sequence, part) > (${last.sequence}::bigint, ${last.part}::int)
        order by sequence, part limit ${rowsAtOnce}`;
      const rows = await this.#inTime(select, transferTimeout);
      for (const { first, lines } of rows) yield { first, bytes: Buffer.from(lines) };
      const end = rows.at(-1);
      if (end === undefined || rows.length < rowsAtOnce) return;
      last = end;
    }
  }

  state(): Promise<JournalState> {
    return this.#inTime(async (sql) => {
      const [row] = await sql<
        { id: string; sequence: number; chain: number; now: number; version: number }[]
      >`
        select id::text, sequence::float8, chain::float8, journal_version as version,
          (extract(epoch from clock_timestamp()) * 1000)::float8 as now
        from gameaddon.head`;
      if (row === undefined)
        throw new AppendRefused(
          "the table gameaddon.head is empty; `addon-cli journal init` begins a journal",
        );
      if (row.version > journalVersion) {
        throw new AppendRefused(
          `a newer version of the program writes it: this one reads versions up to ${journalVersion}, not ${row.version}`,
        );
      }
      if (!this.#isListening && this.#wake !== undefined) await this.#listen(sql, this.#wake);
      return { id: row.id, head: { sequence: row.sequence, chain: row.chain }, now: row.now };
    });
  }

  report({ sequence, table }: NodeState): Promise<readonly NodeReport[]> {
    return this.#inTime(async (sql) => {
      // What is only shown need not wait for a synchronous standby: one that is lost would fail every report.
      await sql`
        with here as materialized (select set_config('synchronous_commit', 'local', true))
        insert into gameaddon.nodes
        select ${this.#node}, ${sequence}::bigint, ${table}, clock_timestamp() from here
        on conflict (name) do update
          set sequence = excluded.sequence, revision = excluded.revision, seen = excluded.seen`;
      return (await this.nodes(sql)).filter(({ name }) => name !== this.#node);
    });
  }

  /** Returns what all nodes have said. */
  nodes(sql = this.#sql): Promise<readonly NodeReport[]> {
    return sql<NodeReport[]>`
      select name, sequence::float8, revision as table,
        (extract(epoch from clock_timestamp() - seen) * 1000)::float8 as age
      from gameaddon.nodes order by name`;
  }

  watch(wake: () => void): Promise<void> {
    this.#wake = wake;
    return this.#inTime(async (sql) => {
      // What this program appends, older ones cannot read: from now on they say why.
      await sql`
        update gameaddon.head set journal_version = ${journalVersion} where journal_version < ${journalVersion}`;
      await this.#listen(sql, wake);
    });
  }

  offerSnapshot(head: Head, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    return this.transaction((sql) => offerIn(sql, head, pieces));
  }

  /** Runs `work` in a transaction, which it has to commit. */
  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = await this.#begin();
    return this.#unlessLost(work(sql)).finally(() => this.#end(sql));
  }

  async snapshot() {
    const [head] = await this.#inTime(
      (sql) => sql<Head[]>`
        select sequence::float8, chain::float8 from gameaddon.snapshots order by sequence desc limit 1`,
    );
    if (head === undefined) throw new AppendRefused("the table gameaddon.snapshots is empty");
    return { head, pieces: this.#piecesOf(head) };
  }

  async *#piecesOf({ sequence }: Head): AsyncGenerator<Buffer> {
    for (let part = 0; ; part += 1) {
      const select = (sql: Sql) => sql<{ bytes: Buffer }[]>`
        select bytes from gameaddon.snapshots where sequence = ${sequence} and part = ${part}`;
      const [row] = await this.#inTime(select, transferTimeout);
      if (row === undefined) return;
      yield row.bytes;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#sql, ...this.#transactions].map((sql) => this.#end(sql)));
  }

  async #listen(sql: Sql, wake: () => void): Promise<void> {
    // A lost connection is listened to again, but not where that fails: then a poll has failed as well.
    await sql.listen(channel, wake, wake);
    this.#isListening = sql === this.#sql;
  }

  /** Asks what nobody else can hold up. Without an answer in time all connections are dead. */
  async #inTime<T>(ask: (sql: Sql) => Promise<T>, milliseconds = silenceTimeout): Promise<T> {
    const sql = this.#sql;
    const answered = new AbortController();
    try {
      return await Promise.race([ask(sql), silence(milliseconds, answered.signal)]);
    } catch (error) {
      const isSound = error instanceof AppendRefused || ofStatement.test(errorCode(error) ?? "");
      if (sql === this.#sql && !this.#isClosed && !isSound) this.#renew();
      throw error;
    } finally {
      // The timer would keep the answer in memory.
      answered.abort();
    }
  }

  /**
   * Waits for a change as long as PostgreSQL works on one: there is no time limit for a synchronous standby. If it works on
   * none, the connection was lost, which the kernel notices after a quarter of an hour.
   */
  async #unlessLost<T>(change: PromiseLike<T>): Promise<T> {
    const answered = new AbortController();
    try {
      return await Promise.race([change, this.#loss(answered.signal)]);
    } finally {
      answered.abort();
    }
  }

  /**
   * Rejects when PostgreSQL works on nothing from here, unless it is aborted before. A backend that waits for the rest of a
   * message may be lost, and holds the head: no time limit ends it, so whoever waits does.
   */
  async #loss(signal: AbortSignal): Promise<never> {
    for (;;) {
      await sleep(2 * silenceTimeout, undefined, { ref: false, signal });
      const sql = this.#sql;
      const working = await this.#inTime(
        () => sql`
          select case when cut then pg_terminate_backend(pid) end from pg_stat_activity,
            lateral (select (state, wait_event) is not distinct from ('active', 'ClientRead') as cut) as reading
          where application_name = current_setting('application_name') and usename = session_user
            and datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
            and case when cut then state_change < clock_timestamp() - interval '30s'
              else client_addr is not distinct from inet_client_addr() end`,
      );
      signal.throwIfAborted();
      if (working.length > 0) continue;
      if (sql === this.#sql && !this.#isClosed) this.#renew();
      throw new Error("a connection to PostgreSQL was lost");
    }
  }

  /** Ends all connections: whatever waits on them is rejected. */
  #renew(): void {
    const old = [this.#sql, ...this.#transactions];
    this.#isListening = false;
    this.#sql = connect(this.#url);
    for (const sql of old) void this.#end(sql);
  }

  /** Begins a transaction. Ended before it is committed, it has changed nothing. */
  async #begin(holdsHead = false): Promise<Sql> {
    const sql = connectAlone(this.#url);
    this.#transactions.add(sql);
    try {
      await this.#unlessLost(sql`begin`);
      // Neither a node that is stopped while it holds the head, nor a forgotten transaction, must hold up others for ever.
      await this.#unlessLost(sql`set local idle_in_transaction_session_timeout = '30s'`);
      await this.#unlessLost(sql`set local lock_timeout = '60s'`);
      if (holdsHead) await this.#unlessLost(sql`select from gameaddon.head for update`);
      return sql;
    } catch (error) {
      await this.#end(sql);
      throw error;
    }
  }

  async #end(sql: Sql): Promise<void> {
    this.#transactions.delete(sql);
    await sql.end({ timeout: 0 }).catch(() => {});
  }
}

const channel = "gameaddon_journal";

/** Appends a batch. Within a transaction where it has more than one piece. */
async function appendIn(sql: Sql, after: Head, { head, pieces }: Batch): Promise<"appended" | "moved"> {
  const [lines = Buffer.alloc(0), ...further] = pieces;
  const first = after.sequence + 1;
  const moved = await sql`
    with moved as (
      update gameaddon.head set sequence = ${head.sequence}, chain = ${head.chain}
      where sequence = ${after.sequence} and chain = ${after.chain} returning 1
    ), added as (
      insert into gameaddon.batches (sequence, part, first, lines)
      select ${head.sequence}, 0, ${first}, ${lines.toString()} from moved
    )
    select pg_notify(${channel}, '') from moved`;
  if (moved.length === 0) return "moved";
  for (const [index, piece] of further.entries()) {
    await sql`
      insert into gameaddon.batches (sequence, part, first, lines)
      values (${head.sequence}, ${index + 1}, ${first}, ${piece.toString()})`;
  }
  return "appended";
}

/** Inserts a snapshot, unless another node does, or the newest one is recent; deletes what the newest one so far supersedes. */
async function offerIn(sql: Sql, head: Head, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const [{ isFree } = {}] = await sql<{ isFree: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('gameaddon.snapshots')) as "isFree"`;
  const [{ newest = 0 } = {}] = await sql<{ newest: number }[]>`
    select max(sequence)::float8 as newest from gameaddon.snapshots`;
  if (isFree !== true || head.sequence < newest + changesPerSnapshot) return;
  // The newest one so far stays: a new node may be reading it.
  await sql`delete from gameaddon.snapshots where sequence < ${newest}`;
  await sql`
    delete from gameaddon.batches where sequence <= ${newest} and appended < now() - interval '30 days'`;
  await insertSnapshot(sql, head, pieces);
  await sql`commit`;
}

/** Inserts a snapshot, a row for each piece. */
export async function insertSnapshot(sql: Sql, head: Head, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let part = 0;
  for await (const piece of pieces) {
    await sql`insert into gameaddon.snapshots values (${head.sequence}, ${part}, ${head.chain}, ${piece})`;
    part += 1;
  }
}

/** Rejects after a time, or when it is aborted. */
async function silence(milliseconds: number, signal: AbortSignal): Promise<never> {
  await sleep(milliseconds, undefined, { ref: false, signal });
  throw new Error("PostgreSQL does not answer");
}
