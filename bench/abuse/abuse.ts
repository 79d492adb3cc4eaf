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

/** The longest that a polite caller may wait beside any abuse, in seconds, and the memory of the service, in bytes. */
const goals = { p99: 0.025, slowest: 0.15, peak: 400 * 2 ** 20 };

/** The pause between two polite requests, in milliseconds. They come from many callers, within the limits of each. */
const pause = 4;

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
  /** The largest resident memory of the service, in bytes. */
  readonly peak: number;
}

const size = Math.min(2000, settings.large);
const pipelined = { connections: 64, ahead: "endless", reads: true } as const;
const oneEach = { ahead: 1, reads: true } as const;
const many = { connections: 2000 };
/** Each connects again 50 ms after its answer. */
const newcomers = { ...oneEach, connections: 60, header: "Connection: close" };

const abuses: readonly Abuse[] = [
  hostile("unknown paths, pipelined, without a token", { ...pipelined, paths: ["/nowhere/{n}"] }),
  hostile("changes, pipelined", ({ dataset }) => ({
    ...pipelined,
    paths: [dataset.path(1, "/event/gangwar?attacker={n}&defender=1")],
  })),
  hostile("unknown players among 2,000, pipelined", ({ dataset }) => ({
    ...pipelined,
    paths: [dataset.path(1, "/statistic/P0{n}X")],
  })),
  hostile(
    "a version that changes with each request, at 100,000 players",
    ({ dataset }) => ({
      ...oneEach,
      connections: 1,
      paths: [dataset.path(1, "/mgmt"), dataset.path(1, "/mgmt/users")],
      header: "User-Agent: gameaddon/2.5.{n}",
    }),
    settings.large,
  ),
  hostile("paths of 15 KB, pipelined", {
    ...pipelined,
    paths: [`${prefix}/x/${"wantedreason".repeat(1250)}/{n}`],
  }),
  ...[64, 400].flatMap((connections) => {
    const row = (what: string, path: string, header = "Accept: */*") =>
      hostile(`${what}, ${connections} connections`, { ...oneEach, connections, paths: [path], header });
    return [
      // What the others have to be compared with.
      row("unknown paths one by one", "/nowhere/{n}"),
      ...["Accept", "Accept-Encoding", "If-None-Match"].map((name) => {
        const path = name === "Accept" ? "/" : `${prefix}/openapi.json`;
        return row(`\`${name}\` with 15,500 commas`, path, `${name}: ${",".repeat(15_500)}`);
      }),
      row("paths of 2,600 percent-encodings", `/${"%41".repeat(2600)}`),
    ];
  }),
  hostile("readers that do not read", ({ dataset }) => ({
    ...pipelined,
    reads: false,
    paths: [dataset.path(1, "/mgmt/users")],
  })),
  hostile("2,000 slow readers", { ...many, ahead: 1, reads: "slowly", paths: [`${prefix}/openapi.json`] }),
  hostile("2,000 slow senders", { ...many, ahead: "bytes", reads: true, paths: ["/"] }),
  hostile("5,000 idle connections", { ahead: 0, reads: true, connections: 5000, paths: ["/"] }),
  hostile("1,000 new connections a second", { ...newcomers, paths: ["/nowhere/{n}"] }),
];

/** Returns an abuse; an attack that needs a token is a function of the service. */
function hostile(what: string, attack: Abuse["attack"] | ReturnType<Abuse["attack"]>, players = size): Abuse {
  return { what, size: players, attack: typeof attack === "function" ? attack : () => attack };
}

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
    const peak = median(runs.map((run) => run.peak));
    const held = p99 <= goals.p99 && slowest <= goals.slowest && peak <= goals.peak ? "yes" : "no";
    const figures = [middle("calm", "p99"), middle("calm", "slowest"), p99, slowest];
    const verdict = settings.short ? "not judged" : held;
    return [what, ...figures.map((figure) => quantity(figure, "duration")), quantity(peak, "bytes"), verdict];
  });
  const times = ["calm: 99 %", "slowest", "abused: 99 %", "slowest"];
  print(table(["polite callers beside", ...times, "memory", "held"], rows));
  print(
    `\nGoals beside an abuse: 99 % within ${goals.p99 * 1000} ms, the slowest within ${goals.slowest * 1000} ms, at most ` +
      `${quantity(goals.peak, "bytes")}.\n`,
  );
  return { worked: true, results: { abuse: results } };
}

async function measure({ size: players, attack }: Abuse): Promise<Run> {
  const product = await startProduct(players, []);
  const { server, dataset } = product;
  const paths = ["/wantedreason", "/statistic/{name}/add?type=KILL", "/statistic/top", "/statistic/{name}"];
  const urls = dataset.callers.flatMap((caller) =>
    paths.map((path) => `${server.url}${dataset.path(caller, path)}`),
  );
  const seconds = 4 * settings.seconds;
  await askPolitely(urls, settings.warmSeconds);
  const calm = await askPolitely(urls, seconds);
  const attacker = await startAttacker({ port: Number(new URL(server.url).port), ...attack(product) });
  const abused = await askPolitely(urls, seconds);
  const achieved = await attacker.end();
  server.requireAlive();
  ensure(achieved.opened > 0, () => "the attacker opened no connection");
  const { peak } = await server.memory();
  const text = (of: Latency) => `${quantity(of.p99, "duration")}, ${quantity(of.slowest, "duration")}`;
  say(
    `  calm ${text(calm)}; abused ${text(abused)} (${abused.count} requests); ${achieved.answers} answers and ` +
      `${quantity(achieved.sent, "bytes")} over ${achieved.opened} connections; ${quantity(peak, "bytes")}`,
  );
  return { calm, abused, achieved, peak };
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

/** Starts an attacker, and waits for its connections. */
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
