/** `npm run bench -- abuse`: how long a polite caller waits beside others who abuse the service. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { quantity } from "../report/quantity.ts";
import { table } from "../report/table.ts";
import type { Bench } from "../run/bench.ts";
import { median } from "../run/compare.ts";
import { ensure } from "../run/failure.ts";
import { type Product, startProduct } from "../run/product.ts";
import { prefix } from "../run/project.ts";
import type { Settings } from "../settings.ts";
import type { Achieved, Attack } from "./attack.ts";
import { askPolitely, type Latency } from "./polite.ts";

/** What the polite caller may wait at most beside any abuse, in seconds. */
const goals = { p99: 0.025, slowest: 0.15 };

/** Everybody is on this machine. */
const connections = 64;

interface Abuse {
  readonly what: string;
  readonly size: (settings: Settings) => number;
  readonly attack: (product: Product) => Omit<Attack, "port">;
}

const small = ({ large }: Settings) => Math.min(2000, large);
const pipelined = { connections, ahead: "endless", reads: true } as const;

const abuses: readonly Abuse[] = [
  {
    what: "unknown paths, pipelined, without a token",
    size: small,
    attack: () => ({ ...pipelined, paths: ["/nowhere/{n}"] }),
  },
  {
    what: "changes, pipelined",
    size: small,
    attack: ({ world }) => ({
      ...pipelined,
      paths: [world.path(1, "/event/gangwar?attacker={n}&defender=1")],
    }),
  },
  {
    what: "unknown players among 2,000, pipelined",
    size: small,
    attack: ({ world }) => ({ ...pipelined, paths: [world.path(1, "/statistic/P0{n}X")] }),
  },
  {
    what: "a version that changes with each request, at 100,000 players",
    size: ({ large }) => large,
    attack: ({ world }) => ({
      connections: 1,
      ahead: 1,
      reads: true,
      paths: [world.path(1, "/mgmt"), world.path(1, "/mgmt/users")],
      header: "User-Agent: gameaddon/2.5.{n}",
    }),
  },
  {
    what: "paths of 15 KB, pipelined",
    size: small,
    attack: () => ({ ...pipelined, paths: [`${prefix}/x/${"wantedreason".repeat(1250)}/{n}`] }),
  },
  {
    what: "readers that do not read",
    size: small,
    attack: ({ world }) => ({ ...pipelined, reads: false, paths: [world.path(1, "/mgmt/users")] }),
  },
];

/** What was measured beside an abuse, in each run. */
interface Measured {
  readonly what: string;
  readonly calm: readonly Latency[];
  readonly abused: readonly Latency[];
  readonly achieved: readonly Achieved[];
}

/**
 * Measures, and prints the table.
 * @param save writes the results
 */
export async function measureAbuse(
  bench: Bench,
  save: (settings: Settings, results: object) => Promise<void>,
): Promise<boolean> {
  const { settings } = bench;
  const results: Measured[] = [];
  for (const abuse of abuses) {
    const { what } = abuse;
    if (settings.only.length > 0 && !settings.only.some((text) => what.includes(text))) continue;
    bench.say(what);
    const runs = [];
    for (let run = 0; run < settings.runs; run += 1) runs.push(await measure(bench, abuse));
    results.push({
      what,
      calm: runs.map(({ calm }) => calm),
      abused: runs.map(({ abused }) => abused),
      achieved: runs.map(({ achieved }) => achieved),
    });
  }
  process.stdout.write(abuseTable(results, settings));
  await save(settings, { abuse: results });
  return true;
}

async function measure(bench: Bench, { size, attack }: Abuse) {
  const { settings } = bench;
  const product = await startProduct(bench, await bench.template(size(settings)));
  try {
    const { server, world } = product;
    const seconds = 4 * settings.seconds;
    const me = 3;
    const paths = [
      world.path(me, "/wantedreason"),
      world.path(me, `/statistic/${world.player(me).name}/add?type=KILL`),
      world.path(me, "/statistic/top"),
      world.path(me, `/statistic/${world.player(me).name}`),
    ];
    await askPolitely(server.url, paths, settings.warmSeconds);
    const calm = await askPolitely(server.url, paths, seconds);
    const port = Number(new URL(server.url).port);
    const attacker = await startAttack(bench, { port, ...attack(product) });
    const abused = await askPolitely(server.url, paths, seconds);
    const achieved = await endAttack(attacker);
    server.requireAlive();
    ensure(achieved.sent > 0, () => "the attacker has sent nothing");
    const { resident = 0 } = (await server.memory()) ?? {};
    const told = ({ p99, slowest }: Latency) =>
      `${quantity(p99, "duration")}, ${quantity(slowest, "duration")}`;
    bench.say(
      `  calm ${told(calm)}; abused ${told(abused)} (${abused.count} requests); ${achieved.answers} answers and ` +
        `${quantity(achieved.sent, "bytes")} over ${achieved.opened} connections; ${quantity(resident, "bytes")}`,
    );
    return { calm, abused, achieved };
  } finally {
    await product.stop();
  }
}

/** Starts an attacker. Resolves when it has its first connection. */
async function startAttack({ workshop }: Bench, attack: Attack): Promise<ChildProcess> {
  const program = fileURLToPath(new URL("attack.ts", import.meta.url));
  const child = workshop.spawn(process.execPath, ["--import", import.meta.resolve("tsx"), program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin?.end(`${JSON.stringify(attack)}\n`);
  child.stdout?.setEncoding("utf8");
  const [said] = await Promise.race([once(child.stdout ?? child, "data"), once(child, "close")]);
  ensure(said === "connected\n", () => "the attacker could not connect");
  return child;
}

async function endAttack(child: ChildProcess): Promise<Achieved> {
  let text = "";
  child.stdout?.on("data", (piece: string) => {
    text += piece;
  });
  const ended = once(child, "close");
  child.kill("SIGTERM");
  // One that waits for its own writes is ended all the same.
  const deadline = setTimeout(10_000, undefined, { ref: false }).then(() => child.kill("SIGKILL"));
  await Promise.race([ended, deadline]);
  await ended;
  return JSON.parse(text === "" ? '{"sent":0,"answers":0,"opened":0}' : text);
}

function abuseTable(results: readonly Measured[], { short }: Settings): string {
  const rows = results.map(({ what, calm, abused }) => {
    const middle = (all: readonly Latency[], name: "p99" | "slowest") =>
      median(all.map((each) => each[name]));
    const figures = [calm, abused].flatMap((all) => [middle(all, "p99"), middle(all, "slowest")]);
    const [, , p99 = Number.NaN, slowest = Number.NaN] = figures;
    const held = p99 <= goals.p99 && slowest <= goals.slowest ? "yes" : "no";
    return [what, ...figures.map((each) => quantity(each, "duration")), short ? "not judged" : held];
  });
  const heading = ["a polite caller beside", "calm: 99 %", "slowest", "abused: 99 %", "slowest", "held"];
  const goal = `Goals beside an abuse: 99 % within ${goals.p99 * 1000} ms, the slowest within ${goals.slowest * 1000} ms.`;
  return `${table(heading, rows)}\n${goal}\n`;
}
