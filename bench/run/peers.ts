/** Starts the peers with what one answer of the product, or its records, are; and checks them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PeerState } from "../peers/state.ts";
import { lists } from "../scale/expected.ts";
import { wantedReasons } from "../scale/world.ts";
import { ask, requireAnswer } from "./ask.ts";
import type { Bench } from "./bench.ts";
import { checkFastify, constantHeaders, requireSameHeaders } from "./check.ts";
import { ensure, NotMeasured } from "./failure.ts";
import type { Product } from "./product.ts";
import { benchFolder, builtFolder } from "./project.ts";
import { ServerProcess } from "./server.ts";

/** Headers that Node adds on its own: it does so for the bare peer as well. */
const ofNode = ["date", "connection", "keep-alive"];

/** Bare `node:http`, sending the bytes that the product has answered a path with. */
export async function startBare(
  bench: Bench,
  { server, world }: Product,
  path: string,
): Promise<ServerProcess> {
  const [number = 0] = world.callers;
  const asked = world.path(number, path.replace("{name}", world.player(number).name));
  const recorded = await ask(server.url, asked);
  const headers = recorded.headers.filter(([name]) => !ofNode.includes(name.toLowerCase()));
  const file = bench.workshop.path("recorded.json");
  await writeFile(file, JSON.stringify({ headers, body: recorded.body }), { mode: 0o600 });
  const bare = await startPeer(bench, "bare.js", [file]);
  const answer = await ask(bare.url, asked);
  ensure(answer.body === recorded.body, () => "the bare server sends another body than the service");
  requireSameHeaders(recorded, answer);
  return bare;
}

/** Fastify with the same checks; with `synchronous`, its statistics are in SQLite. */
export async function startFastify(
  bench: Bench,
  product: Product,
  synchronous?: "FULL" | "NORMAL",
): Promise<ServerProcess> {
  if (synchronous !== undefined && !(await bench.hasSQLite)) {
    throw new NotMeasured("better-sqlite3 is not installed");
  }
  const { server, world } = product;
  const args = ["--state", await writeState(bench, product)];
  if (synchronous !== undefined) {
    args.push("--sqlite", bench.workshop.path("statistics.sqlite"), "--synchronous", synchronous);
  }
  const fastify = await startPeer(bench, "fastify.js", args);
  await checkFastify(fastify.url, world, await bench.groups);
  const [number = 0] = world.callers;
  for (const path of ["/wantedreason", `/statistic/${world.player(number).name}`]) {
    const asked = world.path(number, path);
    requireSameHeaders(await ask(server.url, asked), await ask(fastify.url, asked));
  }
  return fastify;
}

/** A framework that only answers a list, in the way of its guide. */
export async function startList(bench: Bench, product: Product, framework: string): Promise<ServerProcess> {
  const args = ["--framework", framework, "--state", await writeState(bench, product)];
  const server = await startPeer(bench, "lists.js", args);
  const [number = 0] = product.world.callers;
  await requireAnswer(server.url, product.world.path(number, "/wantedreason"), lists["/wantedreason"]);
  return server;
}

function startPeer({ workshop }: Bench, file: string, args: readonly string[]): Promise<ServerProcess> {
  // As each of their guides advises.
  const options = { cwd: benchFolder, env: { NODE_ENV: "production" } };
  return ServerProcess.start(workshop, [join(builtFolder, "peers", file), ...args], options);
}

/** The world's records for a peer. Tokens are in it as their hashes only. */
async function writeState(bench: Bench, { server, world }: Product): Promise<string> {
  const [number = 0] = world.callers;
  const numbers = Array.from({ length: world.size + 1 }, (_, each) => each);
  const read = await ask(server.url, world.path(number, "/wantedreason"));
  // A change that is refused has the headers of every change, and changes nothing.
  const change = await ask(server.url, world.path(number, "/statistic/Nobody/add?type=KILL"));
  const state: PeerState = {
    players: numbers.map((each) => world.player(each)),
    statistics: numbers.map((each) => world.statistic(each)),
    memberships: numbers.map((each) => world.membership(each)),
    tokens: [-1, ...numbers].map((each) => world.tokenRecord(each)),
    groups: await bench.groups,
    groupMembers: [{ group: "BLACKLIST", uuid: world.player(world.excluded).uuid }],
    wantedReasons,
    readHeaders: constantHeaders(read),
    changeHeaders: constantHeaders(change),
  };
  const file = bench.workshop.path("state.json");
  await writeFile(file, JSON.stringify(state), { mode: 0o600 });
  return file;
}
