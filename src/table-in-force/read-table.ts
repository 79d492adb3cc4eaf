/** Reads the file of a route table. */
import { Failure } from "../domain/errors.ts";
import { reasonOf } from "../domain/system-error.ts";
import { readRegular, UnexpectedFile } from "../regular-file.ts";

/**
 * The maximum size of a table, in bytes. The service answers nobody while it parses one: 0.7 MB of routes take more than a
 * second; the shipped table has 10 kB.
 */
export const mostBytes = 1024 * 1024;

/**
 * Reads a route table.
 * @param isServed whether it is that of `--routes`, for the hint
 * @throws Failure if it cannot be read, with what to do
 */
export async function readTable(file: string, isServed = false): Promise<string> {
  try {
    return (await readRegular(file, mostBytes)).toString();
  } catch (cause) {
    const [message, hint] = refusalOf(file, isServed ? " with --routes" : "", cause as NodeJS.ErrnoException);
    throw new Failure("STORE_UNAVAILABLE", message, { hint, cause });
  }
}

/** @param how how another file is named, if by an option */
function refusalOf(file: string, how: string, cause: NodeJS.ErrnoException): [message: string, hint: string] {
  if (cause instanceof UnexpectedFile) {
    const hint = `Put the table's file there, or name another one${how}.`;
    return [`Expected a route table, but ${cause.message}.`, hint];
  }
  if (cause.code === "ENOENT") {
    const hint = `Name another file${how}, or copy the routes.yaml of the service there.`;
    const back = " `addon-cli routes rollback` writes back the last one in force, if there was one.";
    return [`There is no route table ${file}.`, how === "" ? hint : hint + back];
  }
  const hint = `Give the user of this process access to the file and its folders, or name another file${how}.`;
  return [`The route table cannot be read: ${reasonOf(cause, file)}.`, hint];
}
