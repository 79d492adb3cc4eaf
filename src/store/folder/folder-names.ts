/** The names that a data folder may have in it, beside its journal and snapshots: the one list of "our files". */

/** Matches what repairs, restores, upgrades and a failed sync leave behind: proof that the folder had data. */
const remains = /^(?:.*\.broken|unsynced|(?:replaced|damaged|before)-.*)$/;

/** The folder of the route tables that were in force. */
export const tablesFolder = "tables";

/** Matches hidden files, the lock, the socket, and the files that an operator may keep in the folder. */
const expected = /^(?:\..*|lock|socket|seed\.yaml|routes.*)$/;

/** Returns the names that belong to somebody else. `names` are those of a folder without journal and snapshots. */
export function foreignIn(names: readonly string[]): string[] {
  return names.filter((name) => name !== tablesFolder && !expected.test(name) && !remains.test(name));
}

/** Returns a name that proves that the folder had data before, or undefined. */
export function remainsIn(names: readonly string[]): string | undefined {
  return names.find((name) => remains.test(name));
}
