/** The refusals of the store: what happened, and what to do about it. */
import { Failure } from "../../domain/errors.ts";
import { errorCode, reasonOf } from "../../domain/system-error.ts";
import { asArgument } from "../../domain/text.ts";
import { UnexpectedFile } from "../../regular-file.ts";

/** Returns the code of the operating system's error that caused an error, or undefined. */
export function systemCode(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = errorCode(cause);
    if (code !== undefined && /^E[A-Z0-9]+$/.test(code)) return code;
  }
  return undefined;
}

/** Returns the code of the operating system's error behind an error, in parentheses, or nothing. */
export function codeInWords(error: unknown): string {
  const code = systemCode(error);
  return code === undefined ? "" : ` (${code})`;
}

/** Returns how an operator resolves an error of the file system, in whole sentences, or undefined. */
export function remedyFor(error: unknown): string | undefined {
  if (error instanceof UnexpectedFile)
    return "Find out who created it, since it may have been planted, and move it away.";
  switch (systemCode(error)) {
    case "ENOSPC":
      return "The disk is full: make room on it, then try again.";
    case "EDQUOT":
      return "Your disk quota is used up: make room, then try again.";
    case "EIO":
      return "The disk failed to read or write: see `dmesg`. Copy the data folder to another disk while that is possible.";
    case "EROFS":
      return "The disk is read-only: see `dmesg` for the reason, and mount it for writing.";
    case "EACCES":
    case "EPERM":
      return "This user is not allowed to do that: check the owner and the permissions of the file and its folder with `ls -ld`.";
    case "EMFILE":
    case "ENFILE":
      return "Too many files are open: raise the limit (`ulimit -n`).";
    case "EEXIST":
    case "ENOTDIR":
      return "A file has the name of a required folder: move it away.";
    case "EISDIR":
      return "A folder has the name of a required file: move it away.";
    default:
      return undefined;
  }
}

/** The refusal after an error of the file system, whose message names the file. */
export function unusable(folder: string, cause: unknown): Failure {
  const code = systemCode(cause);
  // Without a code, a record of the data has another form.
  const advice = code === undefined ? "`addon-cli data verify` shows what is wrong with the data." : "";
  // Whom the data is kept from must not begin with other data.
  const hasOther = code !== undefined && code !== "EACCES" && code !== "EPERM";
  const hint = `${remedyFor(cause) ?? advice}${hasOther ? " --data names another folder." : ""}`.trimStart();
  const message = `The data folder ${folder} cannot be used: ${reasonOf(cause)}.`;
  return new Failure("STORE_UNAVAILABLE", message, { hint, cause });
}

/** The refusal of a data folder that belongs to another user than this process's. Users are numbers. */
export function ofAnotherUser(folder: string, owner: number, group: number, user: number): Failure {
  // Whoever is root may have no sudo.
  const [command, change] =
    user === 0 && process.platform === "linux"
      ? [`setpriv --reuid=${owner} --regid=${group} --clear-groups …`, `chown -R 0 ${asArgument(folder)}`]
      : [`sudo -u '#${owner}' …`, `sudo chown -R ${user} ${asArgument(folder)}`];
  return new Failure(
    "STORE_UNAVAILABLE",
    `The data folder ${folder} belongs to user ${owner}, not to user ${user}.`,
    {
      hint: `Run the command as its owner, with \`${command}\`. Only if the service is to run as user ${user}, change the owner: \`${change}\`.`,
    },
  );
}

/** The refusal of a folder without data but with files of somebody else. */
export function foreignFiles(
  code: "CONFLICT" | "STORE_UNAVAILABLE",
  folder: string,
  names: readonly string[],
): Failure {
  const shown = names.slice(0, 3).join(", ");
  return new Failure(code, `${folder} is not a data folder of this service: it contains ${shown}.`, {
    hint: "Name an empty folder, or one that does not exist yet, with --data.",
  });
}

