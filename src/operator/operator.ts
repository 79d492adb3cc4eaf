/**
 * The operator at work on a store: carries out the administrative operations, and takes changes back. It knows no
 * engine and no handler, so that a command that needs neither does not load them.
 */
import { operationName } from "../audit/operations.ts";
import { Failure } from "../domain/errors.ts";
import type { Activity } from "../identity/activity.ts";
import type { DataStore } from "../store/data.ts";
import { type Files, nodeFiles } from "../store/folder/files.ts";
import type { JournalRecord } from "../store/journal/journal.ts";
import { readHistory } from "../store/reading.ts";
import type { CheckedTable, Table } from "../table/table.ts";
import type { AdministrationOperation, TableContext } from "./define.ts";
import {
  type AdministrationInput,
  type AdministrationName,
  type AdministrationResult,
  administration,
} from "./index.ts";
import { parseInput } from "./input.ts";
import { describeObstacles, refusal, type Undoing, undoing } from "./undo.ts";

/** What the operator works with beside the store. */
export interface OperatorOptions {
  readonly activity: Activity;
  readonly now?: () => number;
  readonly files?: Files;
  /**
   * Loads the route table; what it gives tells the one in force at each call. Only operations that depend on it ask.
   */
  readonly loadTable: () => Promise<() => Table>;
  /** Checks the route table that the file has now. */
  readonly checkTable: () => Promise<CheckedTable>;
}

/** How a change is undone. */
export interface UndoOptions {
  /** Whether the other records are undone where some can not be, since they have changed. */
  readonly exceptChanged?: boolean;
}

/** What an undo has done. */
export interface Undone {
  /** A sentence for the operator. */
  readonly info: string;
  /** How many records were left as they are; undefined where none was. */
  readonly left?: number;
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
    if (!Object.hasOwn(administration, name)) throw unknownOperation(name);
    const operation: AdministrationOperation = administration[name];
    const result = await this.#carryOut(name, operation, parseInput(operation, input) as never);
    return result as AdministrationResult<N>;
  }

  async #carryOut(name: AdministrationName, operation: AdministrationOperation, input: never) {
    const { activity, now = Date.now } = this.#options;
    if (operation.effect === "read") return operation.read(this.store.data, input, { now: now(), activity });
    const byTable = operation.needsTable ? await this.#byTable() : undeclared;
    return this.store.change({ who: "operator", operation: name }, (draft, moment) =>
      operation.change(draft, input, { now: moment.now, sequence: moment.sequence, activity, ...byTable }),
    );
  }

  /**
   * What depends on the route table. A faulty table is told of only when it is asked for: other faults come first. The
   * change may wait for the store's writer, and is decided by the table that is in force by then.
   */
  async #byTable(): Promise<Pick<TableContext, "excludedGroup" | "referencesTo">> {
    const tableInForce = await this.#options.loadTable().catch((error: unknown) => () => {
      throw error;
    });
    // One that could not be served, or is not there, refers to nothing.
    const inFile = await this.#options.checkTable().then(
      ({ table }) => table,
      () => undefined,
    );
    const { referencesTo } = await import("../table/restriction/references.ts");
    return {
      referencesTo(name) {
        const inForce = tableInForce();
        return referencesTo(inFile === undefined ? [inForce] : [inForce, inFile], name);
      },
      excludedGroup() {
        const { excludedGroup } = tableInForce();
        if (excludedGroup !== undefined) return excludedGroup;
        throw new Failure("UNKNOWN_GROUP", "The route table names no group whose members are excluded.", {
          hint: "Add `excluded: { group: BLACKLIST }` to it.",
        });
      },
    };
  }

  /**
   * Undoes a change; that is a change itself.
   * @throws Failure `UNKNOWN_ENTRY` where the journal does not have it (any more), `CONFLICT` where it can not be undone
   */
  async undo(sequence: number, { exceptChanged = false }: UndoOptions = {}): Promise<Undone> {
    const record = await this.#change(sequence);
    const { data } = this.store;
    let decided: Undoing = { changes: [], obstacles: [] };
    // What is undone may have been a bulk change.
    await this.store.changeInBulk({ who: "operator", operation: "undo", undoes: sequence }, async () => {
      decided = await undoing(data, record, exceptChanged);
      return exceptChanged || decided.obstacles.length === 0 ? decided.changes : [];
    });
    const { changes, obstacles } = decided;
    const what = `change ${sequence} (${operationName(record)})`;
    if (obstacles.length === 0) return { info: `Undid ${what}.` };
    // Looked for only now: others do not wait for it, and where nothing is in the way nobody does.
    const words = await describeObstacles(
      obstacles,
      this.#history(sequence),
      (uuid) => data.players.get(uuid)?.name,
    );
    if (!exceptChanged || changes.length === 0) throw refusal(sequence, words, changes.length > 0);
    const left = obstacles.length;
    const part = `except for ${left} of ${left + changes.length} records`;
    return { info: `Undid ${what}, ${part}: ${words}.`, left };
  }

  /** The change of a number. @throws Failure `UNKNOWN_ENTRY` where the journal does not have it (any more) */
  async #change(sequence: number): Promise<JournalRecord> {
    for await (const record of this.#history(sequence - 1)) {
      if (record.sequence === sequence) return record;
      break;
    }
    const last = this.store.sequence;
    throw new Failure("UNKNOWN_ENTRY", `The journal has no change ${sequence}; the last one is ${last}.`, {
      hint: "`addon-cli audit` lists the changes that it still has.",
    });
  }

  #history(after: number): AsyncGenerator<JournalRecord> {
    return readHistory(this.#options.files ?? nodeFiles, this.store.folder, after);
  }
}

/** The refusal of what a command of another version asks a running service. */
function unknownOperation(name: string): Failure {
  return new Failure("UNKNOWN_ENTRY", `The running service has no operation "${name}".`, {
    hint: "Command and service are of different versions: restart the service with this version.",
  });
}

/** For operations that do without the route table. */
const undeclared = { excludedGroup: refuseUndeclared, referencesTo: refuseUndeclared };

function refuseUndeclared(): never {
  throw new Error("only what defineChangeByTable declares can ask for the route table");
}
