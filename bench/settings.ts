/** The options of `npm run bench`, and the settings of this run. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "./run/failure.ts";
import { projectFolder } from "./run/project.ts";

/** The text of `--help`, without the names of the rows. */
export const help = `npm run bench -- [scale|abuse] [options]

Measures the service against its goals and prints one Markdown table. "scale" measures the cost of requests, of a start
and of memory at 100, 10,000 and 100,000 players, and draws a plot. "abuse" measures how long a polite caller waits
beside hostile ones. Progress goes to standard error. The bench needs wrk (apt-get install wrk). Its first run installs
the peers into bench/node_modules, which takes minutes. All rows together take three quarters of an hour.

  --only <text>    measure only rows whose name contains this text; may be repeated
  --runs <n>       pairs of fresh processes per row (5; scale and abuse 3); noisy rows take three times as many
  --seconds <n>    half the time for which each side is measured in a run (2)
  --short          try the bench itself in less than a minute: check answers, do not judge speed
  --json <file>    write the results to this file (bench/results/<date>.json; none with --short)
  --svg <file>     with scale: write the plot to this file (docs/performance-scale.svg; none with --short)
  --help           print this help

Exit code: 0, even if a goal is missed; 1 if the bench failed because of a wrong answer or a process that did not
start; 2 for wrong usage. Data goes to the system's temporary folder, or to $TMPDIR, which must be on a real disk.
`;

const modes = ["goals", "scale", "abuse"] as const;

/** The settings of this run. */
export const settings = readSettings(process.argv.slice(2));

/** Returns whether `--only` selects a name. */
export function isWanted(name: string): boolean {
  const { only } = settings;
  return only.length === 0 || only.some((text) => name.toLowerCase().includes(text.toLowerCase()));
}

function readSettings(args: readonly string[]) {
  try {
    return parseSettings(args);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\nRun npm run bench -- --help for the options.\n`);
    process.exit(2);
  }
}

function parseSettings(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true, default: [] },
      runs: { type: "string" },
      seconds: { type: "string" },
      short: { type: "boolean", default: false },
      json: { type: "string" },
      svg: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const { help, short, only } = values;
  const mode = modes.find((known) => known === (positionals[0] ?? "goals"));
  if (mode === undefined || positionals.length > 1) {
    throw new Error(`expected "scale", "abuse" or nothing, got "${positionals.join(" ")}"`);
  }
  const date = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const results = `${mode === "goals" ? "" : `${mode}-`}${date}Z.json`;
  return {
    help,
    mode,
    /** Whether to try only the bench itself: tiny data, one run, speed not judged. */
    short,
    only,
    runs: short ? 1 : positive("runs", values.runs, mode === "goals" ? 5 : 3),
    seconds: short ? 0.3 : positive("seconds", values.seconds, 2),
    /** How long a process is under load before it is measured. */
    warmSeconds: short ? 0 : 5,
    /** Concurrent requests. */
    connections: 64,
    /** The number of players in a small and in a large data folder. */
    small: 100,
    large: short ? 1_000 : 100_000,
    /** The number of changes that a start replays. */
    journal: short ? 1_000 : 100_000,
    json: values.json ?? (short ? undefined : join(projectFolder, "bench", "results", results)),
    svg: values.svg ?? (short ? undefined : join(projectFolder, "docs", "performance-scale.svg")),
  };
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error(`--${name}: expected a whole number from 1 to 99999, got "${text}"`);
}
