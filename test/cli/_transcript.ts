/** Runs transcripts, and compares what commands print with them. */
import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { after, before, describe, it, mock, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Interrupted } from "../../cli/terminal/io.ts";
import type { Service } from "../../src/service.ts";
import { isFull } from "../_depth.ts";
import { projectFolder } from "../_setup.ts";
import { type Mode, parseTranscript, type Scene, type Step, toWords } from "./_scenes.ts";
import { colourBegins, type Desk, emptyDesk, Running } from "./_setup.ts";

/** Values that differ from run to run, such as `[token]`, or `[token hers]` for one that occurs again. */
const kinds: Readonly<Record<string, string>> = {
  token: "gat_[A-Za-z0-9_-]{43}",
  code: "gai(?:[_-][0-9A-HJKMNP-TV-Z]{4}){4}",
  id: "[0-9a-f]{8}",
  uuid: "[0-9a-f]{32}",
  request: "[0-9a-f-]{36}",
  revision: "[0-9a-f]{12}",
  time: "\\d{4}-\\d\\d-\\d\\dT[\\d:.]{12}Z",
  n: "\\d+",
  "...": ".*",
};
const placeholder = /\[(token|code|id|uuid|request|revision|time|n|\.\.\.)(?: (\w+))?\]/g;
const anyLines = "[...]";

/** The time at which every transcript begins. The clock stands still until `date` sets it. */
export const start = Date.parse("2026-11-21T12:00:00Z");

/** Splits a command line into words, as a shell does, up to the first operator. Returns the rest as well. */
function wordsOf(line: string): { words: string[]; rest: string } {
  const words: string[] = [];
  const part = /\s*((?:'[^']*'|"[^"]*"|\\.|[^\s'"\\|&<>])+)/y;
  let at = 0;
  for (let match = part.exec(line); match !== null; match = part.exec(line)) {
    words.push((match[1] ?? "").replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, a, b, c) => a ?? b ?? c));
    at = part.lastIndex;
  }
  return { words, rest: line.slice(at).trim() };
}

const erased = new RegExp(`\\r[^\\n\\r]*${colourBegins.replace("[", "\\[")}K`, "g");

/** What a command has printed, line by line: standard error with a mark. */
class Screen {
  readonly lines: string[] = [];
  #unfinished = { stdout: "", stderr: "" };

