/** The journal and the newest snapshot of a data folder, as a scrape reports them. */
import { join } from "node:path";
import { nodeFiles, sizeOf } from "../store/folder/files.ts";
import { segmentFile, segmentsIn, snapshotFile, snapshotsIn } from "../store/folder/folder-names.ts";
import { listData, retryIfMissing } from "../store/folder/listing.ts";
import { readInstant } from "../store/journal/decoding.ts";

/** The size of files in bytes, and when the oldest was begun, in milliseconds since 1970; undefined if that is unknown. */
export interface Written {
  readonly bytes: number;
  readonly since: number | undefined;
}

/** Reads the headers and the sizes of the files in a data folder: there may be no snapshot yet. Takes no lock. */
export function readDataFiles(folder: string) {
  return retryIfMissing(async () => {
    const names = await listData(nodeFiles, folder);
    const segments = segmentsIn(names).map((first) => join(folder, segmentFile(first)));
    const [oldest] = segments;
    const newest = snapshotsIn(names).at(-1);
    const sizes = await Promise.all(segments.map((path) => sizeOf(nodeFiles, path)));
    return {
      journal: {
        bytes: sizes.reduce((sum, size) => sum + size, 0),
        since: oldest === undefined ? undefined : await readInstant(nodeFiles, oldest),
      },
      snapshot: newest === undefined ? undefined : await snapshotAt(join(folder, snapshotFile(newest))),
    };
  });
}

async function snapshotAt(path: string): Promise<Written> {
  return { bytes: await sizeOf(nodeFiles, path), since: await readInstant(nodeFiles, path) };
}
