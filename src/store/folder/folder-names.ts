/** The names of everything that a data folder may contain. */

/** The folder of the route tables that were in force. */
export const tablesFolder = "tables";

/** A file that marks a failed sync: what the next start reads may never have reached the disk. */
export const unsyncedMarker = "unsynced";

/** The file that says of which shared journal the folder is a copy. */
export const sharedMarker = "shared-journal";

/** The end of the name under which recovery keeps the incomplete end of a segment. */
export const brokenSuffix = ".broken";

const snapshotName = /^snapshot-(\d{12})\.jsonl$/;
const segmentName = /^journal-(\d{12})\.log$/;
/** Temporary files: a snapshot or a segment before it is whole. */
const temporaryName = /^\.(snapshot|journal)-.*\.tmp$/;
/** Hidden files, the lock, the socket, and the files that an operator may keep in the folder. */
const expectedName = /^(?:\..*|lock|socket|shared-journal|seed\.yaml|routes.*)$/;
const earlierKinds = ["replaced", "damaged", "before"] as const;

/** Returns the file name of the snapshot that contains all changes up to a sequence number. */
export function snapshotFile(sequence: number): string {
  return `snapshot-${padded(sequence)}.jsonl`;
}

/** Returns the file name of the segment that begins with a sequence number. */
export function segmentFile(first: number): string {
  return `journal-${padded(first)}.log`;
}

/** Returns the sequence numbers of the snapshots in a listing, ascending. */
export function snapshotsIn(names: readonly string[]): number[] {
  return numbersIn(names, snapshotName);
}

/** Returns the first sequence numbers of the segments in a listing, ascending. */
export function segmentsIn(names: readonly string[]): number[] {
  return numbersIn(names, segmentName);
}

/** Returns, of the first numbers of segments, those of the segments that contain the changes after `sequence`. */
export function segmentsAfter(firsts: readonly number[], sequence: number): readonly number[] {
  const covering = firsts.findLastIndex((first) => first <= sequence + 1);
  return covering === -1 ? [] : firsts.slice(covering);
}

/** Returns whether a name is that of a snapshot or a segment. */
export function isDataFile(name: string): boolean {
  return snapshotName.test(name) || segmentName.test(name);
}

/** Returns whether a name is that of a file that the service writes into a data folder. */
export function isServiceFile(name: string): boolean {
  return (
    isDataFile(name) || belongsToData(name) || name === "lock" || name === "socket" || name === sharedMarker
  );
}

/** Returns whether a listing has data of the service. */
export function hasData(names: readonly string[]): boolean {
  return names.some(isDataFile);
}

/** Returns whether a crash left this file: it never got the name of a snapshot or a segment. */
export function isTemporary(name: string): boolean {
  return temporaryName.test(name);
}

/** Returns the name of a folder for earlier data files, such as `before-version-3`. */
export function earlierFolder(kind: (typeof earlierKinds)[number], what: string): string {
  return `${kind}-${what}`;
}

/** Returns whether a name is that of a folder with earlier data files. */
export function isEarlierFolder(name: string): boolean {
  return earlierKinds.some((kind) => name.startsWith(earlierFolder(kind, "")));
}

/** Returns whether a file says something about the data files beside it: it has to move with them. */
export function belongsToData(name: string): boolean {
  return name === unsyncedMarker || name.endsWith(brokenSuffix);
}

/** Returns the names that are not the service's. `names` are those of a folder without journal and snapshots. */
export function foreignIn(names: readonly string[]): string[] {
  return names.filter((name) => name !== tablesFolder && !expectedName.test(name) && !provesData(name));
}

/** Returns a name that is left of a folder that had data, or undefined. */
export function remainsIn(names: readonly string[]): string | undefined {
  return names.find((name) => name === tablesFolder || provesData(name));
}

/** Returns whether a listing proves that there was data: a folder `tables` alone may be somebody else's. */
export function hasEarlierData(names: readonly string[]): boolean {
  return names.some(provesData);
}

/** Repairs, restores, upgrades and a failed sync leave such names. */
function provesData(name: string): boolean {
  return belongsToData(name) || isEarlierFolder(name);
}

function padded(number: number): string {
  return String(number).padStart(12, "0");
}

function numbersIn(names: readonly string[], pattern: RegExp): number[] {
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}