  add(stream: "stdout" | "stderr", text: string): void {
    // Progress that is erased again does not remain on a terminal.
    const all = (this.#unfinished[stream] + text).replace(erased, "");
    const lines = all.split("\n");
    this.#unfinished[stream] = lines.pop() ?? "";
    for (const line of lines) this.#show(stream, line);
  }

  end(exitCode = 0): string[] {
    for (const stream of ["stdout", "stderr"] as const)
      if (this.#unfinished[stream] !== "") this.#show(stream, `${this.#unfinished[stream]}[no line feed]`);
    // An error that is reported goes with 1.
    const expected = this.lines.some((line) => /^! (?:␛\[31m)?error:/.test(line)) ? 1 : 0;
    if (exitCode !== expected) this.lines.push(`[exit ${exitCode}]`);
    return this.lines;
  }

  #show(stream: "stdout" | "stderr", line: string): void {
    const text = line.replaceAll("\t", "→").replaceAll("\u001b", "␛");
    this.lines.push(stream === "stderr" ? `! ${text}`.trimEnd() : text.trimEnd());
  }
}

/** The shell of this process, which is large: to start a program from it takes longer than most that transcripts use. */
let shell: ChildProcessByStdio<Writable, Readable, null> | undefined;

/** Starts a shell that ends with this process. */
function startShell() {
  const started = spawn("sh", { stdio: ["pipe", "pipe", "inherit"] });
  for (const handle of [started, started.stdin, started.stdout]) (handle as Socket).unref();
  return started;
}

/** Runs a line in a shell, in a folder. */
async function inShell(folder: string, line: string, input: string) {
  shell ??= startShell();
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const files = { in: `${folder}.in`, out: `${folder}.out`, err: `${folder}.err` };
  await writeFile(files.in, input);
  const redirected = `<${quoted(files.in)} >${quoted(files.out)} 2>${quoted(files.err)}`;
  shell.stdin.write(`(cd ${quoted(folder)} && eval ${quoted(line)}) ${redirected}; echo $?\n`);
  // Nothing else keeps this process running meanwhile.
  const late = new AbortController();
  const deadline = setTimeout(() => {
    late.abort();
    shell?.kill();
    shell = undefined;
  }, 10_000);
  const [status] = await once(shell.stdout, "data", late);
  clearTimeout(deadline);
  const [stdout, stderr] = [await readFile(files.out, "utf8"), await readFile(files.err, "utf8")];
  for (const file of Object.values(files)) await rm(file);
  return { stdout, stderr, status: Number(status) };
}

/** A folder in which a transcript runs. */
export class Session {
  readonly #t: TestContext;
  readonly #desk: Desk;
  readonly #names = new Map<string, string>();
  #running: { readonly serving: Running; readonly url: string; screen: Screen } | undefined;
  #service: Service | undefined;

  private constructor(t: TestContext, desk: Desk) {
    this.#t = t;
    this.#desk = desk;
  }

  static async open(t: TestContext, mode: Mode, template: string | undefined): Promise<Session> {
    const desk = await emptyDesk(t);
    if (template !== undefined) await cp(template, desk.folder, { recursive: true });
    t.mock.timers.enable({ apis: ["Date"], now: start });
    const session = new Session(t, desk);
    if (mode === "beside") session.#service = await desk.startService();
    return session;
  }

  /** Runs a command. Returns the lines that it shows. */
  async run({ command, columns, expected = [] }: Omit<Step, "line">): Promise<string[]> {
    const lines = await this.#run(this.#expand(command), columns, expected);
    while (lines.at(-1) === "") lines.pop();
    const port = this.#running === undefined ? "8888" : new URL(this.#running.url).port;
    return lines.map((line) =>
      line
        .replaceAll(`:${port}`, ":8888")
        .replaceAll(this.#desk.folder, "~")
        .replaceAll(projectFolder.replace(/\/$/, ""), "[package]"),
    );
  }

  /** Inserts the values of names, and the folders. */
  #expand(command: string): string {
    return this.named(command)
      .replaceAll("~/", `${this.#desk.folder}/`)
      .replaceAll("[package]/", projectFolder);
  }

  /** Replaces names that have a value. */
  named(text: string): string {
    return text.replace(placeholder, (whole) => this.#names.get(whole.slice(1, -1)) ?? whole);
  }

  async #run(line: string, columns: number | undefined, expected: readonly string[]): Promise<string[]> {
    const [, input, command = line] = /^echo (.*?) \| (.*addon-cli .*)$/.exec(line) ?? [];
    const { words, rest } = wordsOf(command);
    const env: Record<string, string> = columns === undefined ? {} : { NO_COLOR: "1" };
    while (/^[A-Z_]+=/.test(words[0] ?? "")) {
      const [name = "", value = ""] = (words.shift() ?? "").split(/=(.*)/s);
      env[name] = value;
    }
    const [name, ...args] = words;
    if (name === "addon-cli" && rest === "&") return this.#serve(args, env, columns);
    if (name === "addon-cli") {
      const screen = new Screen();
      const piped: string[] = [];
      const running = new Running(args, this.#desk.folder, {
        terminal: columns !== undefined,
        env,
        input: input === undefined ? "" : `${wordsOf(input).words.join(" ")}\n`,
        ...(columns === undefined ? {} : { columns, ask: this.#answers(expected, screen) }),
        onText: (stream, text) =>
          rest !== "" && stream === "stdout" ? piped.push(text) : screen.add(stream, text),
      });
      const exitCode = await running.ended;
      if (rest === "") return screen.end(exitCode);
      return this.#shell(rest.replace(/^\| /, "").replace(/^>/, "cat >"), piped.join(""), screen);
    }
    switch (name) {
      case "date":
        return this.#setClock(args.at(-1) ?? "");
      case "curl":
        return this.#request(args);
      case "wait-for":
        return this.#waitFor(new RegExp(args.join(" ")));
      case "kill":
        return this.#kill(args);
      default:
        return this.#shell(line, "", new Screen());
    }
  }

  async #shell(line: string, input: string, screen: Screen): Promise<string[]> {
    const { stdout, stderr, status } = await inShell(this.#desk.folder, line, input);
    screen.add("stdout", stdout);
    screen.add("stderr", stderr);
    return screen.end(status);
  }

  /** Returns a person who gives the answers in the expected lines. */
  #answers(expected: readonly string[], screen: Screen): (question: string) => Promise<string | undefined> {
    const questions = expected.filter((line) => line.startsWith("? "));
    return async (question) => {
      const [, meanwhile, answer = "^D"] = /\[y\/N\] (?:\((.*)\))?(.*)$/.exec(questions.shift() ?? "") ?? [];
      screen.lines.push(`? ${question}${meanwhile === undefined ? "" : `(${meanwhile})`}${answer}`);
      if (meanwhile !== undefined) await this.#run(this.#expand(meanwhile), undefined, []);
      if (answer === "^C") throw new Interrupted();
      return answer === "^D" ? undefined : answer;
    };
  }

  /** Sets the clock, or advances it by minutes (`+50m`), hours or days. */
  #setClock(text: string): string[] {
    const [, count, unit = ""] = /^\+(\d+)([mhd])$/.exec(text) ?? [];
    const milliseconds = Number(count) * ({ m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? 0);
    this.#t.mock.timers.setTime(count === undefined ? Date.parse(text) : Date.now() + milliseconds);
    return [];
  }

  async #serve(args: string[], env: Record<string, string>, columns: number | undefined): Promise<string[]> {
    const screen = new Screen();
    const serving = new Running(args, this.#desk.folder, {
      terminal: columns !== undefined,
      ...(columns === undefined ? {} : { columns }),
      env,
      onText: (stream, text) => (this.#running?.screen ?? screen).add(stream, text),
    });
    this.#desk.beforeClear(() => serving.stop());
    const [, url = ""] = await serving.shows(/(?:Listening on |"url":")(https?:\/\/[^/"\s]+).*\n/);
    this.#running = { serving, url, screen: new Screen() };
    return screen.end();
  }

