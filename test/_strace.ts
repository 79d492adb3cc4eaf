/** Processes that strace kills at a system call of a folder. */
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";

/** Returns why tests with a command are skipped, or false. */
export function unavailable(command: string, ...args: string[]): string | false {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (error !== undefined) return `${command} cannot be run here: ${error.message}`;
  return status === 0 ? false : `${command} may not be used here: ${stderr.trim().slice(0, 200)}`;
}

/** Why tests with strace are skipped, or false. */
export const noStrace = unavailable(
  "strace",
  "-f",
  "-qq",
  "-o",
  "/dev/null",
  "-e",
  "inject=fdatasync:error=EIO",
  "true",
);

/** The lines of a process's standard output, and its exit code or signal. */
export interface Driven {
  readonly lines: readonly string[];
  readonly code: number | string | null;
}

/** Runs a command line to its end. One thread does all of the process's work with files: strace counts per thread. */
export function drive(command: string, args: readonly string[]): Promise<Driven> {
  const env = { PATH: process.env.PATH, UV_THREADPOOL_SIZE: "1" };
  return new Promise((resolve) => {
    execFile(command, [...args], { env, timeout: 60_000 }, (error, stdout) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      resolve({ lines, code: error === null ? 0 : (error.signal ?? error.code ?? null) });
    });
  });
}

/**
 * The calls that change files. A kill comes before its call, so what each of them leaves is tried as well. Opening and
 * closing are left out: threads that load modules do so as often, and strace would kill whichever comes first.
 */
const calls = "write,pwrite64,fsync,fdatasync,rename,unlink,ftruncate,mkdir";

/** A system call: its name, and its number among those of its thread. */
export type Point = readonly [name: string, number: number];

/** Runs a command without a fault; returns its system calls of a folder, or of files that match `path`. */
export async function callsOf(
  folder: string,
  args: readonly string[],
  path = /./,
): Promise<{ points: Point[]; driven: Driven }> {
  const trace = `${folder}.trace`;
  const watched = ["-f", "-y", "-qq", "-o", trace, "-e", `trace=${calls}`];
  const driven = await drive("strace", [...watched, process.execPath, ...args]);
  const counts = new Map<string, number>();
  const points: Point[] = [];
  for (const line of (await readFile(trace, "utf8")).split("\n")) {
    const [, thread, name = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    const key = `${thread} ${name}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (thread !== undefined && line.includes(folder) && path.test(line))
      points.push([name, counts.get(key) ?? 0]);
  }
  return { points, driven };
}

/** Runs Node, and kills it at a call. */
export function driveUntil([name, number]: Point, args: readonly string[]): Promise<Driven> {
  const inject = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${name}`];
  const kill = ["-e", `inject=${name}:signal=KILL:when=${number}`];
  return drive("strace", [...inject, ...kill, process.execPath, ...args]);
}

/** Runs tasks, at most `width` at a time. */
export async function inParallel(tasks: readonly (() => Promise<void>)[], width: number): Promise<void> {
  const rest = [...tasks];
  const worker = async () => {
    for (let task = rest.shift(); task !== undefined; task = rest.shift()) await task();
  };
  await Promise.all(Array.from({ length: width }, worker));
}
