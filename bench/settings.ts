/** The options of `npm run bench`: what is measured, how often and how long. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectFolder } from "./run/project.ts";

/** What a call of the bench asked for. */
export interface Settings {
  /** Whether only the help is to be printed. */
  readonly help: boolean;
  /** Whether only the bench itself is tried: everything once, tiny, its answers checked, its speed not judged. */
  readonly short: boolean;
  /** Whether the cost over size is measured and drawn, in place of the goals. */
  readonly scale: boolean;
  /** Whether it is measured what a polite caller waits beside abuse, in place of the goals. */
  readonly abuse: boolean;
  /** Parts of the names of rows; none stands for every row. */
  readonly only: readonly string[];
  /** Pairs of fresh processes for each row. */
  readonly runs: number;
  /** Half the time that each side is measured in a run: twice so long, or in turns of less. */
  readonly seconds: number;
  /** How long a process is under load before it is measured. */
  readonly warmSeconds: number;
  /** Requests that are under way at any time. */
  readonly connections: number;
  /** The players of a small and of a large data folder. */
  readonly small: number;
  readonly large: number;
  /** The changes that a start finds in the journal. */
  readonly journal: number;
  /** Where the results go; undefined for nowhere. */
  readonly json: string | undefined;
  /** Where the plot goes; undefined for nowhere. */
  readonly svg: string | undefined;
}

/** What `--help` prints. */
export const help = `npm run bench -- [scale|abuse] [options]

Measures the service against its goals and prints one Markdown table; with \`scale\`, what requests, a start and memory
cost at 100, 10,000 and 100,000 players, with a plot; with \`abuse\`, how long a polite caller waits beside hostile ones. What goes on is told on standard error. Needs wrk
(apt-get install wrk); the first call installs the peers into bench/node_modules, which takes minutes. All rows
together take three quarters of an hour.

  --only <text>    only rows whose name has this in it; may be repeated
  --runs <n>       pairs of fresh processes for each row (5; scale 3); three times as many for what differs most
  --seconds <n>    half the time that each side is measured in a run (2)
  --short          try the bench itself in less than a minute: answers are checked, speed is not judged
  --json <file>    write the results there (bench/results/<date>.json; with --short nowhere)
  --svg <file>     with scale: write the plot there (docs/performance-scale.svg; with --short nowhere)
  --help           print this

Exit code 0 also where a goal is missed; 1 where the bench failed: a wrong answer, or a process that did not start;
2 for wrong usage. The data is in the system's temporary folder, or in $TMPDIR: that has to be a real disk.
`;

/** The options of the command line. @throws Error that says what is wrong */
export function readSettings(args: readonly string[]): Settings {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true, default: [] },
      runs: { type: "string" },
      seconds: { type: "string" },
      short: { type: "boolean", default: false },
      scale: { type: "boolean", default: false },
      json: { type: "string" },
      svg: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const [what, ...rest] = positionals;
  if (rest.length > 0 || (what !== undefined && what !== "scale" && what !== "abuse")) {
    throw new Error(`expected "scale", "abuse" or nothing, got "${positionals.join(" ")}"`);
  }
  const { short } = values;
  const abuse = what === "abuse";
  const scale = values.scale || what === "scale";
  const date = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
  const results = join(
    projectFolder,
    "bench",
    "results",
    `${scale || abuse ? `${what ?? "scale"}-` : ""}${date}.json`,
  );
  return {
    help: values.help,
    short,
    scale,
    abuse,
    only: values.only,
    runs: short ? 1 : positive("runs", values.runs, scale || abuse ? 3 : 5),
    seconds: short ? 0.3 : positive("seconds", values.seconds, 2),
    warmSeconds: short ? 0 : 5,
    connections: 64,
    small: 100,
    large: short ? 1_000 : 100_000,
    journal: short ? 1_000 : 100_000,
    json: values.json ?? (short ? undefined : results),
    svg: values.svg ?? (short ? undefined : join(projectFolder, "docs", "performance-scale.svg")),
  };
}

function positive(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number from 1 on, "${text}" came`);
}
