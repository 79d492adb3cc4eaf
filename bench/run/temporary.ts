/** The temporary folder and the child processes of the bench. Both end with it, even if a signal ends it. */
import { type ChildProcess, execFile, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir, open, readdir, statfs } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { BenchFailure, messageOf } from "./failure.ts";
import { projectFolder } from "./project.ts";

/** The type of a file system in memory, as `statfs` reports it. */
const tmpfs = 0x01021994;

/** Only its owner may read it: the path lists of wrk contain tokens. */
export const temporaryFolder = mkdtempSync(join(tmpdir(), "gameaddon-bench-"));
/** The files of the present measurement. */
const runFolder = join(temporaryFolder, "run");
const children = new Set<ChildProcess>();
let count = 0;

process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  remove(temporaryFolder);
});
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Runs a measurement, then ends the processes that it started and removes the files that it made. */
export async function isolate<T>(measure: () => Promise<T>): Promise<T> {
  await mkdir(runFolder);
  try {
    return await measure();
  } finally {
    await Promise.all(Array.from(children, end));
    remove(runFolder);
  }
}

/** Returns an unused path for a file of the present measurement. */
export function temporaryPath(name: string): string {
  count += 1;
  return join(runFolder, `${count}-${name}`);
}

/** Returns the path of a new copy of a data folder. */
export async function copyFolder(from: string): Promise<string> {
  const folder = temporaryPath("copy");
  // The socket of a killed service cannot be copied.
  await cp(from, folder, { recursive: true, filter: (path) => !path.endsWith("/socket") });
  // Otherwise the kernel would write the copy during the measurement.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = await open(join(entry.parentPath, entry.name), "r+");
    await file.sync();
    await file.close();
  }
  return folder;
}

/** Removes a file or a folder. */
export function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Returns whether the temporary folder is in memory, where a sync costs nothing. */
export async function isInMemory(): Promise<boolean> {
  return (await statfs(temporaryFolder)).type === tmpfs;
}

/** Starts a process. It inherits no settings from the environment. */
export function spawnChild(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return track(spawn(command, args, { ...options, env: { ...environment(), ...options.env } }));
}

/**
 * Runs a program of Node to its end.
 * @returns its standard output, and the seconds from its start to its end
 * @throws BenchFailure unless it exits with 0
 */
export async function runNode(args: readonly string[]): Promise<{ stdout: string; seconds: number }> {
  const started = performance.now();
  const running = promisify(execFile)(process.execPath, args, { cwd: projectFolder, env: environment() });
  track(running.child);
  const { stdout } = await running.catch((error: unknown) => {
    throw new BenchFailure(messageOf(error));
  });
  return { stdout, seconds: (performance.now() - started) / 1000 };
}

/** Kills a process and waits for its end. */
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function track(child: ChildProcess): ChildProcess {
  children.add(child);
  child.once("exit", () => children.delete(child));
  child.once("error", () => children.delete(child));
  return child;
}

function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR };
}
