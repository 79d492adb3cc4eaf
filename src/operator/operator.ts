/**
 * The operator: runs operator operations on a store, and undoes changes. It uses neither the engine nor the handlers, so
 * that commands that need neither do not load them.
 */
import { operationName } from "../audit/operations.ts";
import { Failure } from "../domain/errors.ts";
import type { Activity } from "../identity/activity.ts";
import type { JournalRecord } from "../store/change.ts";
import type { DataStore } from "../store/data.ts";
import { type Files, nodeFiles } from "../store/folder/files.ts";
import { readHistory } from "../store/journal/history.ts";
import type { Table } from "../table/table.ts";
import type { OperatorOperation, TableContext } from "./define.ts";
import {
  type OperatorInput,
  type OperatorOperationName,
  type OperatorResult,
  operatorOperations,
} from "./index.ts";
import { describeObstacles, refusal, type Undoing, undoing } from "./undo.ts";

/** The operator's environment beside the store. */
export interface OperatorOptions {
  readonly activity: Activity;
  readonly now?: () => number;
  readonly files?: Files;
  /** Loads the route table for an operation that needs it; the result returns the table in force at each call. */
  readonly loadTable: () => Promise<() => Table>;
  /** Checks the route table that is now in the file. */
  readonly checkTable: () => Promise<{ readonly table: Table | undefined }>;
}

/** The options of an undo. */
export interface UndoOptions {
  /** Whether to undo the other records if some cannot be undone. */
  readonly exceptChanged?: boolean;
}

/** The result of an undo. */
export interface Undone {
  /** A sentence for the operator. */
  readonly info: string;
  /** The number of records that were not undone; undefined for none. */
  readonly left?: number;
}

const operations: {
  readonly [N in OperatorOperationName]: OperatorOperation<OperatorResult<N>>;
} = operatorOperations;

/** The operator of a store. */
export class Operator {
  readonly store: DataStore;
  readonly #options: OperatorOptions;

  constructor(store: DataStore, options: OperatorOptions) {
    this.store = store;
    this.#options = options;
  }

  /** Runs an operation. @throws Failure where it refuses */
  async administer<N extends OperatorOperationName>(
    name: N,
    input: OperatorInput<N>,
  ): Promise<OperatorResult<N>> {
    if (!Object.hasOwn(operations, name)) throw unknownOperation(name);
    const operation: OperatorOperation<OperatorResult<N>> = operations[name];
    const { activity, now = Date.now } = this.#options;
    if (operation.effect === "read") return operation.bind(input)(this.store.data, { now: now(), activity });
    const change = operation.bind(input);
    const table = operation.needsTable ? await this.#loadTable() : noTable;
    return this.store.change({ who: "operator", operation: name }, (draft, moment) =>
      change(draft, { now: moment.now, sequence: moment.sequence, activity, ...table }),
    );
  }

  /**
   * Loads the route table. Its faults are thrown when an operation uses it: other errors come first. The change may wait
   * for the store's writer, and uses the table that is in force by then.
   */
  async #loadTable(): Promise<Pick<TableContext, "excludedGroup" | "referencesTo">> {
    const tableInForce = await this.#options.loadTable().catch((error: unknown) => () => {
      throw error;
    });
    // A missing or faulty file refers to nothing.
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
   * Undoes a change, as a further change.
   * @param signal if aborted before the change is written, nothing is changed
   * @throws Failure `UNKNOWN_ENTRY` where the journal does not have the change, `CONFLICT` where it cannot be undone
   */
  async undo(
    sequence: number,
    { exceptChanged = false }: UndoOptions = {},
    signal?: AbortSignal,
  ): Promise<Undone> {
    const record = await this.#change(sequence);
    const { data } = this.store;
    let decided: Undoing = { changes: [], obstacles: [] };
    // The change may have been a bulk change.
    await this.store.changeInBulk({ who: "operator", operation: "undo", undoes: sequence }, async () => {
      decided = await undoing(data, record, exceptChanged);
      signal?.throwIfAborted();
      return exceptChanged || decided.obstacles.length === 0 ? decided.changes : [];
    });
    const { changes, obstacles } = decided;
    const what = `change ${sequence} (${operationName(record)})`;
    if (obstacles.length === 0) return { info: `Undid ${what}.` };
    // Outside the store's writer, so that other changes do not wait for it.
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

  /** Returns the journal's record of a change. @throws Failure `UNKNOWN_ENTRY` where the journal does not have it */
  async #change(sequence: number): Promise<JournalRecord> {
    for await (const record of this.#history(sequence - 1)) {
      if (record.sequence === sequence) return record;
      break;
    }
    const last = this.store.sequence;
    throw new Failure("UNKNOWN_ENTRY", `The journal has no change ${sequence}; the last one is ${last}.`, {
      hint: "`addon-cli audit` lists the changes in the journal.",
    });
  }

  #history(after: number): AsyncGenerator<JournalRecord> {
    return readHistory(this.#options.files ?? nodeFiles, this.store.folder, after);
  }
}

/** Returns the refusal of an operation that only another version has. */
function unknownOperation(name: string): Failure {
  return new Failure("UNKNOWN_ENTRY", `The running service has no operation "${name}".`, {
    hint: "The command and the service have different versions: restart the service with this version.",
  });
}

/** The context of operations that do not declare that they need the table. */
const noTable = { excludedGroup: refuseTable, referencesTo: refuseTable };

function refuseTable(): never {
  throw new Error("only an operation defined by defineChangeByTable can use the route table");
}
