/**
 * The torture test: clients and an operator change the data, while the service is killed and worse. After each phase the
 * data is compared with the possible records.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Random } from "../_random.ts";
import type { Fault, Records } from "./beliefs.ts";
import { Client, readRecords } from "./client.ts";
import { OperatorAtWork, type Replacing } from "./operator.ts";
import { RunningService, type Workshop } from "./processes.ts";

const day = 24 * 3600;

/** The last replacement, if nothing was changed since. */
interface LastReplacement {
  readonly number: number;
  readonly before: readonly Records[];
}

/** Whether a replacement has happened, as far as the operator knows. */
type Outcome = "done" | "not done" | "unknown";

/** See the head of this file. */
export class Torture {
  readonly counts: Record<string, number> = {};
  readonly #workshop: Workshop;
  readonly #random: Random;
  readonly #operator: OperatorAtWork;
  #clients: Client[] = [];
  #service: RunningService | undefined;
  #replacing: { readonly command: Replacing; readonly before: readonly Records[] } | undefined;
  #outcome: Outcome = "not done";
  #isQuiet = false;
  #last: LastReplacement | undefined;

  constructor(workshop: Workshop, random: Random) {
    this.#workshop = workshop;
    this.#random = random;
    this.#operator = new OperatorAtWork(workshop, random);
  }

  get acknowledged(): number {
    return this.#clients.reduce((sum, client) => sum + client.acknowledged, 0);
  }

  /** Runs one phase of changes and faults, and compares the data. @throws Error for any other fault */
  async phase(): Promise<Fault[]> {
    const service = await this.#running();
    this.#isQuiet = this.#random.chance(0.3);
    if (this.#isQuiet) await this.#quietPhase(service);
    else await this.#busyPhase(service);
    if (service.hasFailed) throw new Error(`The service has ended unexpectedly:\n${service.log}`);
    return this.#compare();
  }

  async end(): Promise<void> {
    await this.#service?.end("SIGTERM");
    await this.#operator.succeed("data", "verify");
  }

  /** Only the operator makes changes, so the result is known exactly. */
  async #quietPhase(service: RunningService): Promise<void> {
    const { clock } = this.#workshop;
    const choice = this.#random.next();
    if (choice < 0.25) return this.#counted("mark", () => this.#operator.mark(this.#records()));
    if (choice < 0.35) return this.#counted("verify", () => this.#operator.succeed("data", "verify"));
    if (choice < 0.5 && clock.canJump) {
      const days = this.#random.pick([-30, -2, -1, 0, 0, 0, 1, 2, 15]) ?? 0;
      return this.#counted("jump of days", () => this.#jump(service, days * day));
    }
    const command =
      this.#last === undefined
        ? await this.#operator.choose()
        : this.#operator.undo(this.#last.number, this.#last.before);
    await this.#replaceOrKill(service, command);
  }

  async #busyPhase(service: RunningService): Promise<void> {
    this.#last = undefined;
    let isPaused = false;
    const working = this.#clients.map((client) => client.work(service.started.url, () => isPaused));
    await setTimeout(20 + this.#random.next() * 300);
    await this.#disturb(service);
    isPaused = true;
    await Promise.all(working);
  }

