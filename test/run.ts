/**
 * Runs all tests, or the files whose path contains one of the arguments: `npm test -- http store/lock`. Files share
 * processes, because starting a process takes longer than the tests of most files. A file whose head says `Runs alone`
 * has its own. Those run first, since they take long and wait for other programs.
 */
import { setMaxListeners } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import type { TestEvent } from "node:test/reporters";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { sharedFolder } from "./_shared.ts";

/** Test files that share a process. */
interface Batch {
  /** Paths such as `test/http/app.test.ts`. */
  readonly files: string[];
  /** The sum of their lengths, which tells roughly how long they take. */
  size: number;
}

const projectFolder = fileURLToPath(new URL("..", import.meta.url));

/** The most that a batch has, in characters of its files. */
const batchSize = 250_000;

/** How long a process may run, in milliseconds. Then it ends, and its tests have failed. */
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

/** Returns the batches in the order in which they run. Each mixes folders, since tests of one often wait for the same things. */
function toBatches(files: readonly string[]): Batch[] {
  const texts = files.map((file) => ({ file, text: readFileSync(join(projectFolder, file), "utf8") }));
  const bySize = texts.sort((one, other) => other.text.length - one.text.length);
  const isAlone = ({ text }: { readonly text: string }) => text.split("*/", 1)[0]?.includes("Runs alone");
  const alone = bySize.filter(isAlone).map(({ file, text }) => ({ files: [file], size: text.length }));
  const others = bySize.filter((each) => !isAlone(each));
  const size = others.reduce((sum, { text }) => sum + text.length, 0);
  const least = Math.ceil(size / batchSize);
  // As many in each turn: no process runs when the others have ended.
  const count = least > processes ? processes * Math.ceil(least / processes) : least;
  const batches = Array.from({ length: count }, (): Batch => ({ files: [], size: 0 }));
  for (const { file, text } of others) {
    const smallest = batches.reduce((one, other) => (other.size < one.size ? other : one));
    smallest.files.push(file);
    smallest.size += text.length;
  }
  return [...alone, ...batches];
}

/** Returns a program that runs a batch. Each file is a suite: its hooks are its own, and the results name it. */
function toProgram({ files }: Batch): string {
  const suites = files.map((file) => {
    const url = pathToFileURL(join(projectFolder, file)).href;
    return `await describe(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });\n`;
  });
  // The runner's own deadline does not end processes: since Node 24 it is that of each test.
  const end = `setTimeout(() => process.exit(1), ${deadline}).unref();\n`;
  return `import { describe } from "node:test";\n${end}${suites.join("")}`;
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
  #testsOfFile = 0;

  constructor(files: readonly string[]) {
    this.#unfinished = new Set(files);
  }

  get hasPassed(): boolean {
    return this.#counts.fail === 0 && this.#counts.pass > 0;
  }

  add({ type, data }: TestEvent): void {
    if (type === "test:stdout" || type === "test:stderr") process.stderr.write(data.message);
    if (type !== "test:pass" && type !== "test:fail") return;
    const { name, nesting, details, skip } = data;
    if (type === "test:fail" && !isOfSubtests(data.details.error)) {
      this.#fail(name, inspect(data.details.error.cause ?? data.details.error));
    }
    if (nesting === 0) this.#endFile(name, details.duration_ms, type === "test:pass" ? "pass" : "FAIL");
    else if (details.type !== "suite") {
      this.#testsOfFile += 1;
      this.#counts.tests += 1;
      if (skip !== undefined) this.#counts.skipped += 1;
      else if (type === "test:pass") this.#counts.pass += 1;
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
  print(batches: readonly Batch[]): void {
    for (const { files } of batches) {
      const [first, ...others] = files.filter((file) => this.#unfinished.has(file));
      if (first === undefined) continue;
      const rest = others.length === 0 ? "" : ` These have not run: ${others.join(", ")}.`;
      this.#fail(first, `The process ended while it ran this file.${rest}`);
    }
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

const folder = mkdtempSync(join(tmpdir(), "gameaddon-tests-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.env[sharedFolder] = folder;
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interruption.abort());

const files = findFiles(process.argv.slice(2));
const batches = toBatches(files);
const programs = batches.map((batch, index) => {
  const program = join(folder, `${index}.mjs`);
  writeFileSync(program, toProgram(batch));
  return program;
});
// The runner and each process listen for the interruption, and Node warns of more than ten listeners.
setMaxListeners(batches.length + 1, interruption.signal);
const summary = new Summary(files);
const options = { files: programs, concurrency: processes, signal: interruption.signal };
for await (const event of run(options)) summary.add(event);
summary.print(batches);
if (!summary.hasPassed) process.exitCode = interruption.signal.aborted ? 130 : 1;
