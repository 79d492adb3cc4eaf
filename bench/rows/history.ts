/** Commands that read a journal of a million changes, and a restore beside requests. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { connectControl } from "../../src/control/client.ts";
import { quantity, type Unit } from "../report/quantity.ts";
import { ask } from "../run/ask.ts";
import type { Bench } from "../run/bench.ts";
import { median } from "../run/compare.ts";
import { execute } from "../run/execute.ts";
import { ensure, NotMeasured } from "../run/failure.ts";
import { startProduct } from "../run/product.ts";
import { builtFolder, productMain, projectFolder, routesFile } from "../run/project.ts";
import type { Settings } from "../settings.ts";
import { atMost, type Row } from "./row.ts";

const mebibyte = 2 ** 20;

/** The rows of this file. */
export function historyRows({ large, short }: Settings): readonly Row[] {
  const changes = short ? 1_000 : 1_000_000;
  const [few, many] = short ? [100, 1_000] : [10_000, 100_000];
  const size = `on ${changes.toLocaleString("en-US")} changes`;
  const newest = ["audit", "--limit", "2"];
  const [fewText, manyText] = [few, many].map((each) => each.toLocaleString("en-US"));
  return [
    row(`\`audit --limit 2\` ${size}`, 1, "duration", async (bench) => {
      return (await runCommand(bench, large, changes, newest, /\tstatistic\.add\t/)).seconds;
    }),
    row(`memory of \`audit --limit 2\` ${size}, at most`, 150 * mebibyte, "bytes", async (bench) => {
      return (await runCommand(bench, large, changes, newest, /\tstatistic\.add\t/)).peak;
    }),
    row(`memory of \`data verify\` ${size}, at most`, 300 * mebibyte, "bytes", async (bench) => {
      return (await runCommand(bench, large, changes, ["data", "verify"], /: no problems\./)).peak;
    }),
    row(`the longest wait beside a restore of ${fewText} records`, 0.25, "duration", async (bench) => {
      return (await restore(bench, few)).longest;
    }),
    row(`memory for a restore of ${manyText} records`, 150 * mebibyte, "bytes", async (bench) => {
      return (await restore(bench, many)).added;
    }),
  ];
}

function row(what: string, goal: number, unit: Unit, measure: (bench: Bench) => Promise<number>): Row {
  return {
    what,
    goal: atMost(goal),
    unit,
    async run(bench) {
      const runs: number[] = [];
      for (let run = 1; run <= bench.settings.runs; run += 1) {
        const value = await measure(bench);
        bench.say(`  run ${run} of ${bench.settings.runs}: ${quantity(value, unit)}`);
        runs.push(value);
      }
      return { ours: median(runs), runs };
    },
  };
}

/** Runs a command on a folder with so many players and changes. Memory is in bytes. */
async function runCommand(
  bench: Bench,
  players: number,
  changes: number,
  command: readonly string[],
  expected: RegExp,
): Promise<{ seconds: number; peak: number }> {
  const { folder } = await bench.template(players, changes);
  const probe = pathToFileURL(join(builtFolder, "probes", "peak.js")).href;
  const options = ["--data", folder, "--routes", routesFile];
  const args = ["--import", probe, productMain, ...options, ...command];
  const what = command.join(" ");
  const cwd = projectFolder;
  const { stdout, seconds } = await execute(bench.workshop, what, process.execPath, args, { cwd });
  const [, peak] = /^peak (\d+)$/m.exec(stdout) ?? [];
  ensure(expected.test(stdout) && peak !== undefined, () => `${what} printed\n${stdout.slice(0, 500)}`);
  return { seconds, peak: Number(peak) };
}

/** Restores a backup that has one kill more of each player, while a caller adds, one request at a time. */
async function restore(bench: Bench, players: number): Promise<{ longest: number; added: number }> {
  const file = bench.workshop.path("backup.jsonl.gz");
  const changed = await bench.template(players, players);
  const backup = [productMain, "--data", changed.folder, "--routes", routesFile, "data", "backup", file];
  await execute(bench.workshop, "data backup", process.execPath, backup, { cwd: projectFolder });
  const { server, world, folder, stop } = await startProduct(bench, await bench.template(players));
  try {
    const control = await connectControl(folder);
    if (control === undefined) throw new Error("the service can not be reached through its socket");
    const before = await server.memory();
    const request = { source: { kind: "backup", file }, tokens: false } as const;
    const [caller = 0] = world.callers;
    const addition = world.path(caller, `/statistic/${world.player(caller).name}/add?type=KILL`);
    let longest = 0;
    let most = 0;
    let isOver = false;
    const adding = async () => {
      while (!isOver) {
        const began = performance.now();
        const { status } = await ask(server.url, addition);
        ensure(status === 200, () => `an addition beside the restore was answered with ${status}`);
        longest = Math.max(longest, (performance.now() - began) / 1000);
        most = Math.max(most, (await server.memory())?.resident ?? 0);
      }
    };
    const restoring = async () => {
      try {
        const { revision } = await control.previewRestore(request);
        const { changes } = await control.restoreRecords(request, revision);
        ensure(changes >= 0.9 * players, () => `the restore changed ${changes} records`);
      } finally {
        isOver = true;
      }
    };
    await Promise.all([adding(), restoring()]);
    if (before === undefined) throw new NotMeasured("the system does not tell a process's memory");
    return { longest, added: most - before.resident };
  } finally {
    await stop();
    bench.workshop.remove(file);
  }
}
