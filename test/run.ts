/**
 * Runs all tests, or the files whose path contains one of the arguments: `npm test -- http store/lock`. A few processes
 * take one file after another, because starting a process takes longer than the tests of most files.
 */
import { setMaxListeners } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { sharedFolder } from "./_shared.ts";

const projectFolder = fileURLToPath(new URL("..", import.meta.url));

/** For how much to run a process starts, in characters of the files; a file that starts programs counts as that many more. */
const worthProcess = 100_000;

/** How long a file may run, in milliseconds. Then its process ends, and its tests have failed. */
const deadline = 10 * 60_000;

/** How many processes run at a time. Many tests wait for other programs. */
const processes = 2 * availableParallelism();

/** How many of the slowest files are listed. */
const slowest = 10;

function findFiles(patterns: readonly string[]): string[] {
  const names = readdirSync(join(projectFolder, "test"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  const isChosen = (file: string) => patterns.some((pattern) => file.includes(pattern));
  return (patterns.length === 0 ? files : files.filter(isChosen)).sort();
}

/** Returns the files in the order in which they are begun, and how many processes take them. */
function arrange(files: readonly string[]): { readonly ordered: string[]; readonly count: number } {
  const texts = files.map((file) => ({ file, text: readFileSync(join(projectFolder, file), "utf8") }));
  // Those that take longest come first, so that all processes end together: they start other programs, or have many tests.
  const starting =
    /from "(?:node:child_process|.*\/_(?:browser|build|nodes|page|process|strace|transcript)\.ts)"/;
  const lengthOf = (text: string) => text.length + (starting.test(text) ? worthProcess : 0);
  const bySize = texts.sort((one, other) => lengthOf(other.text) - lengthOf(one.text));
  const size = texts.reduce((sum, { text }) => sum + lengthOf(text), 0);
  return {
    ordered: bySize.map(({ file }) => file),
    count: Math.min(processes, Math.ceil(size / worthProcess)),
  };
}

/**
 * Returns a program that runs those of the files that no other process has begun. Each file is a suite: its hooks are its
 * own, and the results name it.
 * @param begun a folder, in which each process creates one for a file that it begins
 */
function toProgram(files: readonly string[], begun: string): string {
  const suites = files.map((file) => {
    const place = join(begun, file.replaceAll("/", "+"));
    return { file, place, url: pathToFileURL(join(projectFolder, file)).href };
  });
  // The runner's own deadline does not end processes: since Node 24 it is that of each test.
  return `import { mkdirSync } from "node:fs";
import { describe } from "node:test";
let timer;
for (const { file, place, url } of ${JSON.stringify(suites)}) {
  try {
    mkdirSync(place);
  } catch {
    continue;
  }
  clearTimeout(timer);
  timer = setTimeout(() => process.exit(1), ${deadline}).unref();
  await describe(file, async () => { await import(url); });
}
`;
}

/** Returns whether a suite failed only because one of its tests did. */
function isOfSubtests(error: Error): boolean {
  return "failureType" in error && error.failureType === "subtestsFailed";
}

/** Counts results as they arrive, which they do file by file, and prints files and failures. */
class Summary {
  readonly #unfinished: Set<string>;
  readonly #times = new Map<string, number>();
  readonly #counts = { tests: 0, pass: 0, fail: 0, skipped: 0 };
  /** The titles of the file, the suites and the test that are reported now. */
  #titles: string[] = [];
  #testsOfFile = 0;

  constructor(files: readonly string[]) {
    this.#unfinished = new Set(files);
  }

  get hasPassed(): boolean {
    return this.#counts.fail === 0 && this.#counts.tests > 0;
  }

  add({ type, data }: TestEvent): void {
    if (type === "test:stdout" || type === "test:stderr") process.stderr.write(data.message);
    if (type === "test:start") this.#titles = [...this.#titles.slice(0, data.nesting), data.name];
    if (type !== "test:pass" && type !== "test:fail") return;
    const { name, nesting, details, skip } = data;
    if (type === "test:fail" && !isOfSubtests(data.details.error)) {
      this.#fail(
        [...this.#titles.slice(0, nesting), name].join(" › "),
        inspect(data.details.error.cause ?? data.details.error),
      );
    }
    if (nesting === 0) this.#endFile(name, details.duration_ms, type === "test:pass" ? "pass" : "FAIL");
    // A suite that is skipped reports none of its tests.
    else if (details.type !== "suite" || skip !== undefined) {
      this.#testsOfFile += 1;
      this.#counts.tests += 1;
      if (skip !== undefined) {
        this.#counts.skipped += 1;
        console.log(`skip ${name}: ${skip}`);
      } else if (type === "test:pass") this.#counts.pass += 1;
    }
  }

  #endFile(file: string, milliseconds: number, result: string): void {
    // The process of a batch is reported like a file, if it failed as a whole.
    if (!this.#unfinished.delete(file)) return;
    if (this.#testsOfFile === 0 && result === "pass") this.#fail(file, "It has no tests.");
    this.#testsOfFile = 0;
    this.#times.set(file, milliseconds);
    console.log(`${result} ${file} (${toSeconds(milliseconds)})`);
  }

  #fail(name: string, reason: string): void {
    this.#counts.fail += 1;
    console.log(`\nFAIL ${name}\n${reason}\n`);
  }

  /** Prints the slowest files, and the counts in the form of Node's own reporters. */
  print(): void {
    for (const file of this.#unfinished) this.#fail(file, "Its process ended before it did.");
    console.log("\nThe slowest files:");
    const times = [...this.#times].sort(([, one], [, other]) => other - one);
    for (const [file, time] of times.slice(0, slowest))
      console.log(`${toSeconds(time).padStart(9)}  ${file}`);
    console.log();
    for (const [name, count] of Object.entries(this.#counts)) console.log(`# ${name} ${count}`);
  }
}

function toSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

// On a disk, tests wait for `fsync` for a tenth of the time. At full depth they take 2 GiB.
const memory = "/dev/shm";
const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
if (bavail * bsize >= 2 ** 32) process.env.TMPDIR ??= memory;
const folder = mkdtempSync(join(tmpdir(), "gameaddon-tests-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.env[sharedFolder] = folder;
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interruption.abort());

const files = findFiles(process.argv.slice(2));
const begun = join(folder, "begun");
mkdirSync(begun);
const { ordered, count } = arrange(files);
const programs = Array.from({ length: count }, (_, index) => join(folder, `${index}.mjs`));
for (const program of programs) writeFileSync(program, toProgram(ordered, begun));
// The runner and each process listen for the interruption, and Node warns of more than ten listeners.
setMaxListeners(programs.length + 1, interruption.signal);
const summary = new Summary(files);
const options = { files: programs, concurrency: processes, signal: interruption.signal };
for await (const event of run(options)) summary.add(event);
summary.print();
if (!summary.hasPassed) process.exitCode = interruption.signal.aborted ? 130 : 1;