  async #disturb(service: RunningService): Promise<void> {
    const { data, clock } = this.#workshop;
    const choice = this.#random.next();
    if (choice < 0.3) {
      await setTimeout(this.#random.next() ** 2 * 1500);
      // Sometimes it is stopped regularly: then it writes a snapshot and refuses changes.
      const signal = this.#random.chance(0.2) ? "SIGTERM" : "SIGKILL";
      await this.#counted(signal, () => service.end(signal));
    } else if (choice < 0.6) {
      await this.#replaceOrKill(service, await this.#operator.choose());
    } else if (choice < 0.7) {
      await this.#counted("lock and socket deleted", async () => {
        for (const name of ["lock", "socket"]) await rm(join(data, name), { force: true });
        await service.end();
      });
    } else if (choice < 0.8) {
      await this.#counted("freeze", async () => {
        const frozen = service.freeze(this.#random.next() * 2000);
        if (this.#random.chance(0.3)) await this.#requireRefusal();
        await frozen;
      });
    } else if (choice < 0.85) {
      await this.#counted("log left", async () => service.leaveLog());
      await setTimeout(200);
    } else if (choice < 0.93 && clock.canJump) {
      const hours = this.#random.pick([-3, -1, 1, 3]) ?? 0;
      await this.#counted("jump of hours", () => this.#jump(service, clock.offset + hours * 3600));
    } else {
      await this.#counted("snapshot", () => this.#operator.succeed("data", "snapshot"));
    }
  }

  /** Runs a command that replaces the data. During every other one the service or the command is killed. */
  async #replaceOrKill(service: RunningService, command: Replacing | undefined): Promise<void> {
    if (command === undefined) return;
    this.#replacing = { command, before: this.#records() };
    this.#clients.forEach((client, index) => {
      const records = command.records[index];
      if (records !== undefined) client.expectReplacement(records);
    });
    const killCommand = this.#random.chance(0.2) ? this.#random.below(1500) : undefined;
    const running = this.#workshop.run(command.args, killCommand);
    const killService = killCommand === undefined && this.#random.chance(0.4);
    if (killService) {
      await setTimeout(this.#random.next() * 1500);
      await service.end("SIGKILL");
    }
    const { code, result, remarks } = await running;
    // The service finishes what it already writes for a killed command: the outcome is certain once it has ended.
    if (code === null) await service.end("SIGTERM");
    const suffix = code === 0 ? "" : killService || killCommand !== undefined ? ", killed" : ", refused";
    this.#count(`${command.name}${suffix}`);
    if (code === 0) {
      this.#outcome = "done";
      return;
    }
    this.#outcome = killService || killCommand !== undefined ? "unknown" : "not done";
    const isTooFarBack = command.mayBeRefused && result.code === "UNKNOWN_ENTRY";
    if (this.#outcome === "not done" && !isTooFarBack) {
      throw new Error(`${command.args.join(" ")}: ${JSON.stringify(result)} ${remarks}`);
    }
  }

  /** On a busy machine, a process sees a jump late; until then, clients would count on keys that it is about to forget. */
  async #jump({ started, isAlive }: RunningService, offset: number): Promise<void> {
    const { clock } = this.#workshop;
    await clock.jump(offset);
    for (let tries = 0; isAlive && tries < 100; tries += 1) {
      const { headers } = await fetch(`${started.url}/health`);
      if (Math.abs(Date.parse(headers.get("date") ?? "") - clock.now()) < 60_000) break;
      await setTimeout(100);
    }
    for (const client of this.#clients) client.forgetKeys();
  }

  /** A second service must not start. */
  async #requireRefusal(): Promise<void> {
    const second = await this.#workshop.start(2 ** 20);
    if (second instanceof RunningService) {
      await second.end("SIGKILL");
      throw new Error("A second service has started beside the first.");
    }
    if (!second.refusal.includes("has the data folder")) throw new Error(second.refusal);
  }

  async #running(): Promise<RunningService> {
    if (this.#service?.isAlive === true) return this.#service;
    const service = await this.#workshop.start(Math.floor(2 ** (12 + this.#random.next() * 10)));
    if (!(service instanceof RunningService))
      throw new Error(`The service does not start:\n${service.refusal}`);
    this.#service = service;
    for (const [name, token] of Object.entries(service.started.tokens)) {
      this.#clients.push(new Client(name, token, this.#random, this.#workshop.clock));
    }
    return service;
  }

  /** Compares the data with the possible records, and makes it the certain records. */
  async #compare(): Promise<Fault[]> {
    const { url } = (await this.#running()).started;
    await Promise.all(this.#clients.map((client) => client.settle(url)));
    const found = await readRecords(url, this.#clients);
    const faultsIf = (replaced: boolean) =>
      found.flatMap((records, index) => this.#clients[index]?.faults(records, replaced) ?? []);
    const possible = { done: [true], "not done": [false], unknown: [false, true] }[this.#outcome];
    const [faults = []] = possible.map(faultsIf).sort((one, other) => one.length - other.length);
    await this.#remember(found);
    found.forEach((records, index) => {
      this.#clients[index]?.expect(records);
    });
    this.#replacing = undefined;
    this.#outcome = "not done";
    return faults;
  }

  /** Undoes the last replacement, if nothing was changed since. */
  async #remember(found: readonly Records[]): Promise<void> {
    const replacing = this.#replacing;
    if (replacing === undefined || this.#outcome !== "done") return;
    const { command, before } = replacing;
    const isExact = JSON.stringify(found) === JSON.stringify(command.records);
    const operations = {
      restore: "data.restore",
      "restore --at": "data.restore",
      import: "data.import",
      undo: "undo",
    };
    const wasChange = JSON.stringify(before) !== JSON.stringify(command.records);
    this.#last =
      isExact && wasChange && this.#isQuiet
        ? { number: await this.#operator.numberOf(operations[command.name]), before }
        : undefined;
  }

  #records(): Records[] {
    return this.#clients.map(({ records }) => records);
  }

  async #counted(name: string, work: () => Promise<unknown>): Promise<void> {
    await work();
    this.#count(name);
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}
