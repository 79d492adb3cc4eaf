/** The refusals of a store that is not in damaged data, but in the disk or in the moment. */
import { Failure } from "../errors.ts";

/** The file system refused something; its message names the file. */
export function unusable(folder: string, cause: unknown): Failure {
  return new Failure(
    "STORE_UNAVAILABLE",
    `The data folder ${folder} can not be used: ${(cause as Error).message}.`,
    {
      hint: "It has to be a folder that you may write to; name another one with --data.",
      cause,
    },
  );
}

/** A snapshot failed; the message of the file system names the file. */
export function unwritten(cause: unknown): Failure {
  return new Failure("STORE_UNAVAILABLE", `The snapshot could not be written: ${(cause as Error).message}.`, {
    hint: "Nothing is lost, the journal has all changes. Make room on the disk, then `addon-cli data snapshot`.",
    cause,
  });
}

/** The store is being closed. */
export function shuttingDown(): Failure {
  return new Failure("SHUTTING_DOWN", "The service is shutting down. Nothing was changed.", {
    hint: "Try again in a moment.",
  });
}

/** A change could not be saved, or the disk can not be relied on any more. */
export function unreliable(cause: unknown): Failure {
  return new Failure("STORE_UNAVAILABLE", "The data can not be saved at the moment. Nothing was changed.", {
    hint: "Try again in a moment.",
    cause,
  });
}
