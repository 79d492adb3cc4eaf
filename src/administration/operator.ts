/**
 * The operator at work on a store: carries out the administrative operations, and takes changes back. It knows no
 * engine and no handler, so that a command that needs neither does not load them.
 */
import type { Table } from "../engine/table.ts";
import { Failure } from "../errors.ts";
import type { Activity } from "../identity/activity.ts";
import type { DataStore } from "../store/data.ts";
import { type Files, nodeFiles } from "../store/files.ts";
import type { JournalRecord } from "../store/journal.ts";
import { readHistory } from "../store/reading.ts";
import type { AdministrationOperation } from "./define.ts";
import {
  type AdministrationInput,
  type AdministrationName,
  type AdministrationResult,
  administration,
} from "./index.ts";
import { parseInput } from "./input.ts";
import { undoing } from "./undo.ts";

/** What the operator works with beside the store. */
export interface OperatorOptions {
  readonly activity: Activity;
  readonly now?: () => number;
  readonly files?: Files;
  /** The route table in force. Only operations that depend on it ask for it. */
  readonly loadTable: () => Promise<Pick<Table, "excludedGroup">>;
}

/** See the head of this file. */
export class Operator {
  readonly store: DataStore;
  readonly #options: OperatorOptions;

  constructor(store: DataStore, options: OperatorOptions) {
    this.store = store;
    this.#options = options;
  }

  /** Carries out an administrative operation. @throws Failure where it refuses */
  async administer<N extends AdministrationName>(
    name: N,
    input: AdministrationInput<N>,
  ): Promise<AdministrationResult<N>> {
    const operation: AdministrationOperation = administration[name];
    const result = await this.#carryOut(name, operation, parseInput(operation, input) as never);
    return result as AdministrationResult<N>;
  }

  async #carryOut(name: AdministrationName, operation: AdministrationOperation, input: never) {
    const { activity, now = Date.now } = this.#options;
    if (operation.effect === "read") return operation.read(this.store.data, input, { now: now(), activity });
    const excludedGroup = operation.needsTable ? await this.#excludedGroup() : undeclared;
    return this.store.change({ who: "operator", operation: name }, (draft, moment) =>
      operation.change(draft, input, { now: moment.now, activity, excludedGroup }),
    );
  }

  /** A way to ask for the excluded group. A faulty table is told of only then: what else is wrong comes first. */
  async #excludedGroup(): Promise<() => string> {
    const table = await this.#options.loadTable().catch((error: unknown) => error as Error);
    return () => {
      if (table instanceof Error) throw table;
      if (table.excludedGroup !== undefined) return table.excludedGroup;
      throw new Failure("UNKNOWN_GROUP", "The route table names no group whose members are excluded.", {
        hint: "Add `excluded: { group: BLACKLIST }` to it.",
      });
    };
  }

  /**
   * Takes a change back; that is a change itself.
   * @throws Failure `UNKNOWN_ENTRY` where the journal does not have it (any more), `CONFLICT` where it can not be undone
   */
  async undo(sequence: number): Promise<{ info: string }> {
    const [record, ...later] = await this.#changesFrom(sequence);
    if (record === undefined || record.sequence !== sequence) {
      const last = this.store.sequence;
      throw new Failure("UNKNOWN_ENTRY", `The journal has no change ${sequence}; the last one is ${last}.`, {
        hint: "`addon-cli audit` lists the changes that it still has.",
      });
    }
    // What is undone may have been a bulk change.
    await this.store.changeInBulk({ who: "operator", operation: "undo", undoes: sequence }, () =>
      undoing(this.store.data, record, later),
    );
    return { info: `Undid change ${sequence} (${record.operation}).` };
  }

  async #changesFrom(sequence: number): Promise<JournalRecord[]> {
    const records: JournalRecord[] = [];
    const { files = nodeFiles } = this.#options;
    for await (const record of readHistory(files, this.store.folder, sequence - 1)) records.push(record);
    return records;
  }
}

function undeclared(): never {
  throw new Error("only what defineChangeByTable declares can ask for the excluded group");
}
