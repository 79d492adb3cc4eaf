/** Starts the peers with an answer or the records of the product, and checks them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { wantedReasons } from "../data/dataset.ts";
import { lists } from "../data/expected.ts";
import { checkFastify, constantHeaders, requireSameHeaders } from "./check.ts";
import { ensure, NotMeasured } from "./failure.ts";
import { ask, requireAnswer } from "./http.ts";
import { hasSQLite } from "./prepare.ts";
import type { Product } from "./product.ts";
import { benchFolder, peersFolder } from "./project.ts";
import { type Server, startServer } from "./server.ts";
import { temporaryPath } from "./temporary.ts";

/** Headers that Node adds, also for the bare peer. */
const ofNode = ["date", "connection", "keep-alive"];

/** Starts bare `node:http`, which sends the bytes of the product's answer to a path. */
export async function startBare({ server, dataset }: Product, path: string): Promise<Server> {
  const [number = 0] = dataset.callers;
  const pathOfCaller = dataset.path(number, path);
  const recorded = await ask(`${server.url}${pathOfCaller}`);
  const headers = recorded.headers.filter(([name]) => !ofNode.includes(name.toLowerCase()));
  const bare = await startPeer("bare.js", [await writeJSON({ headers, body: recorded.body })]);
  const answer = await ask(`${bare.url}${pathOfCaller}`);
  ensure(answer.body === recorded.body, () => "the bare server and the service send different bodies");
  requireSameHeaders(recorded, answer);
  return bare;
}

/** Starts Fastify with the same checks; with `synchronous`, its statistics are in SQLite. */
export async function startFastify(product: Product, synchronous?: "FULL" | "NORMAL"): Promise<Server> {
  const { server, dataset } = product;
  const args = ["--state", await writeState(product)];
  if (synchronous !== undefined) {
    if (!hasSQLite()) throw new NotMeasured("better-sqlite3 is not installed");
    args.push("--sqlite", temporaryPath("statistics.sqlite"), "--synchronous", synchronous);
  }
  const fastify = await startPeer("fastify.js", args);
  await checkFastify(fastify.url, dataset);
  const [number = 0] = dataset.callers;
  for (const path of ["/wantedreason", "/statistic/{name}"]) {
    const pathOfCaller = dataset.path(number, path);
    requireSameHeaders(await ask(`${server.url}${pathOfCaller}`), await ask(`${fastify.url}${pathOfCaller}`));
  }
  return fastify;
}

/** Starts a framework that only answers a list, as its guide shows it. */
export async function startList(product: Product, framework: string): Promise<Server> {
  const args = ["--framework", framework, "--state", await writeState(product)];
  const server = await startPeer("lists.js", args);
  const [caller = 0] = product.dataset.callers;
  const path = product.dataset.path(caller, "/wantedreason");
  await requireAnswer(`${server.url}${path}`, lists["/wantedreason"]);
  return server;
}

function startPeer(file: string, args: readonly string[]): Promise<Server> {
  // The guides of all frameworks advise NODE_ENV.
  const options = { cwd: benchFolder, env: { NODE_ENV: "production" } };
  return startServer([join(peersFolder, file), ...args], options);
}

/** Writes the records of the product for a peer, with the hashes of tokens only. */
async function writeState({ server, dataset }: Product): Promise<string> {
  const [caller = 0] = dataset.callers;
  const numbers = Array.from({ length: dataset.size + 1 }, (_, index) => index);
  const read = await ask(`${server.url}${dataset.path(caller, "/wantedreason")}`);
  // A refused change has the headers of every change.
  const change = await ask(`${server.url}${dataset.path(caller, "/statistic/Nobody/add?type=KILL")}`);
  return writeJSON({
    players: numbers.map((number) => dataset.player(number)),
    statistics: numbers.map((number) => dataset.statistic(number)),
    memberships: numbers.map((number) => dataset.membership(number)),
    tokens: [-1, ...numbers].map((number) => dataset.tokenRecord(number)),
    groups: dataset.names.filter(({ kind }) => kind === "group").map(({ name }) => name),
    groupMembers: [{ group: "BLACKLIST", uuid: dataset.player(dataset.excluded).uuid }],
    wantedReasons,
    readHeaders: constantHeaders(read),
    changeHeaders: constantHeaders(change),
  });
}

async function writeJSON(document: object): Promise<string> {
  const file = temporaryPath("peer.json");
  await writeFile(file, JSON.stringify(document));
  return file;
}
