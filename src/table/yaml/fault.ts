/** Faults in a YAML file, each with the line and column that it is at. */
import type { Fault, Position } from "../../domain/errors.ts";

export type { Fault, Position };

/** The keys and indices that lead to a value of a document. */
export type Path = readonly (string | number)[];

/** Whether a fault is at a value or at its key: the key may be wrong, or its value missing. */
export type Side = "key" | "value";

/** Records a fault at a value of a document, or at its key. Returns undefined, which parsers return for a fault. */
export type Report = (path: Path, message: string, side?: Side) => undefined;

/**
 * The longest message, in UTF-16 units; longer ones quote half a file. A busy log drops lines of such a size, and with
 * them the news that a table was refused.
 */
const maxMessageLength = 2000;

/** Returns a fault. A message that is too long is cut in the middle: its end says what to do. */
export function toFault({ line, column }: Position, message: string): Fault {
  const half = maxMessageLength / 2;
  if (message.length <= maxMessageLength) return { line, column, message };
  return { line, column, message: `${message.slice(0, half)} … ${message.slice(-half)}` };
}

/** Returns faults, or anything else with a position, in the order of the file. */
export function inOrder<T extends Position>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => a.line - b.line || a.column - b.column);
}
