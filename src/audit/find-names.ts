/**
 * Finds the names of a few players in the files. Only lines about players are parsed. The newest file that has a player
 * has the present name.
 */
import { join } from "node:path";
import * as v from "valibot";
import { textOf } from "../domain/label.ts";
import { model } from "../domain/model.ts";
import { uuidIn } from "../domain/uuid.ts";
import type { RecordChange } from "../store/change.ts";
import { type Files, isMissing, piecesOf } from "../store/folder/files.ts";
import {
  segmentFile,
  segmentsAfter,
  segmentsIn,
  snapshotFile,
  snapshotsIn,
} from "../store/folder/folder-names.ts";
import { bodyOffset, lineFeed } from "../store/journal/lines.ts";
import { changesIn } from "../store/journal/record-lines.ts";
import { toSnapshotLine } from "../store/snapshot.ts";
import type { AuditEntry } from "./entry.ts";
import { PlayerNames } from "./names.ts";

/** Marks the lines about players in both kinds of files. No text of a record contains it, since its quotes are escaped. */
const ofPlayers = '"collection":"players",';

/** Finds the names of everybody in some changes: from the present data, else from the journal. */
export async function findNames(
  files: Files,
  folder: string,
  entries: readonly AuditEntry[],
): Promise<PlayerNames> {
  const names = new PlayerNames();
  for (const entry of entries) names.learn(entry);
  const ofRecord = ({ key, before, after }: RecordChange) => [key, textOf(after ?? before, "uuid") ?? ""];
  const named = entries.flatMap(({ who, changes }) => [who, ...changes.flatMap(ofRecord)]);
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

/** Returns the data files to read: the newest segments, the newest snapshot, then the older segments. */
function newestFirst(listing: readonly string[]): string[] {
  const snapshots = snapshotsIn(listing).slice(-1);
  const segments = segmentsIn(listing);
  const after = segmentsAfter(segments, snapshots[0] ?? 0);
  const before = segments.slice(0, segments.length - after.length).map(segmentFile);
  return [...before, ...snapshots.map(snapshotFile), ...after.map(segmentFile)].reverse();
}

/** Returns the last record of each wanted player in a file. Damaged lines are skipped. */
async function findPlayers(
  files: Files,
  path: string,
  wanted: ReadonlySet<string>,
): Promise<Map<string, RecordChange>> {
  const found = new Map<string, RecordChange>();
  const take = (lines: Buffer) => {
    for (const json of linesOfPlayers(lines)) {
      // Most lines of a snapshot are about other players.
      if (json.match(/[0-9a-f]{32}/g)?.some((uuid) => wanted.has(uuid)) !== true) continue;
      for (const change of playersIn(json)) if (wanted.has(change.key)) found.set(change.key, change);
    }
  };
  let rest = Buffer.alloc(0);
  try {
    for await (const piece of piecesOf(files, path)) {
      const bytes = Buffer.concat([rest, piece]);
      const end = bytes.lastIndexOf(lineFeed) + 1;
      take(bytes.subarray(0, end));
      rest = bytes.subarray(end);
    }
  } catch (error) {
    // The running service has deleted it since: it is past its retention.
    if (!isMissing(error)) throw error;
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

function playersIn(json: string): readonly RecordChange[] {
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch {
    return [];
  }
  const line = toSnapshotLine(document);
  if (line === undefined) {
    return (changesIn(document) ?? []).filter(({ collection }) => collection === "players");
  }
  if (line.end !== undefined || !v.is(model.players.schema, line.record)) return [];
  const { collection, record } = line;
  return [{ collection, key: record.uuid, before: null, after: record }];
}
