/** Machines that share a journal: processes of `serve`, each with its folder, and a client that counts what it is told. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cleanup, prefix } from "../../_setup.ts";
import { CliProcess } from "../../cli/_process.ts";
import { type Desk, emptyDesk, seededDesk } from "../../cli/_setup.ts";
import type { Postgres } from "./_postgres.ts";

/** A body of the service. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape, and assert what they find
type Body = any;

/** What a request was answered. */
export interface Answered {
  readonly status: number;
  readonly body: Body;
  readonly sequence: number;
}

/** A machine. */
export class Node {
  readonly desk: Desk;
  readonly #journal: string;
  readonly #options: readonly string[];
  process: CliProcess | undefined;
  url = "";

  constructor(desk: Desk, journal: string, options: readonly string[]) {
    this.desk = desk;
    this.#journal = journal;
    this.#options = options;
  }

  /** Starts it. @param wrapper see {@link CliProcess} */
  async start(wrapper: readonly string[] = []): Promise<void> {
    const args = ["serve", "--port", "0", "--limits", "off", "--journal", this.#journal, ...this.#options];
    this.process = new CliProcess(this.desk, args, [], wrapper);
    [, this.url = ""] = await this.process.shows("stdout", /Listening on (http:\/\/[^/\s]+)/);
  }

  /** Ends it, and waits for that. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.process?.signal(signal);
    await this.process?.ended;
  }

  /** Sends a request. Rejects where there is no answer. */
  async ask(token: string, path: string, headers: Record<string, string> = {}): Promise<Answered> {
    const response = await fetch(`${this.url}${prefix}/${token}${path}`, { headers });
    const sequence = Number(response.headers.get("addon-sequence") ?? Number.NaN);
    return { status: response.status, body: await response.json(), sequence };
  }

  /** Runs a command on its folder. */
  command(...args: readonly string[]): Promise<string> {
    return this.desk.ok("--journal", this.#journal, ...args);
  }

  async ready(): Promise<Body> {
    return (await fetch(`${this.url}/ready`)).json();
  }
}

/** Machines on one journal, and a player that all know. */
export interface World {
  readonly nodes: readonly Node[];
  /** The token of the player Ada. */
  readonly token: string;
}

/** Starts machines on a new journal. */
export async function startNodes(
  t: Cleanup,
  pg: Postgres,
  count: number,
  options: readonly string[] = [],
  journal = pg.url,
): Promise<World> {
  const first = await seededDesk(t);
  await first.ok("player", "add", "Ada");
  const token = (await first.ok("token", "issue", "--player", "Ada")).trim();
  await first.ok("journal", "init", pg.url);
  const desks = [first];
  while (desks.length < count) desks.push(await emptyDesk(t));
  const nodes = desks.map((desk) => new Node(desk, journal, options));
  for (const node of nodes) await node.start();
  return { nodes, token };
}

/** Adds to one player's statistics until it is stopped, and counts what it was told. */
export class Counter {
  /** The additions that were acknowledged, after as many repetitions as that took. */
  acknowledged = 0;
  /** The answers by their code, "200", or "none". */
  readonly answers = new Map<string, number>();
  readonly #token: string;
  #isStopped = false;
  readonly #running: Promise<unknown>;

  constructor(token: string, nodes: readonly Node[], clients: number) {
    this.#token = token;
    this.#running = Promise.all(Array.from({ length: clients }, (_, index) => this.#add(nodes, index)));
  }

  /** Finishes the additions under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #add(nodes: readonly Node[], index: number): Promise<void> {
    while (!this.#isStopped) {
      const key = randomUUID();
      // With its key an addition can be repeated anywhere, until its outcome is known.
      for (
        let attempt = index;
        !(await this.#attempt(nodes[attempt % nodes.length] as Node, key));
        attempt += 1
      )
        await sleep(20);
      this.acknowledged += 1;
      // Other programs need the processor as well.
      await sleep(10);
    }
  }

  async #attempt(node: Node, key: string): Promise<boolean> {
    const path = "/statistic/Ada/add?type=KILL";
    const answered = await node.ask(this.#token, path, { "Idempotency-Key": key }).catch(() => undefined);
    const code = answered === undefined ? "none" : (answered.body.code ?? String(answered.status));
    this.answers.set(code, (this.answers.get(code) ?? 0) + 1);
    assert.match(code, /^(?:200|none|STORE_UNAVAILABLE|OUTCOME_UNKNOWN|SHUTTING_DOWN)$/);
    return code === "200";
  }
}

/** Returns how many kills a machine knows of Ada. */
export async function kills(node: Node, token: string): Promise<number> {
  const { body } = await node.ask(token, "/statistic/Ada");
  return body.gameplay.kills;
}

/** Waits until a condition holds. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await sleep(20);
}

/** Waits until all machines know the same changes. Returns the number of the last one. */
export async function settled({ nodes, token }: World): Promise<number> {
  let sequences: number[] = [];
  await until(async () => {
    const answers = await Promise.all(nodes.map((node) => node.ask(token, "/event").catch(() => undefined)));
    sequences = answers.map((answered) => answered?.sequence ?? Number.NaN);
    return new Set(sequences).size === 1 && !Number.isNaN(sequences[0]);
  });
  return sequences[0] as number;
}

/** Returns the lines of the changes in a machine's journal, by the number of the change, from one on. */
export async function journalLines(node: Node, from: number): Promise<string[]> {
  const files = await node.desk.files();
  const segments = [...files].filter(([name]) => /journal-\d+\.log$/.test(name));
  return segments
    .flatMap(([, bytes]) => bytes.toString().split("\n").slice(1))
    .filter((line) => Number(/"sequence":(\d+)/.exec(line)?.[1] ?? 0) >= from);
}

/** Ensures that every machine has exactly what was acknowledged, in the same lines. */
export async function assertEqual(world: World, acknowledged: number): Promise<void> {
  const sequence = await settled(world);
  const journals = await Promise.all(world.nodes.map((node) => journalLines(node, 1)));
  // A machine that joined later begins later.
  const common = Math.min(...journals.map((lines) => lines.length));
  const [first = [], ...others] = journals.map((lines) => lines.slice(-common));
  assert.match(first.at(-1) ?? "no change", new RegExp(`"sequence":${sequence}\\b`));
  for (const lines of others) assert.deepEqual(lines, first);
  for (const node of world.nodes) assert.equal(await kills(node, world.token), acknowledged);
}
