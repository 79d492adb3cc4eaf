/** Where the Fastify peer keeps statistics: in a Map, or in SQLite by prepared statements. */
import type { Counter, Statistic } from "./state.ts";

/** Statistics by the player's UUID. */
export interface Statistics {
  of(uuid: string): Statistic | undefined;
  /** Adds one. What this returns from is as durable as the peer makes it. */
  add(uuid: string, counter: Counter): void;
}

/** In memory alone. */
export class MapStatistics implements Statistics {
  readonly #records: Map<string, Statistic>;

  constructor(initial: readonly Statistic[]) {
    this.#records = new Map(initial.map((each) => [each.uuid, each]));
  }

  of(uuid: string): Statistic | undefined {
    return this.#records.get(uuid);
  }

  add(uuid: string, counter: Counter): void {
    const known = this.#records.get(uuid);
    if (known !== undefined) this.#records.set(uuid, { ...known, [counter]: known[counter] + 1 });
  }
}

/** What of SQLite is used. */
interface Statement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
}

/**
 * In SQLite with a write-ahead log. Each addition is a transaction of its own, since each is answered on its own.
 * @param synchronous FULL syncs each transaction before it returns; NORMAL may lose the last ones in a power cut
 */
export async function openSQLiteStatistics(
  file: string,
  synchronous: string,
  initial: readonly Statistic[],
): Promise<Statistics> {
  const { default: Database } = await import("better-sqlite3");
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma(`synchronous = ${synchronous}`);
  database.exec(
    `CREATE TABLE statistics (uuid TEXT PRIMARY KEY, deaths INTEGER NOT NULL, kills INTEGER NOT NULL,
     playTime INTEGER NOT NULL, revives INTEGER NOT NULL, services INTEGER NOT NULL) WITHOUT ROWID`,
  );
  const insert = database.prepare(
    "INSERT INTO statistics VALUES (@uuid, @deaths, @kills, @playTime, @revives, @services)",
  );
  database.transaction(() => {
    for (const each of initial) insert.run(each);
  })();
  const select = database.prepare("SELECT * FROM statistics WHERE uuid = ?");
  const addTo = (counter: Counter) =>
    database.prepare(`UPDATE statistics SET ${counter} = ${counter} + 1 WHERE uuid = ?`);
  const additions: Record<Counter, Statement> = {
    deaths: addTo("deaths"),
    kills: addTo("kills"),
    playTime: addTo("playTime"),
    revives: addTo("revives"),
    services: addTo("services"),
  };
  return {
    of: (uuid) => select.get(uuid) as Statistic | undefined,
    add: (uuid, counter) => void additions[counter].run(uuid),
  };
}
