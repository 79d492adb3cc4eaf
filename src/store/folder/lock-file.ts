/**
 * The file of a data folder's lock, for those who do not hold it. Its holder writes its process id there, which can
 * be read without the holder's help, even while that is stopped.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../domain/errors.ts";

/** The path of a folder's lock file. It is never unlinked or replaced: the lock is on the file, not on its name. */
export function lockFile(folder: string): string {
  return join(folder, "lock");
}

/**
 * The process that has written its id into a folder's lock file; undefined where none has. Means something only while
 * the lock is held: a process that was killed leaves its id behind.
 */
export async function lockHolder(folder: string): Promise<number | undefined> {
  const text = await readFile(lockFile(folder), "utf8").catch(() => "");
  return /^[1-9]\d{0,9}\n$/.test(text) ? Number(text) : undefined;
}

/**
 * Whether a process is stopped, as by SIGSTOP, or could run; undefined where the system does not say. Only Linux has
 * that in a file.
 */
export async function processState(pid: number): Promise<"stopped" | "running" | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
  // The name of the program comes first, in parentheses, and may contain anything.
  const [state] = stat?.slice(stat.lastIndexOf(")") + 2) ?? "";
  if (state === undefined) return undefined;
  return state === "T" || state === "t" ? "stopped" : "running";
}

/** Another process has the folder. */
export class FolderHeld extends Failure {
  /** The id of that process, where it is known. */
  readonly pid: number | undefined;

  constructor(folder: string, pid: number | undefined) {
    const who = pid === undefined ? "Another process" : `Another process (${pid})`;
    super("STORE_UNAVAILABLE", `${who} has the data folder ${folder} open.`, {
      hint: "Wait until it is done, or name another folder with --data.",
    });
    this.pid = pid;
  }
}
