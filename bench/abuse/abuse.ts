/** `npm run bench -- abuse`: how long a polite caller waits beside a hostile client. */
import { once } from "node:events";
import { Agent } from "node:http";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { print, say } from "../report/output.ts";
import { median, quantity } from "../report/quantity.ts";
import { table } from "../report/table.ts";
import { ensure } from "../run/failure.ts";
import { ask } from "../run/http.ts";
import { type Product, startProduct } from "../run/product.ts";
import { prefix } from "../run/project.ts";
import { isolate, spawnChild } from "../run/temporary.ts";
import { isWanted, settings } from "../settings.ts";
import type { Achieved, Attack } from "./attack.ts";

/** The longest that the polite caller may wait beside any abuse, in seconds. */
const goals = { p99: 0.025, slowest: 0.15 };

/** The pause of the polite caller between two requests, in milliseconds. */
const pause = 4;

/** The number of the player who is the polite caller. */
const polite = 3;

/** Latencies of a caller, in seconds. */
interface Latency {
  readonly count: number;
  readonly p99: number;
  readonly slowest: number;
}

interface Abuse {
  readonly what: string;
  /** The number of players. */
  readonly size: number;
  readonly attack: (product: Product) => Omit<Attack, "port">;
}

interface Run {
  readonly calm: Latency;
  readonly abused: Latency;
  readonly achieved: Achieved;
}

const size = Math.min(2000, settings.large);
const pipelined = { connections: 64, ahead: "endless", reads: true } as const;

const abuses: readonly Abuse[] = [
  {
    what: "unknown paths, pipelined, without a token",
    size,
    attack: () => ({ ...pipelined, paths: ["/nowhere/{n}"] }),
  },
  {
    what: "changes, pipelined",
    size,
    attack: ({ dataset }) => ({
      ...pipelined,
      paths: [dataset.path(1, "/event/gangwar?attacker={n}&defender=1")],
    }),
  },
  {
    what: "unknown players among 2,000, pipelined",
    size,
    attack: ({ dataset }) => ({ ...pipelined, paths: [dataset.path(1, "/statistic/P0{n}X")] }),
  },
  {
    what: "a version that changes with each request, at 100,000 players",
    size: settings.large,
    attack: ({ dataset }) => ({
      connections: 1,
      ahead: 1,
      reads: true,
      paths: [dataset.path(1, "/mgmt"), dataset.path(1, "/mgmt/users")],
      header: "User-Agent: gameaddon/2.5.{n}",
    }),
  },
  {
    what: "paths of 15 KB, pipelined",
    size,
    attack: () => ({ ...pipelined, paths: [`${prefix}/x/${"wantedreason".repeat(1250)}/{n}`] }),
  },
  {
    what: "readers that do not read",
    size,
    attack: ({ dataset }) => ({ ...pipelined, reads: false, paths: [dataset.path(1, "/mgmt/users")] }),
  },
];

/** Measures the wanted abuses and prints their table. */
export async function measureAbuse(): Promise<{ worked: boolean; results: object }> {
  const results: { what: string; runs: readonly Run[] }[] = [];
  for (const abuse of abuses.filter(({ what }) => isWanted(what))) {
    say(abuse.what);
    const runs: Run[] = [];
    while (runs.length < settings.runs) runs.push(await isolate(() => measure(abuse)));
    results.push({ what: abuse.what, runs });
  }
  const rows = results.map(({ what, runs }) => {
    const middle = (of: "calm" | "abused", name: "p99" | "slowest") =>
      median(runs.map((run) => run[of][name]));
    const [p99, slowest] = [middle("abused", "p99"), middle("abused", "slowest")];
    const held = p99 <= goals.p99 && slowest <= goals.slowest ? "yes" : "no";
    const figures = [middle("calm", "p99"), middle("calm", "slowest"), p99, slowest];
    return [what, ...figures.map((each) => quantity(each, "duration")), settings.short ? "not judged" : held];
  });
  print(table(["a polite caller beside", "calm: 99 %", "slowest", "abused: 99 %", "slowest", "held"], rows));
  print(
    `\nGoals beside an abuse: 99 % within ${goals.p99 * 1000} ms, the slowest within ${goals.slowest * 1000} ms.\n`,
  );
  const abuse = results.map(({ what, runs }) => ({
    what,
    calm: runs.map(({ calm }) => calm),
    abused: runs.map(({ abused }) => abused),
    achieved: runs.map(({ achieved }) => achieved),
  }));
  return { worked: true, results: { abuse } };
}

async function measure({ size: players, attack }: Abuse): Promise<Run> {
  const product = await startProduct(players);
  const { server, dataset } = product;
  const urls = [
    "/wantedreason",
    "/statistic/{name}/add?type=KILL",
    "/statistic/top",
    "/statistic/{name}",
  ].map((path) => `${server.url}${dataset.path(polite, path)}`);
  const seconds = 4 * settings.seconds;
  await askPolitely(urls, settings.warmSeconds);
  const calm = await askPolitely(urls, seconds);
  const attacker = await startAttacker({ port: Number(new URL(server.url).port), ...attack(product) });
  const abused = await askPolitely(urls, seconds);
  const achieved = await attacker.end();
  server.requireAlive();
  ensure(achieved.sent > 0, () => "the attacker sent nothing");
  const { resident } = await server.memory();
  const text = ({ p99, slowest }: Latency) =>
    `${quantity(p99, "duration")}, ${quantity(slowest, "duration")}`;
  say(
    `  calm ${text(calm)}; abused ${text(abused)} (${abused.count} requests); ${achieved.answers} answers and ` +
      `${quantity(achieved.sent, "bytes")} over ${achieved.opened} connections; ${quantity(resident, "bytes")}`,
  );
  return { calm, abused, achieved };
}

/** Requests URLs in turn, over one connection. @throws BenchFailure unless each is answered with 200 */
async function askPolitely(urls: readonly string[], seconds: number): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const began = performance.now();
    const { status } = await ask(urls[latencies.length % urls.length] ?? "", {}, agent);
    latencies.push((performance.now() - began) / 1000);
    ensure(status === 200, () => `a polite request was answered with ${status}`);
    await setTimeout(pause);
  }
  agent.destroy();
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0;
  return { count: latencies.length, p99, slowest: latencies.at(-1) ?? 0 };
}

/** Starts an attacker, and waits for its first connection. */
async function startAttacker(attack: Attack): Promise<{ end(): Promise<Achieved> }> {
  const program = fileURLToPath(new URL("attack.ts", import.meta.url));
  const args = ["--import", import.meta.resolve("tsx"), program];
  const child = spawnChild(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin?.end(`${JSON.stringify(attack)}\n`);
  child.stdout?.setEncoding("utf8");
  const [output] = await Promise.race([once(child.stdout ?? child, "data"), once(child, "close")]);
  ensure(output === "connected\n", () => "the attacker could not connect");
  return {
    async end() {
      let text = "";
      child.stdout?.on("data", (piece: string) => {
        text += piece;
      });
      const ended = once(child, "close");
      child.kill("SIGTERM");
      // An attacker that waits for its own writes does not end.
      const timer = globalThis.setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(timer);
      return JSON.parse(text === "" ? '{"sent":0,"answers":0,"opened":0}' : text);
    },
  };
}
