/** Snapshots in PostgreSQL, from which new nodes begin. */
import type { Sql } from "postgres";
import type { Head } from "./sequencer.ts";

/** Inserts a snapshot, a row for each piece. */
export async function insertSnapshot(sql: Sql, head: Head, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let part = 0;
  for await (const piece of pieces) {
    await sql`insert into gameaddon.snapshots values (${head.sequence}, ${part}, ${head.chain}, ${piece})`;
    part += 1;
  }
}
