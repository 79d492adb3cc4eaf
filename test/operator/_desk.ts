/** An operator with data in memory, for tests of single operations. */
import { Activity } from "../../src/identity/activity.ts";
import type { OperatorOperation } from "../../src/operator/define.ts";
import {
  type OperatorInput,
  type OperatorOperationName,
  type OperatorResult,
  operatorOperations,
} from "../../src/operator/index.ts";
import type { References } from "../../src/table/restriction/references.ts";
import { type Memory, memory } from "../_memory.ts";

const operations: {
  readonly [N in OperatorOperationName]: OperatorOperation<never, OperatorResult<N>>;
} = operatorOperations;

/** The groups, factions and services of a new desk. */
export const names = {
  groups: ["MOD", "VIP", "BLACKLIST", "BETA"],
  factions: ["GROVE", "BALLAS"],
  services: ["RESCUE", "POLICE"],
};

/** UUIDs of players. */
export const [one = "", two = "", three = ""] = ["1", "2", "3"].map((digit) => digit.repeat(32));

/** See the head of this file. */
export class Desk {
  readonly data: Memory = memory();
  readonly activity = new Activity(this.data);
  now = Date.parse("2026-11-21T12:00:00Z");
  sequence = 0;
  excludedGroup = "BLACKLIST";
  /** What the route table refers to. */
  references: References = { routes: [], lists: [], isExcluded: false };

  constructor() {
    this.run("seed.groups", names);
  }

  /** Runs an operation. A refusal may leave a part of its change, which a store would discard. */
  run<N extends OperatorOperationName>(name: N, input: OperatorInput<N>): OperatorResult<N> {
    const operation: OperatorOperation<never, OperatorResult<N>> = operations[name];
    const { data, activity, now } = this;
    if (operation.effect === "read") return operation.bind(input)(data, { now, activity });
    if (operation.effect === "command") throw new Error(`${name} requires a store`);
    this.sequence += 1;
    return operation.bind(input)(data, {
      now,
      sequence: this.sequence,
      activity,
      excludedGroup: () => this.excludedGroup,
      referencesTo: () => this.references,
    });
  }

  /** Registers a player. */
  register(name: string, uuid: string, ranks: Readonly<Record<string, number>> = {}): void {
    const members = Object.entries(ranks).map(([organisation, rank]) => ({ organisation, rank }));
    this.run("player.add", { name, uuid, members });
  }
}
