/**
 * Operator reads on the files of a data folder. They take no lock and change nothing, so that they work beside a command
 * that has the folder, and where the folder can only be read.
 */
import { model } from "../domain/model.ts";
import { Activity } from "../identity/activity.ts";
import { nodeFiles } from "../store/folder/files.ts";
import { readState } from "../store/reading.ts";
import type { Read } from "./define.ts";
import {
  type OperatorInput,
  type OperatorReadName,
  type OperatorResult,
  operatorOperations,
} from "./index.ts";

const reads: { readonly [N in OperatorReadName]: Read<OperatorResult<N>> } = operatorOperations;

/**
 * Runs an operation that reads. Returns undefined if the files cannot be read: they may be about to be replaced.
 * @param warn receives sentences for the operator
 * @throws Failure where the operation refuses
 */
export async function readOffline<N extends OperatorReadName>(
  folder: string,
  name: N,
  input: OperatorInput<N>,
  warn: (sentence: string) => void = () => {},
): Promise<OperatorResult<N> | undefined> {
  const state = await readState(nodeFiles, folder, model).catch(() => undefined);
  if (state === undefined) return undefined;
  for (const warning of state.warnings) warn(warning);
  const data = state.database.view;
  return reads[name].bind(input)(data, { now: Date.now(), activity: new Activity(data) });
}
