/** The workshop: the temporary folder and every process of a bench, gone when it ends, however it ends. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir, open, readdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The type of a file system that is only in memory, as `statfs` tells it. */
const tmpfs = 0x01021994;

/** See the head of this file. */
export class Workshop {
  /** Only the owner may look into it: scripts of wrk have tokens in them. */
  readonly folder = mkdtempSync(join(tmpdir(), "gameaddon-bench-"));
  readonly #children = new Set<ChildProcess>();
  #count = 0;

  constructor() {
    process.once("exit", () => this.close());
    for (const [signal, code] of [
      ["SIGHUP", 129],
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      process.once(signal, () => process.exit(code));
    }
  }

  /** A path in the folder that nothing has yet. */
  path(name: string): string {
    this.#count += 1;
    return join(this.folder, `${this.#count}-${name}`);
  }

  /** A folder of its own, empty or a copy of another one. */
  async newFolder(name: string, from?: string): Promise<string> {
    const folder = this.path(name);
    await mkdir(folder, { mode: 0o700 });
    // The socket of a service that was ended by force can not be copied.
    if (from !== undefined) {
      await cp(from, folder, { recursive: true, filter: (path) => !path.endsWith("/socket") });
      await syncAll(folder);
    }
    return folder;
  }

  /** Removes a folder or a file. */
  remove(path: string): void {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  /** Starts a process that ends with the workshop. It gets nothing of this process's settings. */
  spawn(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const { PATH, HOME, TMPDIR } = process.env;
    const child = spawn(command, args, { ...options, env: { PATH, HOME, TMPDIR, ...options.env } });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    child.once("error", () => this.#children.delete(child));
    return child;
  }

  /** Whether the folder is only in memory, where a sync costs nothing. */
  async isInMemory(): Promise<boolean> {
    return (await statfs(this.folder)).type === tmpfs;
  }

  /** Ends every process by force and removes the folder. */
  close(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    this.remove(this.folder);
  }
}

/** What the kernel has still to write would be written while something else is measured. */
async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = await open(join(entry.parentPath, entry.name), "r+");
    await file.sync();
    await file.close();
  }
}
