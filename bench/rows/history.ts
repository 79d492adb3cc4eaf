/** Commands that read a journal of a million changes, and a restore beside requests. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { template } from "../data/template.ts";
import { grouped } from "../report/quantity.ts";
import { ensure } from "../run/failure.ts";
import { ask } from "../run/http.ts";
import { connect, productCommand, startProduct } from "../run/product.ts";
import { probesFolder } from "../run/project.ts";
import { runNode, temporaryPath } from "../run/temporary.ts";
import { settings } from "../settings.ts";
import { quantityRow, type Row } from "./row.ts";

const { large, short } = settings;
const changes = short ? 1_000 : 1_000_000;
const few = short ? 100 : 10_000;
const many = short ? 1_000 : 100_000;
const size = `on ${grouped(changes)} changes`;
const mebibyte = 2 ** 20;

/** The rows of this file. */
export const historyRows: readonly Row[] = [
  ...timeAndMemory(`\`audit --limit 2\` ${size}`, 1, 150, audit),
  ...timeAndMemory(`\`audit statistics\` ${size} of ${grouped(large)} players`, 20, 400, auditStatistics),
  quantityRow(
    `memory of \`data verify\` ${size}, at most`,
    500 * mebibyte,
    "bytes",
    async () => (await runCommand(["data", "verify"], /: no problems\./)).peak,
  ),
  quantityRow(
    `the longest wait beside a restore of ${grouped(few)} records`,
    0.25,
    "duration",
    async () => (await restore(few)).longest,
  ),
  quantityRow(
    `memory for a restore of ${grouped(many)} records`,
    150 * mebibyte,
    "bytes",
    async () => (await restore(many)).added,
  ),
];

function timeAndMemory(name: string, seconds: number, mebibytes: number, run: typeof audit): Row[] {
  return [
    quantityRow(name, seconds, "duration", async () => (await run()).seconds),
    quantityRow(`memory of ${name}, at most`, mebibytes * mebibyte, "bytes", async () => (await run()).peak),
  ];
}

function audit() {
  return runCommand(["audit", "--limit", "2"], /\tstatistic\.add\t/);
}

/** Nobody adds more than the limits of the table. */
function auditStatistics() {
  return runCommand(["--json", "audit", "statistics"], /^\[\]$/m);
}

/** Runs a command on the large data folder. @returns its seconds, and its peak memory in bytes */
async function runCommand(command: readonly string[], expected: RegExp) {
  const { folder } = await template(large, changes);
  const probe = pathToFileURL(join(probesFolder, "peak.js")).href;
  const { stdout, seconds } = await runNode(["--import", probe, ...productCommand(folder, ...command)]);
  const [, peak] = /^peak (\d+)$/m.exec(stdout) ?? [];
  ensure(
    expected.test(stdout) && peak !== undefined,
    () => `${command.join(" ")} printed\n${stdout.slice(0, 500)}`,
  );
  return { seconds, peak: Number(peak) };
}

/**
 * Restores a backup that has one kill more of each player, while a caller adds, one request at a time.
 * @returns the longest request in seconds, and the memory added in bytes
 */
async function restore(players: number): Promise<{ longest: number; added: number }> {
  const file = temporaryPath("backup.jsonl.gz");
  const changed = await template(players, players);
  await runNode(productCommand(changed.folder, "data", "backup", file));
  const product = await startProduct(players);
  const { server, dataset } = product;
  const control = await connect(product);
  const before = await server.memory();
  const request = { source: { kind: "backup", file }, tokens: false } as const;
  const [caller = 0] = dataset.callers;
  const addition = `${server.url}${dataset.path(caller, "/statistic/{name}/add?type=KILL")}`;
  let longest = 0;
  let most = 0;
  let isOver = false;
  const adding = async () => {
    while (!isOver) {
      const began = performance.now();
      const { status } = await ask(addition);
      ensure(status === 200, () => `an addition beside the restore was answered with ${status}`);
      longest = Math.max(longest, (performance.now() - began) / 1000);
      most = Math.max(most, (await server.memory()).resident);
    }
  };
  const restoring = async () => {
    try {
      const { revision } = await control.run("data.preview-restore", request);
      const { changes: restored } = await control.run("data.restore", { ...request, revision });
      ensure(restored >= 0.9 * players, () => `the restore changed ${restored} records`);
    } finally {
      isOver = true;
    }
  };
  await Promise.all([adding(), restoring()]);
  return { longest, added: most - before.resident };
}
