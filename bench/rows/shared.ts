/** Machines that share a journal in PostgreSQL, against one with its own. */
import { Agent } from "node:http";
import type { Dataset } from "../data/dataset.ts";
import { template } from "../data/template.ts";
import { additionSide, perSecond, readSide } from "../load/sides.ts";
import type { Side } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { type Answer, ask } from "../run/http.ts";
import { startPostgres } from "../run/postgres.ts";
import { type Product, productCommand, startProduct } from "../run/product.ts";
import { startServer } from "../run/server.ts";
import { copyFolder, runNode, temporaryPath } from "../run/temporary.ts";
import { settings } from "../settings.ts";
import { atLeast, compareRow, quantityRow, type Row } from "./row.ts";

/** The rows of this file. */
export const sharedRows: readonly Row[] = [
  compareRow(
    "durable additions, 64 at once, with a shared journal against the journal of the folder",
    atLeast(0.6),
    "a second",
    async () => {
      const [alone, [node]] = [await startProduct(settings.small), await startNodes(1)];
      return { ours: await additions(node as Product), other: await additions(alone) };
    },
  ),
  compareRow(
    "durable additions, 64 at once on each of two machines that share a journal, against the journal of one folder",
    atLeast(0.35),
    "a second",
    async () => {
      const [alone, nodes] = [await startProduct(settings.small), await startNodes(2)];
      return { ours: together(await Promise.all(nodes.map(additions))), other: await additions(alone) };
    },
  ),
  compareRow(
    "a read of /wantedreason (50 entries) with a shared journal against the journal of the folder",
    atLeast(0.95),
    "a second",
    async () => {
      const [alone, [node]] = [await startProduct(settings.small), await startNodes(1)];
      return {
        ours: readSide(node as Product, "/wantedreason", perSecond),
        other: readSide(alone, "/wantedreason", perSecond),
      };
    },
  ),
  quantityRow(
    "the slowest 1 % of the times from a change on one machine to its answer on another",
    0.005,
    "duration",
    slowestArrival,
  ),
  quantityRow(
    "a start of a machine whose folder lacks 100,000 changes of the shared journal",
    5,
    "duration",
    catchingUp,
  ),
];

const additions = ({ server, dataset }: Product) =>
  additionSide(server, dataset, settings.connections, perSecond);

/** Starts machines on a new journal. */
async function startNodes(count: number, url = startPostgres()): Promise<Product[]> {
  const journal = await url;
  const { dataset, folder: filled } = await template(settings.small);
  const first = await copyFolder(filled);
  await runNode(productCommand(first, "--no-input", "journal", "init", journal));
  const folders = [first, ...Array.from({ length: count - 1 }, () => temporaryPath("node"))];
  return Promise.all(folders.map((folder) => startNode(folder, journal, dataset)));
}

async function startNode(folder: string, journal: string, dataset: Dataset): Promise<Product> {
  const serve = ["serve", "--host", "127.0.0.1", "--port", "0", "--limits", "off"];
  const command = productCommand(folder, "--json", "--no-input", "--journal", journal, ...serve);
  return { server: await startServer(command), dataset, folder };
}

/** Returns sides that are measured at the same time as one. */
function together(sides: readonly Side[]): Side {
  return {
    async measure(seconds) {
      const samples = await Promise.all(sides.map((side) => side.measure(seconds)));
      return { value: samples.reduce((sum, { value }) => sum + value, 0), details: {} };
    },
  };
}

/** Returns the number of the last change that an answer knows. */
const sequenceIn = ({ headers }: Answer) =>
  headers.find(([name]) => /^addon-sequence$/i.test(name))?.[1] ?? "";

/** Returns the 99th percentile of 1,000 changes, one after another, in seconds. */
async function slowestArrival(): Promise<number> {
  const [one, other] = await startNodes(2);
  ensure(one !== undefined && other !== undefined, () => "two machines were expected");
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  for (let number = 0; number < 1000; number += 1) {
    const path = one.dataset.path(number % settings.small, "/statistic/{name}/add?type=KILL");
    const added = await ask(`${one.server.url}${path}`, {}, agent);
    const began = performance.now();
    const headers = { "Addon-At-Least": sequenceIn(added) };
    const { status } = await ask(`${other.server.url}${one.dataset.path(0, "/event")}`, headers, agent);
    ensure(status === 200, () => `the other machine answered ${status}`);
    times.push((performance.now() - began) / 1000);
  }
  return times.sort((a, b) => a - b)[989] ?? Number.NaN;
}

/** Returns how long a machine takes to start that has to catch up, in seconds. */
async function catchingUp(): Promise<number> {
  const journal = await startPostgres();
  const [one] = await startNodes(1, Promise.resolve(journal));
  ensure(one !== undefined, () => "a machine was expected");
  const folder = temporaryPath("node");
  await runNode(productCommand(folder, "--no-input", "--journal", journal, "seed", "groups"));
  const sequence = async () =>
    Number(sequenceIn(await ask(`${one.server.url}${one.dataset.path(0, "/event")}`)));
  const wanted = (await sequence()) + (settings.short ? 1000 : 100_000);
  const side = await additions(one);
  while ((await sequence()) < wanted) await side.measure(1);
  return (await startNode(folder, journal, one.dataset)).server.startSeconds;
}
