/** The statistics of the Fastify peer: in a Map, or in SQLite by prepared statements. */

const counters = ["deaths", "kills", "playTime", "revives", "services"];

/** Keeps statistics in memory alone. */
export function mapStatistics(initial) {
  const records = new Map(initial.map((each) => [each.uuid, each]));
  return {
    of: (uuid) => records.get(uuid),
    add(uuid, counter) {
      const statistic = records.get(uuid);
      if (statistic !== undefined) records.set(uuid, { ...statistic, [counter]: statistic[counter] + 1 });
    },
  };
}

/**
 * Keeps statistics in SQLite with a write-ahead log. Each addition is a transaction of its own, since each is answered
 * on its own.
 * @param synchronous FULL syncs each transaction before it returns; NORMAL may lose the last ones in a power cut
 */
export async function sqliteStatistics(file, synchronous, initial) {
  const { default: Database } = await import("better-sqlite3");
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma(`synchronous = ${synchronous}`);
  const columns = counters.map((counter) => `${counter} INTEGER NOT NULL`);
  database.exec(`CREATE TABLE statistics (uuid TEXT PRIMARY KEY, ${columns.join(", ")}) WITHOUT ROWID`);
  const values = ["uuid", ...counters].map((name) => `@${name}`);
  const insert = database.prepare(`INSERT INTO statistics VALUES (${values.join(", ")})`);
  database.transaction(() => {
    for (const each of initial) insert.run(each);
  })();
  const select = database.prepare("SELECT * FROM statistics WHERE uuid = ?");
  const additions = Object.fromEntries(
    counters.map((counter) => [
      counter,
      database.prepare(`UPDATE statistics SET ${counter} = ${counter} + 1 WHERE uuid = ?`),
    ]),
  );
  return {
    of: (uuid) => select.get(uuid),
    add: (uuid, counter) => additions[counter].run(uuid),
  };
}
