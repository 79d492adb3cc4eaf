/** Runs a process to its end and gives what it wrote. */
import type { SpawnOptions } from "node:child_process";
import { BenchFailure } from "./failure.ts";
import type { Workshop } from "./workshop.ts";

/** What a process wrote, and how long it took from being started to being gone. */
export interface Executed {
  readonly stdout: string;
  readonly seconds: number;
}

/**
 * Runs a process to its end.
 * @param what for the message where it fails
 * @throws BenchFailure where it does not exit with 0
 */
export function execute(
  workshop: Workshop,
  what: string,
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Executed> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = workshop.spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", (cause) => reject(new BenchFailure(`${what} did not start: ${cause.message}`)));
    child.once("close", (code, signal) => {
      const seconds = (performance.now() - started) / 1000;
      if (code === 0) resolve({ stdout, seconds });
      else
        reject(new BenchFailure(`${what} ended with ${code ?? signal}: ${(stderr || stdout).slice(-2000)}`));
    });
  });
}
