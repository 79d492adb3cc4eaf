/**
 * Operator reads on the files of a data folder. They take no lock and change nothing, so that they work beside a command
 * that has the folder, and where the folder can only be read.
 */
import { model } from "../domain/model.ts";
import { Activity } from "../identity/activity.ts";
import type { DurableData } from "../store/data.ts";
import { type Files, nodeFiles } from "../store/folder/files.ts";
import { readState } from "../store/reading.ts";
import type { Read } from "./define.ts";
import {
  type OperatorInput,
  type OperatorReadName,
  type OperatorResult,
  operatorOperations,
} from "./index.ts";

/** The data in a folder's files. */
export interface OfflineData {
  readonly data: DurableData;
  /** Sentences for the operator. */
  readonly warnings: readonly string[];
}

/** Reads a folder's files. @throws as {@link readState} */
export async function readData(folder: string, files: Files = nodeFiles): Promise<OfflineData> {
  const { database, warnings } = await readState(files, folder, model);
  return { data: database.view, warnings };
}

const reads: { readonly [N in OperatorReadName]: Read<OperatorResult<N>> } = operatorOperations;

/** Runs an operation that reads. @throws Failure where it refuses */
export function readOffline<N extends OperatorReadName>(
  data: DurableData,
  name: N,
  input: OperatorInput<N>,
  now: number,
): OperatorResult<N> {
  return reads[name].bind(input)(data, { now, activity: new Activity(data) });
}
