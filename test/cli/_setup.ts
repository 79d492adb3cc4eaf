/** Helpers of the tests of the command line: a working folder, in which commands run without a process. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../cli/program.ts";
import type { IO, Sink } from "../../cli/terminal/io.ts";
import { controlOf } from "../../src/control/operations.ts";
import { startControl } from "../../src/control/server.ts";
import { Service } from "../../src/service.ts";
import type { Cleanup } from "../_setup.ts";

/** The format of a token. */
export const tokenForm = /gat_[A-Za-z0-9_-]{43}/;
/** The start of every escape sequence for colours. */
export const colourBegins = "\u001b[";

/** Stores what is written, and notifies of more. */
export class Recorder implements Sink {
  readonly isTTY: boolean;
  readonly columns: number;
  text = "";
  readonly #onText: (text: string) => void;
  #waiting: (() => void)[] = [];

  constructor(isTTY: boolean, columns = 200, onText: (text: string) => void = () => {}) {
    this.isTTY = isTTY;
    this.columns = columns;
    this.#onText = onText;
  }

  write(text: string): boolean {
    this.text += text;
    this.#onText(text);
    for (const resolve of this.#waiting.splice(0)) resolve();
    return true;
  }

  /** Settles with the next write. */
  get changed(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}

/** The environment of one command. */
export interface Surroundings {
  /** Whether standard output and standard error are a terminal. */
  readonly terminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The width of the terminal; 0 if it is unknown. */
  readonly columns?: number;
  /** The content of standard input. */
  readonly input?: string;
  /** Answers a question on a terminal. */
  readonly ask?: IO["ask"];
  /** Receives the output of both streams as it comes. */
  readonly onText?: (stream: "stdout" | "stderr", text: string) => void;
}

/** The result of a command. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs until it is stopped. */
export class Running {
  readonly stdout: Recorder;
  readonly stderr: Recorder;
  /** The exit code. */
  readonly ended: Promise<number>;
  /** The exit codes with which the command aborted the process. */
  readonly aborted: number[] = [];
  readonly #stops: (() => void)[] = [];
  readonly #reloads: (() => void)[] = [];
  #isOver = false;

  constructor(
    args: readonly string[],
    cwd: string,
    { terminal = false, columns, env = {}, input = "", ask, onText = () => {} }: Surroundings,
  ) {
    this.stdout = new Recorder(terminal, columns, (text) => onText("stdout", text));
    this.stderr = new Recorder(terminal, columns, (text) => onText("stderr", text));
    const io: IO = {
      ask,
      stdout: this.stdout,
      stderr: this.stderr,
      env,
      cwd,
      readInput: async () => input,
      deliver: async (text) => void this.stdout.write(text),
      onStop: (callback) => void this.#stops.push(callback),
      onInterrupt: () => () => {},
      onReload: (callback) => void this.#reloads.push(callback),
      detachOutput: async () => ({ droppedLines: () => 0, close: async () => {} }),
      abort: (code) => void this.aborted.push(code),
      leaveSoon: () => {},
    };
    this.ended = run(args, io).finally(() => {
      this.#isOver = true;
    });
  }

  /** Waits until its output matches. Fails if the command ends before. */
  async shows(expected: RegExp, output = this.stdout): Promise<RegExpExecArray> {
    for (;;) {
      const match = expected.exec(output.text);
      if (match !== null) return match;
      const { changed } = output;
      assert.ok(!this.#isOver, `the command ended without ${expected}: ${this.stderr.text}`);
      await Promise.race([changed, this.ended]);
    }
  }

  /** Makes the command reload its configuration, as SIGHUP would. */
  reload(): void {
    for (const reload of this.#reloads) reload();
  }

  /** Stops the command as SIGTERM would. Returns the exit code. */
  stop(): Promise<number> {
    for (const stop of this.#stops.splice(0)) stop();
    return this.ended;
  }
}

/** A working folder of commands, with its data in `data` and its table in `routes.yaml`. */
export class Desk {
  readonly folder: string;
  readonly #endings: (() => Promise<unknown>)[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  get data(): string {
    return join(this.folder, "data");
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], surroundings: Surroundings = {}): Promise<Ran> {
    const running = new Running(args, this.folder, surroundings);
    const exitCode = await running.ended;
    assert.deepEqual(running.aborted, []);
    return { exitCode, stdout: running.stdout.text, stderr: running.stderr.text };
  }

  /** Runs a command that must succeed. Returns its standard output. */
  async ok(...args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(args);
    assert.equal(exitCode, 0, `${args.join(" ")} failed: ${stderr}`);
    return stdout;
  }

  /** Runs a command with `--json` that must succeed. Returns its document. */
  async json<T>(...args: readonly string[]): Promise<T> {
    return toDocument<T>(await this.ok("--json", ...args));
  }

  /** Runs a command that must fail with 1 and print nothing to standard output. Returns its standard error. */
  async fails(...args: readonly string[]): Promise<string> {
    return refused(await this.run(args), 1);
  }

  /** Runs a command that must fail as wrong usage and print nothing to standard output. Returns its standard error. */
  async misused(...args: readonly string[]): Promise<string> {
    return refused(await this.run(args), 2);
  }

  /** Starts `serve`; it is stopped after the test. */
  serve(args: readonly string[] = [], surroundings: Surroundings = {}): Running {
    const running = new Running(["serve", "--port", "0", ...args], this.folder, surroundings);
    this.beforeClear(() => running.stop());
    return running;
  }

  /** Runs a service of the folder in this process, with its control socket, until the end of the test. */
  async startService(): Promise<Service> {
    const service = await Service.open({ folder: this.data, routes: join(this.folder, "routes.yaml") });
    await service.routes.load();
    const holder = { pid: 4711, url: "http://127.0.0.1:8888", since: Date.parse("2026-11-21T12:00:00Z") };
    const control = await startControl(
      this.data,
      controlOf({ ...service.environment, service: async () => service, holder }),
    );
    this.beforeClear(async () => {
      await control.close();
      await service.close();
    });
    return service;
  }

  /** Registers something to end before the folder is removed. */
  beforeClear(end: () => Promise<unknown>): void {
    this.#endings.push(end);
  }

  /** Ends everything that uses the folder, and removes it. */
  async clear(): Promise<void> {
    for (const end of this.#endings.splice(0)) await end();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Writes a file. Returns its path. */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, text);
    return path;
  }

  /** Opens the service on the data, runs `work`, and closes the service. */
  async withService<T>(work: (service: Service) => Promise<T>, now: () => number = Date.now): Promise<T> {
    const service = await Service.open({
      folder: this.data,
      routes: join(this.folder, "routes.yaml"),
      now,
    });
    try {
      await service.routes.load();
      return await work(service);
    } finally {
      await service.close();
    }
  }

  /** Returns every file of the data folder, by name. */
  async files(): Promise<Map<string, Buffer>> {
    const entries = await readdir(this.data, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    return new Map(
      await Promise.all(files.map(async (file) => [file, await readFile(file)] satisfies [string, Buffer])),
    );
  }
}

/** Returns an empty folder. */
export async function emptyDesk(t: Cleanup): Promise<Desk> {
  const desk = new Desk(await mkdtemp(join(tmpdir(), "gameaddon-cli-")));
  t.after(() => desk.clear());
  return desk;
}

/** Returns a folder that is seeded with the shipped names. */
export async function seededDesk(t: Cleanup): Promise<Desk> {
  const desk = await emptyDesk(t);
  await desk.ok("seed", "groups");
  return desk;
}

/** Parses standard output with `--json`: one document, and nothing else. */
export function toDocument<T>(stdout: string): T {
  assert.match(stdout, /^\S.*\n$/, "one document on one line was expected");
  return JSON.parse(stdout) as T;
}

/** Returns the lines of a text that ends with a line feed. */
export function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function refused({ exitCode, stdout, stderr }: Ran, expected: 1 | 2): string {
  assert.equal(exitCode, expected, `${stdout}${stderr}`);
  assert.equal(stdout, "");
  assert.match(stderr, /\S/);
  return stderr;
}
