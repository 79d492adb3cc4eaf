/**
 * Finding the names of a few players in the files, without taking every line apart: only lines that say something of
 * players are parsed. The newest file that has a player tells the name.
 */
import { join } from "node:path";
import * as v from "valibot";
import { uuidIn } from "../domain/uuid.ts";
import type { RecordChange } from "../store/change.ts";
import { type Files, piecesOf } from "../store/folder/files.ts";
import {
  segmentFile,
  segmentsAfter,
  segmentsIn,
  snapshotFile,
  snapshotsIn,
} from "../store/folder/folder-names.ts";
import { bodyOffset, lineFeed } from "../store/journal/lines.ts";
import type { Entry } from "./entry.ts";
import { Names } from "./names.ts";

/** Both kinds of files name the collection of a record so, and no text of a record can: its quotes are escaped. */
const ofPlayers = '"collection":"players",';

const line = v.union([
  v.object({
    changes: v.array(
      v.object({ collection: v.string(), key: v.string(), before: v.unknown(), after: v.unknown() }),
    ),
  }),
  v.object({ collection: v.string(), record: v.object({ uuid: v.string(), name: v.string() }) }),
]);

/** The names of everybody whom some changes name: by the data as it is now, else by what the journal has. */
export async function findNames(files: Files, folder: string, entries: readonly Entry[]): Promise<Names> {
  const names = new Names();
  for (const entry of entries) names.learn(entry);
  const named = entries.flatMap(({ who, changes }) => [who, ...changes.map(({ key }) => key)]);
  const wanted = new Set(named.flatMap((text) => uuidIn(text) ?? []));
  for (const file of newestFirst(await files.readdir(folder))) {
    if (wanted.size === 0) break;
    const found = await findPlayers(files, join(folder, file), wanted);
    for (const [uuid, change] of found) {
      names.learn({ changes: [change] });
      wanted.delete(uuid);
    }
  }
  return names;
}

/** The files with data: those of the newest snapshot and what came after it, then the older segments. */
function newestFirst(listing: readonly string[]): string[] {
  const newest = snapshotsIn(listing).at(-1);
  const segments = segmentsIn(listing);
  if (newest === undefined) return segments.toReversed().map(segmentFile);
  const after = segmentsAfter(segments, newest);
  const before = segments.slice(0, segments.length - after.length);
  return [
    ...after.toReversed().map(segmentFile),
    snapshotFile(newest),
    ...before.toReversed().map(segmentFile),
  ];
}

/** What a file says last of each wanted player. A line that is damaged tells nothing: whoever verifies is told of it. */
async function findPlayers(
  files: Files,
  path: string,
  wanted: ReadonlySet<string>,
): Promise<Map<string, RecordChange>> {
  const found = new Map<string, RecordChange>();
  const take = (lines: Buffer) => {
    for (const json of linesOfPlayers(lines)) {
      // Most lines of a snapshot are of others: they are not worth parsing.
      if (json.match(/[0-9a-f]{32}/g)?.some((uuid) => wanted.has(uuid)) !== true) continue;
      for (const change of playersIn(json)) if (wanted.has(change.key)) found.set(change.key, change);
    }
  };
  let rest = Buffer.alloc(0);
  try {
    for await (const piece of piecesOf(files, path)) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
      const start = bytes.indexOf(lineFeed) + 1;
      const end = bytes.lastIndexOf(lineFeed) + 1;
      // Only the line that two pieces share is copied.
      if (start > 0) take(Buffer.concat([rest, bytes.subarray(0, start)]));
      take(bytes.subarray(start, end));
      rest = Buffer.concat([...(start > 0 ? [] : [rest]), bytes.subarray(end)]);
    }
  } catch (error) {
    // Dropped meanwhile, since its retention is over.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return found;
}

function* linesOfPlayers(bytes: Buffer): Generator<string> {
  for (let at = bytes.indexOf(ofPlayers); at !== -1; ) {
    const start = bytes.lastIndexOf(lineFeed, at) + 1;
    const end = bytes.indexOf(lineFeed, at);
    yield bytes.toString("utf8", start + bodyOffset, end);
    at = bytes.indexOf(ofPlayers, end);
  }
}

function playersIn(json: string): RecordChange[] {
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch {
    return [];
  }
  const { success, output } = v.safeParse(line, document);
  if (!success) return [];
  if ("record" in output) {
    const { collection, record } = output;
    return [{ collection, key: record.uuid, before: null, after: record }];
  }
  return output.changes.filter(({ collection }) => collection === "players");
}
