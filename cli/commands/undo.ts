/** `undo`: undoes one change. */
import { type Command, InvalidArgumentError } from "commander";
import type { UndoOptions } from "../../src/operator/operator.ts";
import type { Context } from "../context.ts";
import { neverSuggested } from "../suggestion.ts";

function parseNumber(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("Expected the number of a change, as `addon-cli audit` shows it.");
}

export function addUndoCommand(program: Command, { output, withControl }: Context): void {
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
    .action(async (number: number, options: UndoOptions) => {
      const result = await withControl("reads", (control) => control.undo(number, options));
      output.result(result, result.info);
    });
}