  /** Waits until the service has printed something. Returns what it has printed since. */
  async #waitFor(words: RegExp): Promise<string[]> {
    assert.ok(this.#running !== undefined, "no service runs");
    while (!this.#running.screen.lines.some((line) => words.test(line))) await sleep(5);
    return this.#shown();
  }

  #shown(exitCode = 0): string[] {
    assert.ok(this.#running !== undefined, "no service runs");
    const { screen, url } = this.#running;
    this.#running.screen = new Screen();
    return screen.end(exitCode).map((line) => line.replaceAll(new URL(url).port, "8888"));
  }

  /** Stops the service, or makes it reload its files (`kill -HUP`). Returns what it has printed since. */
  async #kill(args: readonly string[]): Promise<string[]> {
    const { serving } = this.#running ?? assert.fail("no service runs");
    if (args.includes("-HUP")) {
      serving.reload();
      return [];
    }
    const lines = this.#shown(await serving.stop());
    this.#running = undefined;
    return lines;
  }

  /** Sends a request to the service, or to one on the folder. Returns its status with the body, or the code of a failure. */
  async #request(args: readonly string[]): Promise<string[]> {
    const [path = "", ...options] = args;
    const headers = options.filter((option) => option !== "-H").map((header) => header.split(/: (.*)/s, 2));
    const init = { headers: Object.fromEntries(headers) };
    const send = async (service: Service) => service.fetch(new Request(`http://localhost${path}`, init));
    const response =
      this.#running !== undefined
        ? await fetch(`${this.#running.url}${path}`, init)
        : await (this.#service === undefined ? this.#desk.withService(send) : send(this.#service));
    const text = await response.text();
    return [`${response.status} ${response.ok ? text : JSON.parse(text).code}`];
  }

