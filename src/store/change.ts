/** A change, as it is asked for and as the journal records it. */

/** The effect of a change on one record: its value before and after; null where there is none. */
export interface RecordChange {
  readonly collection: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns where a record is, as `collection key`. */
export const placeOf = ({ collection, key }: Pick<RecordChange, "collection" | "key">): string =>
  `${collection} ${key}`;

/** One change. `journal/segment.ts` describes its form on disk. */
export interface JournalRecord {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly instant: number;
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  /** The id of the public token that the caller presented; undefined for others, and in older records. */
  readonly token?: string | undefined;
  /** Its name, such as `targetlist.add`. */
  readonly operation: string;
  /** The id of the HTTP request, or null. */
  readonly request: string | null;
  /** The revision of the route table that allowed it, or null. */
  readonly table: string | null;
  /** The number of the change that this one undoes, or null. */
  readonly undoes: number | null;
  readonly changes: readonly RecordChange[];
}

/** Who makes a change, and through which operation, for the journal. */
export type Origin = Pick<JournalRecord, "who" | "token" | "operation"> &
  Partial<Pick<JournalRecord, "request" | "table" | "undoes">>;

/** The stamp of a change: its number, and the instant in milliseconds since 1970. */
export interface ChangeStamp {
  readonly sequence: number;
  readonly now: number;
}

/** Returns what the journal records. */
export function toRecord(
  { sequence, now: instant }: ChangeStamp,
  { who, token, operation, request = null, table = null, undoes = null }: Origin,
  changes: readonly RecordChange[],
): JournalRecord {
  return { sequence, instant, who, token, operation, request, table, undoes, changes };
}
