/** What the bench prints and saves. No token gets past here, whatever a message contains. */
import { mkdir, writeFile } from "node:fs/promises";
import { arch, availableParallelism, cpus, platform, totalmem } from "node:os";
import { dirname } from "node:path";
import { withoutTokens } from "../../src/identity/tokens.ts";
import { settings } from "../settings.ts";

/** Writes a line of progress to standard error. */
export function say(text: string): void {
  process.stderr.write(`${withoutTokens(text)}\n`);
}

/** Writes a result to standard output. */
export function print(text: string): void {
  process.stdout.write(withoutTokens(text));
}

/** Writes the results to the file of `--json`, with the settings and the machine, which is not identified. */
export async function saveResults(results: object): Promise<void> {
  const { json, runs, seconds, warmSeconds, short } = settings;
  if (json === undefined) return;
  const machine = {
    node: process.version,
    platform: `${platform()} ${arch()}`,
    processors: availableParallelism(),
    processor: cpus()[0]?.model ?? "unknown",
    memoryMiB: Math.round(totalmem() / 2 ** 20),
  };
  const date = new Date().toISOString();
  const document = { date, machine, settings: { runs, seconds, warmSeconds, short }, ...results };
  await writeFileIn(json, `${withoutTokens(JSON.stringify(document, null, 2))}\n`);
  say(`wrote the results to ${json}`);
}

/** Writes a file, and its folder if that is missing. */
export async function writeFileIn(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
