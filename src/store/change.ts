/** A change as the journal records it. */

/** The effect of a change on one record: its value before and after; null where there is none. */
export interface RecordChange {
  readonly collection: string;
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** One change. `journal/segment.ts` describes its form on disk. */
export interface JournalRecord {
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly instant: number;
  /** A player's UUID, `public`, `operator` or `system`. */
  readonly who: string;
  /** The id of the public token that the caller presented; undefined for others, and in older records. */
  readonly token?: string;
  readonly operation: string;
  /** The id of the HTTP request, or null. */
  readonly request: string | null;
  /** The revision of the route table that allowed it, or null. */
  readonly table: string | null;
  /** The number of the change that this one undoes, or null. */
  readonly undoes: number | null;
  readonly changes: readonly RecordChange[];
}
