/** `undo`: takes one change back. */
import { type Command, InvalidArgumentError } from "commander";
import type { UndoOptions } from "../../src/operator/operator.ts";
import type { Session } from "../context.ts";
import { neverSuggested } from "../suggestion.ts";

function parseNumber(text: string): number {
  const number = Number(text);
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("Expected is the number of a change, as `addon-cli audit` shows it.");
}

export function addUndoCommand(program: Command, { output, withControl }: Session): void {
  neverSuggested(program.command("undo"))
    .description("take a change back, where its records still have the values that it gave them")
    .argument("<number>", "of the change, as `audit` shows it", parseNumber)
    .option("--except-changed", "undo the other records where some have changed since")
    .addHelpText(
      "after",
      `
Examples:
  $ addon-cli undo 42
  $ addon-cli undo 42 --except-changed

If a record has changed since, the command undoes nothing and names the later changes. With --except-changed it undoes
the other records, and says which ones it left and why. It is a change itself, and can be undone.`,
    )
    .action(async (number: number, options: UndoOptions) => {
      const result = await withControl("reads", (control) => control.undo(number, options));
      output.result(result, result.info);
    });
}
