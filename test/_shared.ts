/** What takes long to make, and is made once for all processes of a test run. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The variable by which `run.ts` names the folder of what all processes share. */
export const sharedFolder = "GAMEADDON_TEST_SHARED";

/**
 * Returns a folder that all processes of a run share. Whoever asks first makes it. Each call has a promise of its own:
 * after waiting for one of another file, Node would take the tests that follow for that file's.
 */
export async function makeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  process.env[sharedFolder] ??= ownFolder();
  const folder = join(process.env[sharedFolder], name);
  const unfinished = join(folder, "unfinished");
  const finished = join(folder, "finished");
  const failed = join(folder, "failed");
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Another process makes it. If that is killed, the deadline of the run ends this wait.
    while (!existsSync(finished)) {
      if (existsSync(failed)) throw new Error(await readFile(failed, "utf8"));
      await sleep(100);
    }
    return finished;
  }
  try {
    await mkdir(unfinished);
    await make(unfinished);
    await rename(unfinished, finished);
  } catch (error) {
    await writeFile(failed, String(error));
    throw error;
  }
  return finished;
}

/** Returns the folder of a process without `run.ts`, which is removed when that ends. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gameaddon-shared-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
