/** The clock of the tortured processes: libfaketime reads its offset from a file, so it jumps while they run. */
import { access, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(
  (triple) => `/usr/lib/${triple}/faketime/libfaketime.so.1`,
);

/** libfaketime reads the file once a second. */
const cacheSeconds = 1;

/** See the head of this file. */
export class Clock {
  /** The environment of the processes; empty without libfaketime. */
  readonly env: Readonly<Record<string, string>>;
  /** How far the clock is ahead, in seconds. */
  offset = 0;
  /** How many times it was set back. */
  stepsBack = 0;
  readonly #file: string;

  private constructor(file: string, library: string | undefined) {
    this.#file = file;
    // The monotonic clock is unchanged, so that timers go on.
    this.env =
      library === undefined
        ? {}
        : {
            LD_PRELOAD: library,
            FAKETIME_TIMESTAMP_FILE: file,
            FAKETIME_CACHE_DURATION: String(cacheSeconds),
            FAKETIME_DONT_FAKE_MONOTONIC: "1",
            NO_FAKE_STAT: "1",
          };
  }

  static async in(folder: string): Promise<Clock> {
    const found = await Promise.all(
      libraries.map((path) =>
        access(path).then(
          () => path,
          () => undefined,
        ),
      ),
    );
    const clock = new Clock(
      join(folder, "clock"),
      found.find((path) => path !== undefined),
    );
    await clock.#write();
    return clock;
  }

  get canJump(): boolean {
    return Object.keys(this.env).length > 0;
  }

  /** Returns the time of the tortured processes, in milliseconds since 1970. */
  now(): number {
    return Date.now() + this.offset * 1000;
  }

  /** Sets the offset, and waits until every process has seen it. */
  async jump(seconds: number): Promise<void> {
    if (seconds < this.offset) this.stepsBack += 1;
    this.offset = seconds;
    await this.#write();
    await setTimeout(cacheSeconds * 1000 + 300);
  }

  async #write(): Promise<void> {
    await writeFile(`${this.#file}.tmp`, `${this.offset >= 0 ? "+" : ""}${this.offset}\n`);
    await rename(`${this.#file}.tmp`, this.#file);
  }
}
