/**
 * `npm run bench`: measures the service against its goals, side by side with what each goal names, and prints one
 * Markdown table. The options are in `settings.ts`, the rows in `rows/`, how two sides are compared in
 * `run/compare.ts`.
 */
import { withoutTokens } from "../src/identity/tokens.ts";
import { measureAbuse } from "./abuse/main.ts";
import { writeJSON } from "./report/json.ts";
import { machine } from "./report/machine.ts";
import { goalTable, judge, orientationTable, type Result } from "./report/table.ts";
import { isWanted, rowsFor } from "./rows/index.ts";
import { type Orientation, orientate, orientationName } from "./rows/orientation.ts";
import type { Row } from "./rows/row.ts";
import { Bench } from "./run/bench.ts";
import { BenchFailure, NotMeasured } from "./run/failure.ts";
import { buildPeers, buildProduct, hasWrk, installPeers } from "./run/prepare.ts";
import { Workshop } from "./run/workshop.ts";
import { measureScale } from "./scale/main.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const installWrk =
  "wrk is missing. It puts the load on the servers: apt-get install wrk (Debian, Ubuntu), brew install wrk.";

async function prepare(settings: Settings, workshop: Workshop): Promise<Bench> {
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  // Hostile clients do what no load generator does.
  const needsPeers = !settings.abuse;
  const withWrk = await hasWrk(workshop);
  if (!withWrk && !settings.short && needsPeers) throw new BenchFailure(installWrk);
  if (!withWrk && needsPeers)
    say(`${installWrk}\nThis is only a try: a loop of node:http requests takes its place.`);
  if (await workshop.isInMemory())
    say("the temporary folder is in memory, where a sync costs nothing: set TMPDIR");
  if (needsPeers) await installPeers(workshop, say);
  await buildProduct(workshop, say);
  if (needsPeers) await buildPeers(workshop);
  return new Bench(settings, workshop, withWrk);
}

async function measureRow(bench: Bench, row: Row): Promise<Result> {
  try {
    const measured = await row.run(bench);
    const verdict = bench.settings.short ? "not judged" : judge(row, measured);
    const { objection } = measured;
    return { row, verdict, measured, ...(objection === undefined ? {} : { note: objection }) };
  } catch (error) {
    const note = messageOf(error);
    if (error instanceof NotMeasured) return { row, verdict: "not measured", note };
    bench.say(`  failed: ${error instanceof BenchFailure ? note : (error as Error).stack}`);
    return { row, verdict: "failed", note };
  }
}

/** @returns whether the bench itself worked */
async function measureGoals(bench: Bench): Promise<boolean> {
  const { settings } = bench;
  const rows = rowsFor(settings);
  if (rows.length === 0 && !isWanted(settings, orientationName)) {
    throw new BenchFailure(`No row has ${settings.only.join(" or ")} in its name; --help lists them.`);
  }
  const results: Result[] = [];
  for (const [each, row] of rows.entries()) {
    bench.say(`${each + 1} of ${rows.length}: ${row.what}`);
    results.push(await measureRow(bench, row));
  }
  let orientation: Orientation[] = [];
  let failed = results.some(({ verdict }) => verdict === "failed");
  if (isWanted(settings, orientationName)) {
    bench.say(orientationName);
    orientation = await orientate(bench).catch((error: unknown) => {
      bench.say(`  failed: ${messageOf(error)}`);
      failed = true;
      return [];
    });
  }
  if (results.length > 0) print(goalTable(results));
  if (orientation.length > 0) print(`\n${orientationTable(orientation)}`);
  if (!bench.withWrk) print("\nThe load came from a loop of node:http requests, since wrk is missing.\n");
  await save(settings, {
    rows: results.map(({ row: { what, goal, unit }, ...rest }) => ({ what, goal, unit, ...rest })),
    orientation,
  });
  return !failed;
}

async function save({ json, runs, seconds, warmSeconds, short }: Settings, results: object): Promise<void> {
  if (json === undefined) return;
  const settings = { runs, seconds, warmSeconds, short };
  await writeJSON(json, { date: new Date().toISOString(), machine: machine(), settings, ...results });
  process.stderr.write(`the results are in ${json}\n`);
}

function print(text: string): void {
  process.stdout.write(withoutTokens(text));
}

function helpText(settings: Settings): string {
  const rows = rowsFor({ ...settings, only: [] });
  const names = [...rows.map(({ what }) => what), orientationName].map((name) => `  ${name}\n`);
  return `${help}\nRows:\n${names.join("")}`;
}

function messageOf(error: unknown): string {
  return withoutTokens((error as Error).message);
}

async function run(settings: Settings): Promise<0 | 1> {
  const workshop = new Workshop();
  try {
    const bench = await prepare(settings, workshop);
    const measure = settings.scale ? measureScale : settings.abuse ? measureAbuse : measureGoals;
    const worked = await measure(bench, save);
    return worked ? 0 : 1;
  } catch (error) {
    const told = error instanceof BenchFailure ? error.message : String((error as Error).stack);
    process.stderr.write(`${withoutTokens(told)}\n`);
    return 1;
  } finally {
    workshop.close();
  }
}

async function main(args: readonly string[]): Promise<0 | 1 | 2> {
  let settings: Settings;
  try {
    settings = readSettings(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nnpm run bench -- --help tells the options\n`);
    return 2;
  }
  if (!settings.help) return run(settings);
  process.stdout.write(helpText(settings));
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