/** The refusal that names a damaged file, the position of the damage and the next command. */
export function damaged(path: string, offset: number, what: string): Failure {
  return new Failure("STORE_UNAVAILABLE", `${path} is damaged at byte ${offset}: ${what}.`, {
    hint: "`addon-cli data verify` lists all damage, `addon-cli data repair` saves what is readable, and `addon-cli data repair --from <backup>` replaces the data with a backup; nothing was changed.",
  });
}

/** The refusal of a folder of which only something beside the data files is left. */
export function onlyRemains(folder: string, remains: string): Failure {
  const message = `${folder} has no data, only remains of earlier data: ${remains}.`;
  return new Failure("STORE_UNAVAILABLE", message, {
    hint: "Put the snapshots and the journal back, or restore a backup with `addon-cli data restore`. To start with empty data instead, remove the remains.",
  });
}

/** The refusal of a folder that lacks a segment. */
export function lacking(folder: string, sequence: number): Failure {
  return new Failure("STORE_UNAVAILABLE", `${folder} lacks the journal from change ${sequence} on.`, {
    hint: "Put the missing journal-….log back, or replace the data with a backup: `addon-cli data repair --from <backup>`. `addon-cli data verify` shows whether a snapshot has a wrong name instead. If a repair was interrupted, repeat it; nothing was changed.",
  });
}

/** The refusal of a moment before the retention. */
export function outOfReach(folder: string, sequence: number): Failure {
  return new Failure("UNKNOWN_ENTRY", `${folder} does not reach back to change ${sequence}.`, {
    hint: "`addon-cli data status` shows how far it reaches back.",
  });
}

/**
 * The refusal after a failed snapshot; the message of the file system names the file.
 * @param isCut whether the journal has fewer changes than memory
 */
export function unwritten(cause: unknown, isCut: boolean): Failure {
  const remedy = remedyFor(cause) ?? "Remove the cause.";
  const state = isCut
    ? "The journal lacks changes that only the memory of the service has: do not stop it."
    : "Nothing is lost: the journal has all changes.";
  return new Failure("STORE_UNAVAILABLE", `The snapshot could not be written: ${reasonOf(cause)}.`, {
    hint: `${state} ${remedy} \`addon-cli data snapshot\` writes the snapshot.`,
    cause,
  });
}

/** The refusal of a change that could not be appended; the journal is unchanged. */
export function unsaved(cause: unknown): Failure {
  return refusedChange("The change could not be saved. Nothing was changed.", cause);
}

/** The refusal while the store is being closed. */
export function shuttingDown(): Failure {
  return new Failure("SHUTTING_DOWN", "The service is shutting down. Nothing was changed.", {
    hint: "Try again in a moment.",
  });
}

/** The refusal of a change of data that only a command that changes something would upgrade. */
export function notUpgraded(): Failure {
  return new Failure("STORE_UNAVAILABLE", "The data is of an earlier version. Nothing was changed.");
}

/** The refusal of a change whose sync failed, or whose folder was moved meanwhile: the next start may find it. */
export function uncertain(cause: unknown): Failure {
  const hint = "Repeat it with its Idempotency-Key, or look whether it was saved before you repeat it.";
  return refusedChange(
    "The change could not be confirmed. It may have been saved, or not.",
    cause,
    hint,
    "OUTCOME_UNKNOWN",
  );
}

/** The refusal of a change after the disk has failed. */
export function unreliable(cause: unknown): Failure {
  return refusedChange("The data cannot be saved at the moment. Nothing was changed.", cause);
}

/** A player is the caller, and learns nothing about files and disks. */
function refusedChange(
  message: string,
  cause: unknown,
  hint = "Try again in a moment.",
  code: "STORE_UNAVAILABLE" | "OUTCOME_UNKNOWN" = "STORE_UNAVAILABLE",
): Failure {
  const operatorHint = `${reasonOf(cause)}. ${remedyFor(cause) ?? ""}`.trimEnd();
  return new Failure(code, message, { hint, operatorHint, cause });
}
