/** Snapshots in PostgreSQL, from which new nodes begin. */
import type { Sql } from "postgres";
import type { Head } from "./sequencer.ts";

/** Inserts a snapshot, a row for about 1 MiB. */
export async function insertSnapshot(sql: Sql, head: Head, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let part = 0;
  for await (const piece of gathered(pieces)) {
    await sql`insert into gameaddon.snapshots values (${head.sequence}, ${part}, ${head.chain}, ${piece})`;
    part += 1;
  }
}

/** Gathers pieces into pieces of about 1 MiB. */
async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    // A copy, since a piece is overwritten when the next one is taken.
    gathered.push(Buffer.from(piece));
    length += piece.length;
    if (length < 1024 * 1024) continue;
    yield Buffer.concat(gathered);
    gathered = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(gathered);
}
