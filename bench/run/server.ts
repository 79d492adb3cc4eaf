/** A server in a process of its own, ours or a peer's, observed from outside. */
import type { ChildProcess } from "node:child_process";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { BenchFailure, messageOf } from "./failure.ts";
import { projectFolder } from "./project.ts";
import { spawnChild, temporaryPath } from "./temporary.ts";

/** The time that a server may take to start, in milliseconds. */
const startTimeout = 120_000;

/** Ticks of the kernel's clock of CPU time; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** A server that answers. Where the system does not report a figure, it is `NaN`. */
export interface Server {
  /** Without a slash at the end. */
  readonly url: string;
  /** Seconds from the start of the process until it listened. */
  readonly startSeconds: number;
  /** Returns the CPU time of all threads of the process. */
  cpuSeconds(): Promise<number>;
  /** Returns the resident memory of the process, now and at its peak, in bytes. */
  memory(): Promise<{ resident: number; peak: number }>;
  /** Returns the number of lines in its log. */
  logLines(): Promise<number>;
  /** @throws BenchFailure if the process has ended */
  requireAlive(): void;
}

/**
 * Starts a program of Node that prints a JSON document with its `url` when it listens. Its standard error, which is its
 * log, goes to a file.
 * @throws BenchFailure if it ends before, or takes too long
 */
export async function startServer(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Server> {
  const program = basename(args[0] ?? "");
  const log = temporaryPath(`${program}.log`);
  const file = await open(log, "w");
  const started = performance.now();
  const stdio = ["ignore", "pipe", file.fd] as const;
  const child = spawnChild(process.execPath, args, { cwd: projectFolder, ...options, stdio: [...stdio] });
  await file.close();
  const url = await addressOf(child).catch(async (error: unknown) => {
    const tail = (await readFile(log, "utf8")).slice(-2000);
    throw new BenchFailure(`${program} did not start: ${messageOf(error)}\n${tail}`);
  });
  const startSeconds = (performance.now() - started) / 1000;
  const processFile = (name: string) => readFile(`/proc/${child.pid}/${name}`, "utf8").catch(() => "");
  return {
    url,
    startSeconds,
    async cpuSeconds() {
      const text = await processFile("stat");
      // The second field is the program's name in parentheses, which may contain spaces.
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    async memory() {
      const text = await processFile("status");
      const bytes = (name: string) =>
        Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024;
      return { resident: bytes("VmRSS"), peak: bytes("VmHWM") };
    },
    async logLines() {
      let lines = 0;
      for await (const piece of createReadStream(log) as AsyncIterable<Buffer>) {
        for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) lines += 1;
      }
      return lines;
    },
    requireAlive() {
      const { exitCode, signalCode } = child;
      if (exitCode === null && signalCode === null) return;
      throw new BenchFailure(`the server at ${url} ended with ${exitCode ?? signalCode}`);
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    const timer = setTimeout(() => reject(new Error("it did not listen in time")), startTimeout);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      const url = /"url":\s*"(http:[^"]+?)\/?"/.exec(stdout)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`it ended with ${code ?? signal}`));
    });
  });
}
