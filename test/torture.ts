/**
 * `npm run torture -- --minutes 10`: a service under 64 clients is killed with -9 at random moments and started
 * again, and what it then tells is compared with what it had acknowledged. Prints cycles, acknowledged, lost and
 * duplicated; exits with 1 where anything was lost or duplicated, and leaves the data folder for a look.
 *
 * What each client knows of its own records:
 * - `KILL` is added to with an Idempotency-Key. A request without an answer is repeated under its key until it has
 *   one, and an answered one now and then as well: the counter is the number of keys, exactly.
 * - `DEATH` is added to without one: at least what was answered, at most that and what was not.
 * - `PLAYTIME` is set, its wanted reason and its target are added and removed: as answered last, or as asked for since.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { readSeed } from "../src/administration/seed-file.ts";
import { startServer } from "../src/server.ts";
import { Service } from "../src/service.ts";
import { buildInto } from "./store/_faults.ts";

const clientCount = 64;

/** What a started service says on its first line. */
interface Started {
  readonly url: string;
  /** On the first start of a folder: the clients' tokens. */
  readonly tokens: readonly string[];
}

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    cycles: { type: "string", default: "Infinity" },
    serve: { type: "string" },
    snapshotAfter: { type: "string", default: "65536" },
  },
});

/** The service, as `serve` starts it, but with snapshots so often that kills hit them. */
async function serve(folder: string, snapshotAfterBytes: number): Promise<void> {
  const service = await Service.open({
    folder,
    routes: "routes.yaml",
    snapshotAfter: { bytes: snapshotAfterBytes, snapshots: 0 },
    retention: { milliseconds: 0, snapshots: 2 },
    onFatal: () => process.exit(1),
  });
  if (service.store.isNew) await service.administer("seed.groups", await readSeed("data/seed.yaml"));
  await service.loadTable();
  const tokens: string[] = [];
  for (let each = 0; service.store.isNew && each < clientCount; each += 1) {
    const player = `P${each}`;
    const members = [{ organisation: "POLICE", rank: 9 }];
    await service.administer("player.register", { name: player, administrator: true, members });
    await service.administer("group.add", { player, group: "TARGETLIST" });
    tokens.push((await service.administer("token.issue", { player })).token);
  }
  const server = await startServer({
    fetch: service.fetch,
    direct: service.direct,
    host: "127.0.0.1",
    port: 0,
  });
  process.once("SIGTERM", async () => {
    await server.close();
    await service.close({ snapshot: true });
  });
  process.stdout.write(`${JSON.stringify({ url: server.url, tokens } satisfies Started)}\n`);
}

/** A value that was answered, and the one that was asked for without an answer, where there is one. */
interface Known<T> {
  sure: T;
  asked?: T;
}

/** One client: what it has asked for, and what it was answered. */
class Client {
  readonly name: string;
  readonly token: string;
  acknowledged = 0;
  /** Keys under which `KILL` was added. */
  readonly keys: string[] = [];
  /** The key of the request that has no answer yet. */
  #openKey: string | undefined;
  readonly #deaths = { sure: 0, open: 0 };
  readonly #playTime: Known<number> = { sure: 0 };
  readonly #points: Known<number | undefined> = { sure: undefined };
  readonly #target: Known<boolean> = { sure: false };

  constructor(number: number, token: string) {
    this.name = `P${number}`;
    this.token = token;
  }

  /** Asks for one change after another until the service is gone. */
  async work(url: string): Promise<void> {
    try {
      for (;;) await this.#change(url, Math.random());
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  }

  /** Repeats what has no answer. */
  async settle(url: string): Promise<void> {
    if (this.#openKey !== undefined) await this.#kill(url, this.#openKey);
  }

  async #change(url: string, choice: number): Promise<void> {
    const statistic = `/statistic/${this.name}`;
    if (choice < 0.35) {
      await this.#kill(url, randomUUID());
    } else if (choice < 0.4) {
      const key = this.keys[Math.floor(Math.random() * this.keys.length)];
      if (key !== undefined) await ask(url, this.token, `${statistic}/add?type=KILL`, key);
    } else if (choice < 0.6) {
      this.#deaths.open += 1;
      await ask(url, this.token, `${statistic}/add?type=DEATH`);
      this.#deaths.open -= 1;
      this.#deaths.sure += 1;
    } else if (choice < 0.75) {
      const amount = this.#playTime.sure + 1;
      await this.#settleOn(this.#playTime, amount, url, `${statistic}/set?type=PLAYTIME&amount=${amount}`);
    } else if (choice < 0.9) {
      const reason = `reason=W-${this.name}`;
      const points = this.#points.sure === undefined ? Math.floor(Math.random() * 1000) : undefined;
      const what = points === undefined ? `remove?${reason}` : `add?${reason}&points=${points}`;
      await this.#settleOn(this.#points, points, url, `/wantedreason/${what}`);
    } else {
      const what = this.#target.sure ? "remove" : "add";
      await this.#settleOn(this.#target, !this.#target.sure, url, `/targetlist/${what}?name=T-${this.name}`);
    }
    this.acknowledged += 1;
  }

  async #kill(url: string, key: string): Promise<void> {
    this.#openKey = key;
    await ask(url, this.token, `/statistic/${this.name}/add?type=KILL`, key);
    this.#openKey = undefined;
    this.keys.push(key);
  }

