/** The names of operations in the journal. Some commands have been renamed since version 0.1. */
import { fold } from "../domain/text.ts";
import type { JournalRecord } from "../store/change.ts";

/** The earlier and the present names of commands. */
const formerNames: ReadonlyMap<string, string> = new Map([
  ["player.register", "player.add"],
  ["player.delete", "player.remove"],
]);

/** Returns the present name of the command or handler of a recorded operation. */
export function operationName({ operation }: Pick<JournalRecord, "operation">): string {
  return formerNames.get(operation) ?? operation;
}

/** What the test of an operation reads. */
type Recorded = Pick<JournalRecord, "operation" | "who" | "table">;

/**
 * Returns the test for a filter by operation: a name (`houseban.add`), the part before a dot (`houseban`), or a command
 * as it is typed (`player remove`). Only that tells a command from a handler of the same name: `player.remove` is also
 * the handler that takes a player out of a group.
 */
export function operationTest(filter: string): (entry: Recorded) => boolean {
  const { current, isCommand } = parseFilter(filter);
  return (entry) => {
    if (isCommand && (entry.who !== "operator" || entry.table !== null)) return false;
    return `${fold(operationName(entry))}.`.startsWith(`${current}.`);
  };
}

/** Returns whether a filter by operation is a command as it is typed. */
export function isTypedCommand(filter: string): boolean {
  return parseFilter(filter).isCommand;
}

/** Returns the present name that a filter means, and whether it is written as a command. */
function parseFilter(filter: string) {
  const written = fold(filter).trim().replace(/\.$/, "");
  const current = formerNames.get(written) ?? written.split(/\s+/).join(".");
  return { current, isCommand: current !== written };
}
