/** A file that a command writes for an operator. */
import { basename, dirname } from "node:path";
import { Failure } from "../errors.ts";
import type { Files } from "../store/files.ts";

/**
 * Makes sure that a file can be written without taking another one's place.
 * @throws Failure `CONFLICT` where it exists and `force` is false, `UNKNOWN_ENTRY` where its folder does not
 */
export async function requireFree(files: Files, path: string, force: boolean): Promise<void> {
  const names = await files.readdir(dirname(path)).catch((cause) => {
    throw new Failure(
      "UNKNOWN_ENTRY",
      `There is no folder ${dirname(path)} to write ${basename(path)} into.`,
      {
        cause,
      },
    );
  });
  if (force || !names.includes(basename(path))) return;
  throw new Failure("CONFLICT", `${path} exists already.`, {
    hint: "Name another file, or give --force to overwrite it.",
  });
}