  async #settleOn<T>(known: Known<T>, value: T, url: string, path: string): Promise<void> {
    known.asked = value;
    await ask(url, this.token, path);
    known.sure = value;
    delete known.asked;
  }

  /** Compares with what the service tells, and takes that for sure from now on. */
  compare(told: Told): Comparison {
    const { gameplay } = told.statistics.get(this.name) ?? {};
    const { kills = -1, deaths = -1, playTime = -1 } = gameplay ?? {};
    const faults: string[] = [];
    let lost = Math.max(0, this.keys.length - kills) + Math.max(0, this.#deaths.sure - deaths);
    const mostDeaths = this.#deaths.sure + this.#deaths.open;
    const duplicated = Math.max(0, kills - this.keys.length) + Math.max(0, deaths - mostDeaths);
    if (kills !== this.keys.length) faults.push(`kills ${kills}, ${this.keys.length} keys`);
    if (deaths < this.#deaths.sure || deaths > mostDeaths) {
      faults.push(`deaths ${deaths}, from ${this.#deaths.sure} to ${mostDeaths}`);
    }
    Object.assign(this.#deaths, { sure: deaths, open: 0 });
    const among = <T>(what: string, known: Known<T>, value: T) => {
      const isKnown = value === known.sure || ("asked" in known && value === known.asked);
      if (!isKnown) {
        lost += 1;
        faults.push(`${what} ${value}, ${JSON.stringify(known)}`);
      }
      known.sure = value;
      delete known.asked;
    };
    among("playTime", this.#playTime, playTime);
    among("points", this.#points, told.points.get(`W-${this.name}`));
    among("target", this.#target, told.targets.has(`T-${this.name}`));
    return { lost, duplicated, faults: faults.map((fault) => `${this.name}: ${fault}`) };
  }
}

interface Comparison {
  readonly lost: number;
  readonly duplicated: number;
  readonly faults: readonly string[];
}

/** What the service tells of the clients' records. */
interface Told {
  readonly statistics: ReadonlyMap<string, { gameplay: { kills: number; deaths: number; playTime: number } }>;
  readonly points: ReadonlyMap<string, number>;
  readonly targets: ReadonlySet<string>;
}

/** The service was killed, or stops. */
class Gone extends Error {
  override readonly name = "Gone";
}

async function ask<T>(url: string, token: string, path: string, key?: string): Promise<T> {
  const headers = key === undefined ? {} : { "Idempotency-Key": key };
  let response: Response;
  let body: T;
  try {
    response = await fetch(`${url}/gameaddon/v1/${token}${path}`, { headers });
    body = (await response.json()) as T;
  } catch (cause) {
    throw new Gone("no answer", { cause });
  }
  if (response.status === 503) throw new Gone("the service stops");
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

async function tellAll(url: string, clients: readonly Client[]): Promise<Told> {
  const { token } = clients[0] as Client;
  const [reasons, targets, ...statistics] = await Promise.all([
    ask<{ reason: string; points: number }[]>(url, token, "/wantedreason"),
    ask<{ name: string }[]>(url, token, "/targetlist"),
    ...clients.map(({ name }) =>
      ask<{ name: string; gameplay: { kills: number; deaths: number; playTime: number } }>(
        url,
        token,
        `/statistic/${name}`,
      ),
    ),
  ]);
  return {
    statistics: new Map(statistics.map((statistic) => [statistic.name, statistic])),
    points: new Map(reasons.map(({ reason, points }) => [reason, points])),
    targets: new Set(targets.map(({ name }) => name)),
  };
}

async function start(folder: string): Promise<{ child: ChildProcess; started: Started }> {
  const snapshotAfter = String(Math.floor(2 ** (10 + Math.random() * 8)));
  const main = join(folder, "test", "torture.js");
  const args = [main, "--serve", join(folder, "community"), "--snapshotAfter", snapshotAfter];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`the service did not start: ${code}`);
    }),
  ]);
  return { child, started: JSON.parse(line) };
}

async function torture(milliseconds: number, mostCycles: number): Promise<0 | 1> {
  const folder = await mkdtemp(join(tmpdir(), "gameaddon-torture-"));
  await buildInto(folder);
  const deadline = Date.now() + milliseconds;
  const sums = { cycles: 0, lost: 0, duplicated: 0 };
  let clients: Client[] = [];
  const report = () => {
    const acknowledged = clients.reduce((sum, client) => sum + client.acknowledged, 0);
    return `${sums.cycles} cycles, ${acknowledged} acknowledged, ${sums.lost} lost, ${sums.duplicated} duplicated`;
  };
  while (Date.now() < deadline && sums.cycles < mostCycles && sums.lost + sums.duplicated === 0) {
    const { child, started } = await start(folder);
    const ended = once(child, "exit");
    if (clients.length === 0) clients = started.tokens.map((token, number) => new Client(number, token));
    await Promise.all(clients.map((client) => client.settle(started.url)));
    const told = await tellAll(started.url, clients);
    for (const { lost, duplicated, faults } of clients.map((client) => client.compare(told))) {
      sums.lost += lost;
      sums.duplicated += duplicated;
      for (const fault of faults) process.stderr.write(`${fault}\n`);
    }
    const working = Promise.all(clients.map((client) => client.work(started.url)));
    await Promise.race([working, setTimeout(20 + Math.random() ** 2 * 1500)]);
    // Now and then it is stopped in peace: then it writes a snapshot, and refuses what comes.
    child.kill(Math.random() < 0.1 ? "SIGTERM" : "SIGKILL");
    await Promise.all([working, ended]);
    sums.cycles += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${report()} `);
  }
  if (process.stderr.isTTY) process.stderr.write("\n");
  process.stdout.write(`${report()}\n`);
  if (sums.lost + sums.duplicated > 0) {
    process.stdout.write(`The data folder is ${join(folder, "community")}.\n`);
    return 1;
  }
  await rm(folder, { recursive: true });
  return 0;
}

if (options.serve !== undefined) await serve(options.serve, Number(options.snapshotAfter));
else process.exitCode = await torture(Number(options.minutes) * 60_000, Number(options.cycles));
