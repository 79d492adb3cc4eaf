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
  } catch (cause) {
    const [message, hint] = refusalOf(file, how, cause as NodeJS.ErrnoException);
    throw new Failure("STORE_UNAVAILABLE", message, { hint, cause });
  }
}

function refusalOf(file: string, how: string, cause: NodeJS.ErrnoException): [message: string, hint: string] {
  if (cause instanceof UnexpectedFile) {
    const hint = `Put the table's file there, or name another one${how}.`;
    return [`Expected a route table, but ${cause.message}.`, hint];
  }
  if (cause.code === "ENOENT") {
    const back =
      how === servedFrom
        ? " `addon-cli routes rollback` writes back the last one in force, if there was one."
        : "";
    const hint = `Name another file${how}, or copy the routes.yaml of the service there.${back}`;
    return [`There is no route table ${file}.`, hint];
  }
  const hint = `Give the user of this process access to the file and its folders, or name another file${how}.`;
  return [`The route table cannot be read: ${reasonOf(cause, file)}.`, hint];
}
