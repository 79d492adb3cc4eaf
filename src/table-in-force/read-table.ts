/** Reads the file of a route table. */
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import { readRegular, UnexpectedFile } from "../regular-file.ts";

/**
 * The maximum size of a table, in bytes. The service answers nobody while it parses one: 0.7 MB of routes take more than a
 * second; the shipped table has 10 kB.
 */
export const mostBytes = 1024 * 1024;

/** How another file of the table in force is named, for {@link readTable}. */
export const servedFrom = " with --routes";

/**
 * Reads a route table.
 * @param how how another file is named, for the hint
 * @throws Failure if it cannot be read, with what to do
 */
export async function readTable(file: string, how = ""): Promise<string> {
  try {
    return (await readRegular(file, mostBytes)).toString();
  } catch (error) {
    if (!(error instanceof UnexpectedFile)) throw unreadable(file, how, error as NodeJS.ErrnoException);
    throw new Failure("STORE_UNAVAILABLE", `Expected a route table, but ${error.message}.`, {
      hint: `Put the table's file there, or name another one${how}.`,
      cause: error,
    });
  }
}

function unreadable(file: string, how: string, cause: NodeJS.ErrnoException): Failure {
  if (cause.code === "ENOENT") {
    return new Failure("STORE_UNAVAILABLE", `There is no route table ${file}.`, {
      hint: `Name another file${how}, or copy the routes.yaml of the service there.`,
      cause,
    });
  }
  return new Failure("STORE_UNAVAILABLE", `The route table cannot be read: ${reasonOf(cause, file)}.`, {
    hint: `Give the user of this process access to the file and its folders, or name another file${how}.`,
    cause,
  });
}
