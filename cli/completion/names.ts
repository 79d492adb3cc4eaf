/** Names of the data that begin as a text does: of the service that runs on the folder, or of its files. */

import { connectControl } from "../../src/control/client.ts";
import type { CompletedKind } from "../../src/operator/completion.ts";
import type { OperatorResult } from "../../src/operator/index.ts";
import type { Files } from "../../src/store/folder/files.ts";

/**
 * Returns the names. It takes no lock, waits for no command, and begins no folder.
 * @throws whatever keeps the data from being read
 */
export async function completedNames(
  folder: string,
  kinds: readonly CompletedKind[],
  prefix: string,
  signal: AbortSignal,
): Promise<OperatorResult<"name.complete">> {
  const input = { kinds: [...kinds], prefix };
  const running = await connectControl(folder, signal);
  if (running !== undefined) return running.administer("name.complete", input);
  const { readData, readOffline } = await import("../../src/operator/offline.ts");
  const { data } = await readData(folder, await filesUntil(signal));
  return readOffline(data, "name.complete", input, Date.now());
}

/** The file system, which reads no further once the signal is aborted. */
async function filesUntil(signal: AbortSignal): Promise<Files> {
  const { nodeFiles, piecesOf } = await import("../../src/store/folder/files.ts");
  return {
    ...nodeFiles,
    async *readPieces(path, from) {
      for await (const piece of piecesOf(nodeFiles, path, from)) {
        signal.throwIfAborted();
        yield piece;
      }
    },
  };
}
