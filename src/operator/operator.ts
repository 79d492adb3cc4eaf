/**
 * Runs operations on a store. It uses neither the engine nor the handlers, so that commands that need neither do not load
 * them.
 */
import { Failure } from "../domain/errors.ts";
import type { ChangeContext, Environment, Operation } from "./define.ts";
import {
  type OperatorInput,
  type OperatorOperationName,
  type OperatorResult,
  operatorOperations,
} from "./index.ts";

const operations: {
  readonly [N in OperatorOperationName]: Operation<Environment, OperatorResult<N>>;
} = operatorOperations;

/** Runs an operation of the operator. @throws Failure where it refuses */
export function administer<N extends OperatorOperationName>(
  environment: Environment,
  name: N,
  input: OperatorInput<N>,
): Promise<OperatorResult<N>> {
  return runOperation<Environment, OperatorResult<N>>(operations[name], environment, name, input);
}

/**
 * Runs an operation.
 * @param name by which the journal records it
 * @param signal aborted if nobody waits for the result any more
 * @throws Failure where it refuses
 */
export async function runOperation<E extends Environment, R>(
  operation: Operation<E, R>,
  environment: E,
  name: string,
  input: unknown,
  signal?: AbortSignal,
): Promise<R> {
  const { store, activity, now = Date.now } = environment;
  switch (operation.effect) {
    case "read":
      return operation.bind(input)(store.data, { now: now(), activity });
    case "command":
      return operation.bind(input)(environment, signal);
    case "change": {
      const change = operation.bind(input);
      const table = operation.usesTable ? await tableOf(environment) : noTable;
      return store.change({ who: "operator", operation: name }, (draft, at) =>
        change(draft, { now: at.now, sequence: at.sequence, activity, ...table }),
      );
    }
  }
}

/**
 * Loads the route table. Its faults are thrown when an operation uses it: other errors come first. The change may wait
 * for the store's writer, and uses the table that is in force by then.
 */
async function tableOf({
  loadTable,
  checkTable,
}: Environment): Promise<Pick<ChangeContext, "excludedGroup" | "referencesTo">> {
  const tableInForce = await loadTable().catch((error: unknown) => () => {
    throw error;
  });
  // A missing or faulty file refers to nothing.
  const inFile = await checkTable().then(
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

const noTable = { excludedGroup: refuseTable, referencesTo: refuseTable };

function refuseTable(): never {
  throw new Error("only an operation that declares usesTable can use the route table");
}
