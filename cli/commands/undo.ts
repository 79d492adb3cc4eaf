/** `undo`: undoes one change. */
import { type Command, InvalidArgumentError } from "commander";
import type { Context } from "../context.ts";
import { neverSuggested } from "../suggestion.ts";

function parseNumber(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("Expected the number of a change, as `addon-cli audit` shows it.");
}

export function addUndoCommand(program: Command, { change }: Context): void {
  neverSuggested(program.command("undo"))
    .description("undo a change, unless its records have changed since")
    .argument("<number>", "the number of the change, as `audit` shows it", parseNumber)
    .option("--except-changed", "skip records that have changed since")
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli undo 42
  $ addon-cli undo 42 --except-changed

If a record has changed since, the command undoes nothing and names the later changes. With --except-changed, it undoes
the other records, and reports which it skipped and why. An undo is a change itself, and can be undone.`,
    )
    .action(async (sequence: number, { exceptChanged }: { exceptChanged?: boolean }) => {
      await change("undo", { sequence, exceptChanged }, "reads");
    });
}
