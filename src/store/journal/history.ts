/** Reading the journal forwards, without a lock: segments only grow, appear and vanish whole. */
import type { JournalRecord } from "../change.ts";
import { type Files, isMissing } from "../folder/files.ts";
import { segmentsAfter, segmentsIn } from "../folder/folder-names.ts";
import { readSegmentFile } from "./segment-file.ts";

/** Is called with the numbers of the first and last change of a gap in the journal. */
export type OnMissing = (first: number, last: number) => void;

/**
 * Yields every change of the journal after `after`, in order. Only those of one piece of a file are in memory at a time.
 * Changes past the retention are skipped.
 * @param onMissing is called for a gap between other changes: a file was lost, or `data repair` could not save it
 * @throws Failure `STORE_UNAVAILABLE` at the first damage, after all changes before it
 */
export async function* readHistory(
  files: Files,
  folder: string,
  after = 0,
  onMissing: OnMissing = () => {},
): AsyncGenerator<JournalRecord> {
  let last: number | undefined;
  const segments = segmentsIn(await files.readdir(folder));
  const needed = segmentsAfter(segments, after);
  for (const first of needed.length === 0 ? segments : needed) {
    if (last !== undefined && first > last + 1) onMissing(last + 1, first - 1);
    let end = first - 1;
    try {
      for await (const { records } of readSegmentFile(files, folder, first)) {
        for (const { record } of records) {
          end = record.sequence;
          if (end > after) yield record;
        }
      }
      last = Math.max(last ?? 0, end);
    } catch (error) {
      // The running service has deleted it since: it is past its retention.
      if (!isMissing(error)) throw error;
      last = undefined;
    }
  }
}

/**
 * Returns a function that hands on a store's changes after one, up to the last one that the files have when it is done, and
 * when called again those that have been made since.
 * @param take is called with each
 */
export function followHistory(
  files: Files,
  store: { readonly folder: string; readonly sequence: number },
  after: number,
  take: (record: JournalRecord) => void,
): () => Promise<void> {
  let last = after;
  return async () => {
    for (let before = -1; before < last && last < store.sequence; ) {
      before = last;
      for await (const record of readHistory(files, store.folder, last)) {
        // It may not be made yet.
        if (record.sequence > store.sequence) break;
        take(record);
        last = record.sequence;
      }
    }
  };
}
