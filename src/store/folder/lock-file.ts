/** The lock file of a data folder, for processes that do not hold the lock. Its holder writes its process id there. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../domain/errors.ts";
import { readRegular } from "../../regular-file.ts";

/** Returns the path of a folder's lock file. It is never unlinked or replaced: the lock is on the file, not its name. */
export function lockFile(folder: string): string {
  return join(folder, "lock");
}

/**
 * Returns the process id in a folder's lock file, or undefined. It is valid only while the lock is held: a process that
 * was killed leaves its id behind.
 */
export async function lockHolder(folder: string): Promise<number | undefined> {
  const text = (await readRegular(lockFile(folder)).catch(() => "")).toString();
  return /^[1-9]\d{0,9}\n$/.test(text) ? Number(text) : undefined;
}

/** Returns whether a process is stopped, as by SIGSTOP; undefined where the system is not Linux, or there is none. */
export async function processState(pid: number): Promise<"stopped" | "running" | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The name of the program comes first, in parentheses, and may contain any character.
  const [state] = stat?.slice(stat.lastIndexOf(")") + 2) ?? "";
  if (state === undefined) return undefined;
  return state === "T" || state === "t" ? "stopped" : "running";
}

/** The refusal while another process has the folder. */
export class FolderHeld extends Failure {
  /** The id of that process, if known. */
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    const who = pid === undefined ? "Another process" : `Another process (${pid})`;
    super("STORE_UNAVAILABLE", `${who} has the data folder ${folder} open.`, {
      hint: "Wait until it is done, or name another folder with --data.",
    });
    this.pid = pid;
  }
}
