/** Which errors of PostgreSQL say that nothing was appended. */
import { errorCode } from "../../domain/system-error.ts";
import { AppendRefused } from "./sequencer.ts";

/**
 * The errors, by SQLSTATE, after which an append has not happened and would not happen again: a full disk, a missing
 * table or right, a server that only reads, values that a table refuses. After any other it is unknown: PostgreSQL may be
 * stopping or starting.
 */
const final = /^(?:22|23|25006|28|3D|42|53100)/;

/** The errors of a statement on a sound connection: another one would not help. */
export const ofStatement = /^(?:22|23|42|53100|XX)/;

/** Runs an append. @throws AppendRefused where nothing was appended, any other error where that is unknown */
export async function definite<T>(append: () => Promise<T>): Promise<T> {
  try {
    return await append();
  } catch (cause) {
    if (!final.test(errorCode(cause) ?? "")) throw cause;
    throw new AppendRefused(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
