/**
 * Looking into a data folder: an operation that reads, carried out on what the files say. It takes no lock and changes
 * nothing, so that it goes on beside a command that has the folder, and where the folder can only be read.
 */

import { model } from "../domain/model.ts";
import { Activity } from "../identity/activity.ts";
import type { DurableData } from "../store/data.ts";
import { type Files, nodeFiles } from "../store/folder/files.ts";
import { readState } from "../store/reading.ts";
import {
  type AdministrationInput,
  type AdministrationResult,
  administration,
  type ReadName,
} from "./index.ts";
import { parseInput } from "./input.ts";

/** The data that a folder's files hold. */
export interface SeenData {
  readonly data: DurableData;
  /** For the operator, a sentence each. */
  readonly warnings: readonly string[];
}

/** Reads a folder's files. @throws as {@link readState} */
export async function readData(folder: string, files: Files = nodeFiles): Promise<SeenData> {
  const { database, warnings } = await readState(files, folder, model);
  return { data: database.view, warnings };
}

/** Carries out an operation that reads. @throws Failure where it refuses */
export function look<N extends ReadName>(
  data: DurableData,
  name: N,
  input: AdministrationInput<N>,
  now: number,
): AdministrationResult<N> {
  const operation = administration[name];
  const result = operation.read(data, parseInput(operation, input) as never, {
    now,
    activity: new Activity(data),
  });
  return result as AdministrationResult<N>;
}
