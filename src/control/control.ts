/** Runs operations for commands, in any process. */
import { Failure } from "../domain/errors.ts";
import type { Operation } from "../operator/define.ts";
import { runOperation } from "../operator/operator.ts";
import {
  type ControlEnvironment,
  type OperationInput,
  type OperationName,
  type OperationResult,
  operations,
} from "./operations.ts";

/** See the head of this file. */
export interface Control {
  /**
   * Runs an operation.
   * @param signal is aborted when the command has ended
   * @throws Failure where it refuses, or the service does not have it
   */
  run<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    signal?: AbortSignal,
  ): Promise<OperationResult<N>>;
}

const typed: { readonly [N in OperationName]: Operation<ControlEnvironment, OperationResult<N>> } =
  operations;

/** Returns the control of a data folder that this process has open. */
export function controlOf(environment: ControlEnvironment): Control {
  return {
    run<N extends OperationName>(name: N, input: OperationInput<N>, signal?: AbortSignal) {
      type Result = OperationResult<N>;
      return runOperation<ControlEnvironment, Result>(typed[name], environment, name, input, signal);
    },
  };
}

/** Returns the operation that a command names. @throws Failure `UNKNOWN_ENTRY` if only another version has it */
export function requireOperation(name: string): OperationName {
  if (isOperation(name)) return name;
  throw new Failure("UNKNOWN_ENTRY", `The running service has no operation "${name}".`, {
    hint: "The command and the service have different versions: restart the service with this version.",
  });
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}
