/** Completes names of the data, from the service that runs on the folder or from its files. */
import { connectControl } from "../../src/control/client.ts";
import type { CompletedKind } from "../../src/operator/completion.ts";
import type { OperatorResult } from "../../src/operator/index.ts";
import type { Files } from "../../src/store/folder/files.ts";

/**
 * Returns the names with a prefix. It takes no lock, waits for no command, and creates no folder.
 * @throws any error of reading the data
 */
export async function completedNames(
  folder: string,
  kinds: readonly CompletedKind[],
  prefix: string,
  signal: AbortSignal,
): Promise<OperatorResult<"name.complete">> {
  const input = { kinds: [...kinds], prefix };
  const running = await connectControl(folder, signal);
  if (running !== undefined) return running.run("name.complete", input);
  const { readData, readOffline } = await import("../../src/operator/offline.ts");
  const { data } = await readData(folder, await filesUntil(signal));
  return readOffline(data, "name.complete", input, Date.now());
}

/** Returns a file system that stops reading when the signal is aborted. */
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
