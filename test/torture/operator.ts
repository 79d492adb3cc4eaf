/** The commands of the operator, each with the resulting records. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../_random.ts";
import type { Records } from "./beliefs.ts";
import type { Ended, Workshop } from "./processes.ts";

/** A command that replaces the clients' records. */
export interface Replacing {
  readonly name: "restore" | "restore --at" | "import" | "undo";
  readonly args: readonly string[];
  /** The clients' records afterwards. */
  readonly records: readonly Records[];
  /** Whether it may be refused because the history does not reach back so far. */
  readonly mayBeRefused: boolean;
}

/** The data at a moment without changes. */
interface Mark {
  readonly number: number;
  readonly instant: number;
  /** How many times the clock had been set back. */
  readonly stepsBack: number;
  readonly records: readonly Records[];
  readonly backup: string;
  readonly exported: string;
}

/** The number of moments that can be restored. */
const mostMarks = 5;

/** See the head of this file. */
export class OperatorAtWork {
  readonly #workshop: Workshop;
  readonly #random: Random;
  #marks: Mark[] = [];
  #count = 0;

  constructor(workshop: Workshop, random: Random) {
    this.#workshop = workshop;
    this.#random = random;
  }

  /** Backs up and exports while there are no changes. */
  async mark(records: readonly Records[]): Promise<void> {
    this.#count += 1;
    const path = join(this.#workshop.data, "..", `mark-${this.#count}`);
    const backup = `${path}.jsonl.gz`;
    const exported = `${path}.json`;
    const last = await this.lastChange();
    await this.succeed("data", "backup", backup);
    await this.succeed("data", "export", exported);
    this.#marks.push({ ...last, stepsBack: this.#workshop.clock.stepsBack, records, backup, exported });
    const old = this.#marks.length > mostMarks ? this.#marks.shift() : undefined;
    if (old !== undefined) await Promise.all([rm(old.backup), rm(old.exported)]);
  }

  /** Chooses a command that restores a moment, if there is one. */
  async choose(): Promise<Replacing | undefined> {
    const mark = this.#random.pick(this.#marks);
    if (mark === undefined) return undefined;
    const { records, number, instant, backup } = mark;
    const choice = this.#random.below(4);
    if (choice === 0) return this.#import(mark);
    if (choice === 1) {
      return { name: "restore", args: ["data", "restore", backup, "--yes"], records, mayBeRefused: false };
    }
    const { clock } = this.#workshop;
    // After the clock was set back, the instant may mean a later change, or lie in the future, which is refused.
    const isSteady = mark.stepsBack === clock.stepsBack && instant <= clock.now();
    const at = choice === 2 && isSteady ? String(instant) : `#${number}`;
    const args = ["data", "restore", "--at", at, "--yes"];
    return { name: "restore --at", args, records, mayBeRefused: true };
  }

  /** Returns a command that undoes the last replacement. */
  undo(number: number, records: readonly Records[]): Replacing {
    return { name: "undo", args: ["undo", String(number)], records, mayBeRefused: false };
  }

  /** Returns the number of the last change of an operation. */
  async numberOf(operation: string): Promise<number> {
    const { result } = await this.succeed("audit", "--operation", operation, "--limit", "1");
    return Number(result.number);
  }

  async lastChange(): Promise<{ number: number; instant: number }> {
    const { result } = await this.succeed("audit", "--limit", "1");
    return { number: Number(result.number), instant: Number(result.instant) };
  }

  /** Runs a command that must succeed. */
  async succeed(...args: readonly string[]): Promise<Ended> {
    const ended = await this.#workshop.run(args);
    if (ended.code !== 0) {
      throw new Error(`${args.join(" ")}: ${JSON.stringify(ended.result)} ${ended.remarks}`);
    }
    return ended;
  }

  /** Returns an edited export. */
  async #import({ records, exported }: Mark): Promise<Replacing> {
    const edited = `${exported}.edited`;
    const document = JSON.parse(await readFile(exported, "utf8"));
    const points = this.#random.below(1000);
    for (const { values } of document.collections.entries) values.points = points;
    await writeFile(edited, JSON.stringify(document));
    return {
      name: "import",
      args: ["data", "import", edited, "--yes"],
      records: records.map((record) => (record.points === undefined ? record : { ...record, points })),
      mayBeRefused: false,
    };
  }
}