  /** Returns whether lines are the expected ones. Names get their values. */
  matches(expected: readonly string[] | undefined, lines: readonly string[]): boolean {
    if (expected === undefined) return !lines.some((line) => /^! error:|^\[exit /.test(line));
    const [first, ...others] = expected;
    if (first === undefined) return lines.length === 0;
    if (first === anyLines) {
      for (let skipped = 0; skipped <= lines.length; skipped += 1)
        if (this.matches(others, lines.slice(skipped))) return true;
      return false;
    }
    const [line] = lines;
    return line !== undefined && this.#matchesLine(first, line) && this.matches(others, lines.slice(1));
  }

  #matchesLine(expected: string, line: string): boolean {
    const found: string[] = [];
    const source = this.named(expected)
      .split(/(\[(?:token|code|id|uuid|request|revision|time|n|\.\.\.)(?: \w+)?\])/)
      .map((part, index) => {
        if (index % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
        const name = part.slice(1, -1);
        const [kind = ""] = name.split(" ");
        if (kind === name) return kinds[kind];
        const at = found.indexOf(name);
        if (at === -1) found.push(name);
        return at === -1 ? `(${kinds[kind]})` : `\\${at + 1}`;
      });
    const match = new RegExp(`^${source.join("")}$`).exec(line);
    if (match === null) return false;
    for (const [index, name] of found.entries()) this.#names.set(name, match[index + 1] ?? "");
    return true;
  }

  /** Replaces values by their names, for a message. */
  unnamed(lines: readonly string[]): string[] {
    const named = [...this.#names].filter(([, value]) => value.length > 3);
    const text = named.reduce((all, [name, value]) => all.replaceAll(value, `[${name}]`), lines.join("\n"));
    return text
      .replace(new RegExp(String(kinds.token), "g"), "[token]")
      .replace(new RegExp(String(kinds.code), "g"), "[code]")
      .split("\n");
  }
}

/** Runs a test of a transcript. */
async function play(t: TestContext, name: string, scene: Scene, mode: Mode, template: string): Promise<void> {
  const session = await Session.open(t, mode, scene.isEmpty ? undefined : template);
  for (const { line, ...step } of scene.steps) {
    const lines = await session.run(step);
    if (step.isFailure && lines[0]?.startsWith("{")) lines[0] = toWords(lines[0]);
    if (session.matches(step.expected, lines)) continue;
    const indent = (text: readonly string[]) => text.map((line) => `    ${line}\n`).join("");
    const [expected, got] = [indent(step.expected ?? ["success"]), indent(session.unnamed(lines))];
    assert.fail(`transcripts/${name}:${line}: $ ${step.command}\nexpected:\n${expected}got:\n${got}`);
  }
}

/** Returns the mode of a scene whose turn it is. */
const byTurns = (modes: readonly Mode[], index: number) =>
  modes.filter((_, at) => at === index % modes.length);

/** Declares the tests of transcripts. They use the tools of GNU. */
export function declareTranscripts(...names: readonly string[]): void {
  const skip = process.platform === "linux" ? false : "only Linux has the tools of GNU";
  describe("the transcript", { skip }, () => {
    let template = "";
    let end: () => unknown = () => {};
    before(async () => {
      const desk = await emptyDesk({ after: (clear) => (end = clear) });
      mock.timers.enable({ apis: ["Date"], now: start });
      await desk.ok("seed", "groups").finally(() => mock.timers.reset());
      template = desk.folder;
    });
    after(() => end());
    for (const name of names)
      describe(name, () => {
        const text = readFileSync(new URL(`transcripts/${name}`, import.meta.url), "utf8");
        for (const [index, scene] of parseTranscript(text).entries())
          for (const mode of isFull ? scene.modes : byTurns(scene.modes, index))
            it(`${scene.title} (${mode})`, { timeout: 120_000 }, (t) => play(t, name, scene, mode, template));
      });
  });
}
