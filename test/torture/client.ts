/**
 * A client: it changes records of its own, and remembers their possible values.
 *
 * - `KILL` is counted with an Idempotency-Key. A request without an answer is repeated with its key, and an answered one
 *   sometimes as well: each key counts once.
 * - `DEATH` is counted without one: a request without an answer may have been counted.
 * - `PLAYTIME` is set, a wanted reason and a target are added and removed: as last acknowledged, or as requested since.
 *
 * While the operator replaces the data there are two beliefs: that this has not happened, and that it has, at some point
 * among the requests since it began.
 */
import { randomUUID } from "node:crypto";
import type { Random } from "../_random.ts";
import { ask, Gone, tryToAsk } from "./api.ts";
import { Belief, type Fault, type Records } from "./beliefs.ts";
import type { Clock } from "./clock.ts";

/** Keys are remembered for 24 hours by the clock: after a jump of this many seconds, none is repeated. */
const keyLife = 20 * 3600;
/** The last 1,000 keys of a caller are remembered. */
const mostKeys = 500;

/** A pending request. */
interface Request {
  readonly path: string;
  readonly key?: Key;
  /** Adds it to a belief as possible. */
  readonly asked: (belief: Belief) => void;
  /** Adds it to a belief as certain. */
  readonly acknowledged: (belief: Belief) => void;
}

interface Key {
  readonly text: string;
  readonly offset: number;
}

/** See the head of this file. */
export class Client {
  readonly name: string;
  readonly token: string;
  acknowledged = 0;
  #beliefs: Belief[] = [];
  #records: Records = { kills: 0, deaths: 0, playTime: 0, points: undefined, target: false };
  #open: Request | undefined;
  #keys: Key[] = [];
  readonly #random: Random;
  readonly #clock: Clock;

  constructor(name: string, token: string, random: Random, clock: Clock) {
    this.name = name;
    this.token = token;
    this.#random = random;
    this.#clock = clock;
    this.expect(this.#records);
  }

  /** Its records at the last comparison. */
  get records(): Records {
    return this.#records;
  }

  /** Sets the present records. */
  expect(records: Records): void {
    this.#records = records;
    this.#beliefs = [new Belief(records)];
    this.#open = undefined;
  }

  /** Adds the records with which the operator may replace the present ones at any time. */
  expectReplacement(records: Records): void {
    const belief = new Belief(records);
    this.#open?.asked(belief);
    this.#beliefs[1] = belief;
  }

  /** Returns how the records contradict the beliefs. @param replaced whether the operator has replaced them */
  faults(records: Records, replaced: boolean): Fault[] {
    const faults = this.#beliefs[replaced ? 1 : 0]?.faults(records) ?? [];
    return faults.map(({ kind, what }) => ({ kind, what: `${this.name}: ${what}` }));
  }

  /** Makes changes until the service is gone or `isPaused`. */
  async work(url: string, isPaused: () => boolean): Promise<void> {
    try {
      while (!isPaused()) {
        await this.#change(url);
        this.acknowledged += 1;
      }
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
  }

  /** Repeats the request without an answer, if that is safe. */
  async settle(url: string): Promise<void> {
    const open = this.#open;
    if (open?.key !== undefined && this.#isFresh(open.key)) await this.#send(url, open);
  }

  /** Discards the keys that the service may have forgotten after a jump of the clock. */
  forgetKeys(): void {
    this.#keys = this.#keys.filter((key) => this.#isFresh(key));
  }

  #change(url: string): Promise<void> {
    const choice = this.#random.next();
    const statistic = `/statistic/${this.name}`;
    if (choice < 0.05) return this.#repeat(url, `${statistic}/add?type=KILL`);
    if (choice < 0.4) return this.#count(url, "kills", `${statistic}/add?type=KILL`);
    if (choice < 0.6) return this.#count(url, "deaths", `${statistic}/add?type=DEATH`);
    const [belief] = this.#beliefs;
    if (choice < 0.75) {
      const amount = 1 + this.#random.below(1_000_000);
      return this.#set(url, "playTime", amount, `${statistic}/set?type=PLAYTIME&amount=${amount}`);
    }
    if (choice < 0.9) {
      const reason = `reason=W-${this.name}`;
      if (belief?.points.at(-1) !== undefined) {
        return this.#set(url, "points", undefined, `/wantedreason/remove?${reason}`);
      }
      const points = this.#random.below(1000);
      return this.#set(url, "points", points, `/wantedreason/add?${reason}&points=${points}`);
    }
    const target = belief?.target.at(-1) !== true;
    return this.#set(url, "target", target, `/targetlist/${target ? "add" : "remove"}?name=T-${this.name}`);
  }

  /** Repeats an answered request, which must count nothing. */
  async #repeat(url: string, path: string): Promise<void> {
    this.#keys = this.#keys.slice(-mostKeys);
    const key = this.#random.pick(this.#keys);
    if (key !== undefined) await ask(url, this.token, path, key.text);
  }

  async #count(url: string, name: "kills" | "deaths", path: string): Promise<void> {
    const key = { text: randomUUID(), offset: this.#clock.offset };
    await this.#begin(url, {
      path,
      ...(name === "kills" ? { key } : {}),
      asked: (belief) => {
        belief[name].most += 1;
      },
      acknowledged: (belief) => {
        belief[name].least += 1;
      },
    });
  }

  async #set<N extends "playTime" | "points" | "target">(
    url: string,
    name: N,
    value: Belief[N][number],
    path: string,
  ): Promise<void> {
    await this.#begin(url, {
      path,
      asked: (belief) => Object.assign(belief, { [name]: [...belief[name], value] }),
      acknowledged: (belief) => Object.assign(belief, { [name]: [value] }),
    });
  }

  async #begin(url: string, request: Request): Promise<void> {
    for (const belief of this.#beliefs) request.asked(belief);
    this.#open = request;
    await this.#send(url, request);
  }

  async #send(url: string, { path, key, acknowledged }: Request): Promise<void> {
    const { status, body } = await tryToAsk<object>(url, this.token, path, key?.text);
    this.#open = undefined;
    const [belief] = this.#beliefs;
    if (belief === undefined) return;
    if (status === 200) {
      acknowledged(belief);
      if (key !== undefined) this.#keys.push(key);
      return;
    }
    // Replaced records may exist already, or no longer. Nothing else is a reason to refuse.
    belief.refuted = `${path}: ${status} ${JSON.stringify(body)}`;
    if (status !== 404 && status !== 409) throw new Error(belief.refuted);
  }

  #isFresh({ offset }: Key): boolean {
    return Math.abs(this.#clock.offset - offset) < keyLife;
  }
}

/** Returns the records of every client in the service, in order. */
export async function readRecords(url: string, clients: readonly Client[]): Promise<Records[]> {
  const { token } = clients[0] ?? { token: "" };
  const reasons = await ask<{ reason: string; points: number }[]>(url, token, "/wantedreason");
  const targets = await ask<{ name: string }[]>(url, token, "/targetlist");
  const points = new Map(reasons.map((reason) => [reason.reason, reason.points]));
  const listed = new Set(targets.map(({ name }) => name));
  return Promise.all(
    clients.map(async ({ name }) => {
      type Told = { gameplay: { kills: number; deaths: number; playTime: number } };
      const { gameplay } = await ask<Told>(url, token, `/statistic/${name}`);
      const { kills, deaths, playTime } = gameplay;
      return { kills, deaths, playTime, points: points.get(`W-${name}`), target: listed.has(`T-${name}`) };
    }),
  );
}
