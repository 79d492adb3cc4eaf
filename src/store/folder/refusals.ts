/** The refusals of a store that is not in damaged data, but in the disk or in the moment. */
import { Failure } from "../../domain/errors.ts";

/** The code of the operating system's error beneath another error, or undefined. */
function systemCode(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code }: NodeJS.ErrnoException = each;
    if (code !== undefined && /^E[A-Z0-9]+$/.test(code)) return code;
  }
  return undefined;
}

/** What an operator does about an error of the file system, in whole sentences; undefined where that is not known. */
export function remedyFor(error: unknown): string | undefined {
  switch (systemCode(error)) {
    case "ENOSPC":
      return "The disk is full: make room on it, then try again.";
    case "EDQUOT":
      return "Your quota of the disk is used up: make room, then try again.";
    case "EIO":
      return "The disk has failed to read or write: see what `dmesg` says of it. Copy the data folder to another disk while that is possible.";
    case "EROFS":
      return "The disk is read-only: see in `dmesg` why, and mount it for writing.";
    case "EACCES":
    case "EPERM":
      return "This user may not do that: check whom the file and its folder belong to, and their permissions.";
    case "EMFILE":
    case "ENFILE":
      return "Too many files are open: raise the limit (`ulimit -n`).";
    case "EEXIST":
    case "ENOTDIR":
      return "A file has the name that a folder needs: move it away, or name another folder.";
    default:
      return undefined;
  }
}

/** The errors that another data folder would not have: everything else is about this disk. */
const aboutTheFolder: ReadonlySet<string | undefined> = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOTDIR",
  "EEXIST",
]);

/** The file system refused something; its message names the file. */
export function unusable(folder: string, cause: unknown): Failure {
  const isFolder = aboutTheFolder.has(systemCode(cause));
  const remedy = isFolder ? undefined : remedyFor(cause);
  return new Failure(
    "STORE_UNAVAILABLE",
    `The data folder ${folder} can not be used: ${(cause as Error).message}.`,
    {
      hint: remedy ?? "It has to be a folder that you may write to; name another one with --data.",
      cause,
    },
  );
}

/** A snapshot failed; the message of the file system names the file. */
export function unwritten(cause: unknown): Failure {
  const remedy = remedyFor(cause) ?? "Remove the cause.";
  return new Failure("STORE_UNAVAILABLE", `The snapshot could not be written: ${(cause as Error).message}.`, {
    hint: `Nothing is lost: the journal has all changes. ${remedy} \`addon-cli data snapshot\` writes the snapshot.`,
    cause,
  });
}

/** A change could not be appended; the journal is as it was. */
export function unsaved(cause: unknown): Failure {
  return refusedChange("The change could not be saved. Nothing was changed.", cause);
}

/** The store is being closed. */
export function shuttingDown(): Failure {
  return new Failure("SHUTTING_DOWN", "The service is shutting down. Nothing was changed.", {
    hint: "Try again in a moment.",
  });
}

/** A change could not be saved, or the disk can not be relied on any more. */
export function unreliable(cause: unknown): Failure {
  return refusedChange("The data can not be saved at the moment. Nothing was changed.", cause);
}

/** The caller, a player, learns nothing of files and disks. */
function refusedChange(message: string, cause: unknown): Failure {
  const why = cause instanceof Error ? cause.message : String(cause);
  const operatorHint = [`${why}.`, remedyFor(cause)].filter((each) => each !== undefined).join(" ");
  return new Failure("STORE_UNAVAILABLE", message, { hint: "Try again in a moment.", operatorHint, cause });
}
