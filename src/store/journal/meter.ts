/** What a store measures of its journal and its snapshots. */

/** Durations are in milliseconds. */
export interface Meter {
  /** Changes were appended to the journal in one batch, and are durable. */
  appended(changes: number, milliseconds: number): void;
  /** A batch of changes could not be appended. */
  appendFailed(): void;
  /** A piece was synced, which is most of an append; with a system that writes and syncs in one call, also written. */
  synced(milliseconds: number): void;
  /** A batch was appended to the shared journal. */
  shared?(milliseconds: number): void;
  /** A batch has to be decided again, because another node was faster. */
  moved?(): void;
  /** A snapshot was written, or could not be. */
  snapshot(result: "written" | "failed"): void;
}
